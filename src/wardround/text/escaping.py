"""Escaping of text under review for its destination: a line, a CI log, JSON, Markdown.

All output of wardround is escaped here, so that a path, a ref name, a line of source or a message of a tool
can neither start a line of its own nor be interpreted by a terminal or a CI runner.

GitHub's runner obeys ``::command::`` at the start of a line, after white space, and ``##[command]`` anywhere
in one; Azure Pipelines and TeamCity obey ``##vso[`` and ``##teamcity[``. The runner compares by culture,
which ignores invisible characters, so these do not separate the characters of a command here either.

Sources: actions/runner, ``ActionCommand.cs``; the logging commands of Azure Pipelines; TeamCity's service
messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from wardround.lazy import LazyPattern

_CI_VARIABLES = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
_PLAIN = " .,:;()'/-?%"
"""Characters that mean nothing within a line of Markdown."""
_LINKED = LazyPattern(r"(?i)[@#]|[!~$%&][\w\"]|://|www\.|\bgh-\d")
"""Words that GitHub or GitLab link: mentions, issues, other references, addresses. GitLab does so after it
has resolved character references, but not in code."""
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COMMAND_AT_START = LazyPattern(r"(?m)^([^!-~\n]*):([^ -~\n]*:)")
_COMMAND_ANYWHERE = LazyPattern(r"(#[^ -~\n]*#[^ -~\n]*(?:[A-Za-z]{1,20}[^ -~\n]*)?)\[")
_COMMAND_IN_JSON = LazyPattern(r"#(?=[^ -~\n]*#[^ -~\n]*(?:[A-Za-z]{1,20}[^ -~\n]*)?\[)")


def one_line(text: str) -> str:
    """Return text on one line; what cannot be printed is escaped: ``\\n``, ``\\x1b``, ``\\u202e``.

    Undecodable bytes of a path, which Python keeps as surrogates, become ``\\xHH``.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if char in _NAMED:
        return _NAMED[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def lines_for_log(text: str, environ: Mapping[str, str]) -> str:
    """Return the lines of a text without control characters and, in a CI job, without workflow commands.

    Tabs stay. Each line must already be one: a newline in a value is escaped by ``one_line`` before.
    """
    if not text.replace("\n", "").replace("\t", "").isprintable():
        text = "".join(c if c in "\n\t" or c.isprintable() else _escape(c) for c in text)
    return defuse_commands(text) if is_ci_log(environ) else text


def is_ci_log(environ: Mapping[str, str]) -> bool:
    """Return True if the output goes to the log of a CI job, whose runner may interpret it."""
    return any(environ.get(name) for name in _CI_VARIABLES)


def defuse_commands(text: str) -> str:
    """Return text in which no CI runner finds a command: the colon or the bracket is shown escaped."""
    if ":" in text:
        text = _COMMAND_AT_START.sub(r"\1\\x3a\2", text)
    return _COMMAND_ANYWHERE.sub(r"\1\\x5b", text) if "[" in text else text


def json_text(encoded: bytes) -> str:
    """Return JSON with everything escaped that a terminal or a CI runner might obey, of equal value."""
    text = encoded.decode()
    if not text.replace("\n", "").isprintable():
        text = re.sub(r"[^\n -~]", _escaped_in_json, text)
    return _COMMAND_IN_JSON.sub(r"\\u0023", text) if "#" in text else text


def _escaped_in_json(match: re.Match[str]) -> str:
    if match[0].isprintable():
        return match[0]
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def markdown_code(text: str) -> str:
    """Return text as inline code for Markdown of GitHub and GitLab, in which no markup is rendered.

    Every character with a meaning in Markdown or HTML is a character reference, so the text cannot end the
    code, start a table cell, a link, an image or a mention.
    """
    return f"<code>{_references(text)}</code>"


def markdown_text(text: str) -> str:
    """Return text for Markdown in which no markup is rendered; a word that could be a link is code.

    A slash at the beginning is a reference: a line of a comment that begins with one is a command to GitLab.
    """
    words = one_line(text).split(" ")
    joined = " ".join(
        markdown_code(word) if _LINKED.search(word) else _references(word, _PLAIN) for word in words
    )
    return f"&#47;{joined[1:]}" if joined.startswith("/") else joined


def _references(text: str, plain: str = " ") -> str:
    """Return text with character references for all ASCII characters but letters, digits and plain ones."""
    return one_line(text).translate(_reference_table(plain))


@cache
def _reference_table(plain: str) -> Mapping[int, str]:
    signs = (chr(code) for code in range(128))
    return {ord(sign): f"&#{ord(sign)};" for sign in signs if not sign.isalnum() and sign not in plain}
