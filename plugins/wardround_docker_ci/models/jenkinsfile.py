"""Tokens, blocks and step calls of Jenkinsfiles, in the subset of Groovy that pipelines use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec import Struct

from wardround.languages.positions import Passage
from wardround.lazy import LazyPattern

SHELL_STEPS = frozenset({"sh", "bat", "powershell", "pwsh"})
_TOKEN = LazyPattern(
    r"(?P<blank>[ \t\r\f]+|\\\r?\n)|(?P<comment>//[^\n]*|/\*)|(?P<newline>\n)"
    r"|(?P<string>\"\"\"|'''|\"|'|\$/)|(?P<word>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)|(?P<sign>.)",
    re.DOTALL,
)
_SLASHY = LazyPattern(r"/(?!/)(?:[^/\n\\]|\\.)+/")
_BEFORE_SLASHY = frozenset("(,=~[!&|?:{;")
_INTERPOLATION = LazyPattern(
    r"(?<!\\)\$(?:\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*))"
)
_ESCAPE = LazyPattern(r"\\(\r?\n|.)", re.DOTALL)
_BINDING = frozenset(
    {"variable", "passwordVariable", "keyFileVariable", "passphraseVariable", "tokenVariable"}
)
_OPENING = {"(": ")", "[": "]", "{": "}"}


class Block(Struct, frozen=True, eq=False):
    """A ``{ ... }``: the word that opens it, the arguments of that word, and the enclosing block."""

    name: str
    arguments: tuple[GroovyToken, ...]
    parent: Block | None

    def chain(self) -> Iterator[Block]:
        """Yield the block and those around it, innermost first."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent


class GroovyToken(Struct, frozen=True, eq=False):
    """A token: ``kind`` is word, string, number, sign or newline.

    Attributes:
        text: for a string its contents, including escapes.
        quote: the quote of a string.
        inside: the offset of the first character between the quotes.
    """

    kind: str
    text: str
    start: int
    end: int
    block: Block | None
    quote: str = ""
    inside: int = 0

    @property
    def interpolates(self) -> bool:
        """True if Groovy interpolates ``$`` in the string."""
        return self.quote in ('"', '"""', "/", "$/")

    @property
    def interpolations(self) -> list[GroovyInterpolation]:
        """The interpolations of the string, with their offsets."""
        if not self.interpolates:
            return []
        return [
            GroovyInterpolation((found.group(1) or found.group(2) or "").strip(), self.inside + found.start(),
                          self.inside + found.end())
            for found in _INTERPOLATION.finditer(self.text)
        ]  # fmt: skip

    def is_in(self, *names: str) -> bool:
        """Return True if an enclosing block has one of these names."""
        return self.block is not None and any(block.name in names for block in self.block.chain())

    def passage(self) -> Passage:
        """Return the contents of the string, at their offset."""
        text = self.text
        if self.quote not in ("/", "$/"):
            text = _ESCAPE.sub(
                lambda m: (" " if m.group(1)[-1] == "\n" else m.group(1)).rjust(len(m.group())), text
            )
        return Passage(text, self.inside)


class GroovyInterpolation(Struct, frozen=True):
    """Groovy inside a string: ``params.X`` of ``${params.X}``, and the offsets including the braces."""

    inside: str
    start: int
    end: int


class StepCall(Struct, frozen=True, eq=False):
    """A step with its arguments, without parentheses; ``assigned`` if its result is used."""

    name: GroovyToken
    arguments: tuple[GroovyToken, ...]
    assigned: bool

    def strings(self) -> list[GroovyToken]:
        """Return the strings among its arguments, at any depth."""
        return [token for token in self.arguments if token.kind == "string"]

    def named_argument(self, name: str) -> GroovyToken | None:
        """Return the first token of the value of a named argument."""
        for label, colon, value in zip(self.arguments, self.arguments[1:], self.arguments[2:], strict=False):
            if label.text == name and label.kind == "word" and colon.text == ":":
                return value
        return None

    @property
    def script(self) -> list[GroovyToken]:
        """The strings a shell step runs: its only argument, or the one named ``script``."""
        strings = []
        for token in self._tokens_after_colon("script"):
            if token.text == "," and token.kind == "sign":
                break
            if token.kind == "string":
                strings.append(token)
        return strings

    def _tokens_after_colon(self, name: str) -> Sequence[GroovyToken]:
        """Return the tokens after the colon of a named argument; all if no argument has that name."""
        for at, token in enumerate(self.arguments):
            if token.kind == "word" and token.text == name:
                return self.arguments[at + 2 :]
        return self.arguments


