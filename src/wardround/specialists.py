"""The specialist: what reviews one kind of file, as values the host acts on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.checks.base import ChangeCheck, Check, CheckRunner, run_sequentially
from wardround.checks.lazy import LazyPattern
from wardround.config.globs import matches_any_case
from wardround.findings import Span
from wardround.rules.model import Rule
from wardround.tools.tool import Tool

_COMMENT_LEADERS = LazyPattern(r"(?:^|\s)(#|//|--|/\*|<!--|;|%)\s*(?=wardround:)")


class Comment(msgspec.Struct, frozen=True):
    """A comment of a source file: the 1-based line it stands on and its text."""

    line: int
    text: str
    column: int = 1


def leader_comments(text: str) -> Iterable[Comment]:
    """Comments that could address wardround, by the usual comment signs; for languages without a parser."""
    for number, line in enumerate(text.split("\n"), 1):
        match = _COMMENT_LEADERS.search(line)
        if match:
            yield Comment(number, line[match.end() :].removesuffix("*/").removesuffix("-->").strip(),
                          match.start(1) + 1)  # fmt: skip


StatementOf = Callable[[int], tuple[int, int]]
"""The first and last line of the statement that a line belongs to."""


def lines_as_statements(text: str) -> StatementOf:
    """Where nothing better is known, every line is a statement."""
    return lambda line: (line, line)


def no_syntax_check(text: str) -> str | None:
    """No objection, for languages whose syntax is not checked after a fix."""
    return None


class Specialist(msgspec.Struct, frozen=True, eq=False):
    """Reviews one kind of file: which files it claims, which tools and checks it brings.

    Attributes:
        patterns: glob patterns of the files it claims, matched against the name, or against the whole path
            if the pattern has a slash.
        interpreters: regular expressions for the program of a ``#!`` line, where the name tells nothing.
        any_text: whether it reviews every text file there is, or with ``claims_text`` every one of which that
            is true; what is no text is then nothing to it.
        claims_text: for files whose name and ``#!`` line tell nothing: (path, content) -> claimed.
        text_decides: glob patterns of files, whatever their ending, about which ``claims_text`` is asked too.
        borrows: tools of other specialists that also judge its files; of what they say, the codes count whose
            tool map names this specialist.
        change_checks: the checks that look at a change as a whole, whatever files it touches.
        checks: the checks of its own, in any order; like tools, ``late.Late`` puts off importing them.
        run_checks: how they are run over one file; replace it to parse once for all of them.
        rules: rules of its tools that are written down outside the tool map (declarative rules).
        statements: text -> the statement around a line, so that a finding keeps its identity when the
            statement is reformatted.
        comments: the comments of a file, for suppressions.
        complaint: why a text does not parse, or None; a fix that breaks a file is refused.
        needs_utf8: content that is not UTF-8 -> whether its language refuses it for that; by default unknown.
        options: a ``msgspec.Struct`` type: the keys of ``[tool.wardround.<name>]``.
        refutes: (path, text, defect class, span, path -> the text of another file) -> whether what a tool or
            another specialist says of a place in a file is known to be wrong, since this one knows which
            values can come there.
        environment: (repository root, options) -> the project's own virtual environment, if it has one.
        models: names of the models its checks ask for.
        declines: (path, text) -> why it cannot review a file it claims, which is then unreviewed; empty where
            it can. The reason names the file "it" and tells what to do.
    """

    name: str
    patterns: tuple[str, ...]
    interpreters: tuple[str, ...] = ()
    claims_text: Callable[[str, bytes], bool] | None = None
    content_sniffed: tuple[str, ...] = ()
    reviews_all_text: bool = False
    tools: Sequence[Tool] = ()
    borrowed_tools: Sequence[Tool] = ()
    checks: Sequence[type[Check]] = ()
    change_checks: Sequence[type[ChangeCheck]] = ()
    run_checks: CheckRunner = run_sequentially
    rules: Callable[[], Sequence[Rule]] | None = None
    statement_locator: Callable[[str], StatementOf] = lines_as_statements
    comments: Callable[[str], Iterable[Comment]] = leader_comments
    syntax_error_of: Callable[[str], str | None] = no_syntax_check
    needs_utf8: Callable[[bytes], bool] | None = None
    refutes: Callable[[str, str, str, Span, Callable[[str], str | None]], bool] | None = None
    options: type[Any] | None = None
    environment: Callable[[Path, Any], Path | None] | None = None
    models: tuple[str, ...] = ()
    declines: Callable[[str, str], str] | None = None

    def claims_name(self, path: str) -> bool:
        """Whether the name alone says that this specialist reviews the file."""
        every = self.reviews_all_text and self.claims_text is None
        return every or matches_any_case(path, self.patterns)

    def sniffs_content(self, path: str) -> bool:
        """Whether it must see the text of a file of this name to say whether it reviews it."""
        return matches_any_case(path, self.content_sniffed)

    def claims_content(self, path: str, content: bytes) -> bool:
        """Whether what a file with no telling name holds says so."""
        if self.interpreters and content.startswith(b"#!"):
            words = content.split(b"\n", 1)[0][2:].decode("utf-8", "replace").split()
            program = _interpreter(words)
            if any(re.fullmatch(pattern, program) for pattern in self.interpreters):
                return True
        return self.claims_text is not None and self.claims_text(path, content)

    def claims(self, path: str, text: str) -> bool:
        """Whether it reviews a file, for tools of its own that others borrow for files of other kinds too."""
        return self.claims_name(path) or self.claims_content(path, text.encode("utf-8", "surrogateescape"))


def _interpreter(words: Sequence[str]) -> str:
    """The program a ``#!`` line starts, through ``env`` and its options."""
    names = [word.rpartition("/")[2] for word in words]
    if names and names[0] == "env":
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    return names[0] if names else ""