class Jenkinsfile:
    """A parsed Jenkinsfile."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))

    @cached_property
    def calls(self) -> list[StepCall]:
        """Words followed by arguments, with or without parentheses: steps, directives, functions."""
        return list(_calls(self.tokens))

    @cached_property
    def shell_steps(self) -> list[StepCall]:
        return [call for call in self.calls if call.name.text in SHELL_STEPS]

    @cached_property
    def bound(self) -> frozenset[str]:
        """The variables that credentials are bound to anywhere in the pipeline."""
        names = set()
        for first, second, third in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if first.text in _BINDING and second.text == ":" and third.kind == "string":
                names.add(third.text)
            if first.kind == "word" and second.text == "=" and third.text == "credentials":
                names |= {first.text, f"{first.text}_PSW"}
        return frozenset(names)


def _tokens(text: str) -> Iterator[GroovyToken]:
    at, before = 0, ""
    recent: list[GroovyToken] = []
    blocks: list[Block] = []
    while at < len(text):
        block = blocks[-1] if blocks else None
        token = _slashy(text, at, block) if not before or before in _BEFORE_SLASHY else None
        if token is None:
            found = _TOKEN.match(text, at)
            assert found is not None, "the last branch takes any character"
            if found.lastgroup in ("blank", "comment"):
                at = _comment_end(text, found) if found.lastgroup == "comment" else found.end()
                continue
            token = _token(text, found, block)
        at = token.end
        _update_blocks(blocks, token, recent)
        if token.kind != "newline":
            before = token.text if token.kind == "sign" else "word"
        recent.append(token)
        yield token


def _slashy(text: str, at: int, block: Block | None) -> GroovyToken | None:
    """Return the slashy string at an offset, if there is one."""
    found = _SLASHY.match(text, at) if text[at] == "/" and not text.startswith("/*", at) else None
    if found is None:
        return None
    return GroovyToken("string", found.group()[1:-1], at, found.end(), block, "/", at + 1)


def _token(text: str, found: re.Match[str], block: Block | None) -> GroovyToken:
    if found.lastgroup == "string":
        return _string(text, found, block)
    return GroovyToken(found.lastgroup or "sign", found.group(), found.start(), found.end(), block)


def _update_blocks(blocks: list[Block], token: GroovyToken, recent: Sequence[GroovyToken]) -> None:
    """Open or close a block at a brace."""
    if token.kind == "sign" and token.text == "{":
        blocks.append(_block(recent, blocks[-1] if blocks else None))
    elif token.kind == "sign" and token.text == "}" and blocks:
        blocks.pop()


def _comment_end(text: str, found: re.Match[str]) -> int:
    if found.group() != "/*":
        return found.end()
    end = text.find("*/", found.end())
    return len(text) if end < 0 else end + 2


def _string(text: str, found: re.Match[str], block: Block | None) -> GroovyToken:
    quote = found.group()
    closing = "/$" if quote == "$/" else quote
    at = start = found.end()
    while at < len(text):
        if text.startswith(closing, at):
            return GroovyToken(
                "string", text[start:at], found.start(), at + len(closing), block, quote, start
            )
        if text[at] == "\n" and len(quote) == 1:
            break  # a quote that is never closed ends with its line
        if quote in ('"', '"""') and text.startswith("${", at):
            at = _interpolation_end(text, at + 2, quote)
            continue
        at += 2 if text[at] == "\\" and quote != "$/" else 1
    at = min(at, len(text))
    return GroovyToken("string", text[start:at], found.start(), at, block, quote, start)


_MOST_INTERPOLATED = 2000


def _interpolation_end(text: str, start: int, quote: str) -> int:
    """Return the offset after the brace that closes ``${``, or ``start`` if none is near."""
    depth = 1
    for at in range(start, min(len(text), start + _MOST_INTERPOLATED)):
        sign = text[at]
        if sign == "\n" and quote == '"':
            break
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return at + 1
    return start


_MOST_TOKENS = 400
"""Tokens searched backwards for the word before a bracket; a block with more has no name."""


def _block(recent: Sequence[GroovyToken], parent: Block | None) -> Block:
    """Return the block that the next brace opens, by the tokens before it."""
    at = len(recent) - 1
    while at >= 0 and recent[at].kind == "newline":
        at -= 1
    if at < 0:
        return Block("", (), parent)
    before = recent[at]
    if before.kind != "sign" or before.text != ")":
        return Block(_word(before), (), parent)
    opening = _opening_parenthesis(recent, at)
    if opening is None:
        return Block("", (), parent)
    name = _word(recent[opening - 1]) if opening else ""
    return Block(name, tuple(recent[opening + 1 : at]), parent)


def _word(token: GroovyToken) -> str:
    return token.text if token.kind == "word" else ""


def _opening_parenthesis(tokens: Sequence[GroovyToken], closing: int) -> int | None:
    """Return the position of the opening parenthesis for the closing one at a position; None if it is far
    away.
    """
    depth = 0
    for at in range(closing, max(-1, closing - _MOST_TOKENS), -1):
        token = tokens[at]
        if token.kind != "sign":
            continue
        depth += (token.text == ")") - (token.text == "(")
        if depth == 0:
            return at
    return None


def _calls(tokens: Sequence[GroovyToken]) -> Iterator[StepCall]:
    for at, (token, following) in enumerate(pairwise(tokens)):
        previous = tokens[at - 1] if at else None
        if token.kind != "word" or _is_sign(previous, "."):
            continue
        assigned = _uses_result(previous)
        if _is_sign(following, "("):
            arguments = _bracketed_tokens(tokens, at + 2)
            closed = at + 2 + len(arguments) + 1
            used = closed < len(tokens) and tokens[closed].text in (".", "=", "!", ">", "<", "?", "&", "|")
            yield StepCall(token, arguments, assigned or used)
        elif following.kind in ("string", "word", "number"):
            yield StepCall(token, _to_line_end(tokens, at + 1), assigned)


def _is_sign(token: GroovyToken | None, text: str) -> bool:
    return token is not None and token.kind == "sign" and token.text == text


def _uses_result(previous: GroovyToken | None) -> bool:
    """Return True if the token before a call uses its result."""
    if previous is None:
        return False
    if previous.kind == "sign":
        return previous.text in "=(,!?:+&|<>["
    return previous.kind == "word" and previous.text in ("return", "in")


def _bracketed_tokens(tokens: Sequence[GroovyToken], start: int) -> tuple[GroovyToken, ...]:
    depth = 1
    for at in range(start, min(len(tokens), start + _MOST_TOKENS)):
        if tokens[at].kind == "sign":
            depth += (tokens[at].text in _OPENING) - (tokens[at].text in _OPENING.values())
        if depth == 0:
            return tuple(t for t in tokens[start:at] if t.kind != "newline")
    return ()


def _to_line_end(tokens: Sequence[GroovyToken], start: int) -> tuple[GroovyToken, ...]:
    depth = 0
    arguments: list[GroovyToken] = []
    for token in tokens[start : start + _MOST_TOKENS]:
        if token.kind == "newline":
            if depth == 0 and not (arguments and arguments[-1].text in (",", "+", ":")):
                break
            continue
        if token.kind == "sign":
            depth += (token.text in _OPENING) - (token.text in _OPENING.values())
            if _ends_call(token, depth):
                break
        arguments.append(token)
    return tuple(arguments)


def _ends_call(sign: GroovyToken, depth: int) -> bool:
    """Return True if a sign ends the arguments of a call, with the open brackets after it."""
    if depth == 0:
        return sign.text == ";"
    return depth < 0 or (depth == 1 and sign.text == "{")
