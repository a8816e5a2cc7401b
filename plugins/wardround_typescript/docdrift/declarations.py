"""The function that is declared at a position of a script, found without a syntax tree."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from wardround.languages.script.scanner import Scan
from wardround.lazy import LazyPattern
from wardround_typescript.docdrift.parameters import (
    DeclaredParameter,
    declared_parameters,
    skip_type_arguments,
)
from wardround_typescript.docdrift.type_extents import type_end

_MODIFIERS = (
    r"(?:(?:export|default|declare|async|public|private|protected|static|abstract|override|readonly|accessor|get|set)"
    r"\b(?!\s*[=:(;?!,<])\s*)*"
)
_CODE = LazyPattern(r"\S")
_DECORATOR = LazyPattern(r"\s*@[\w$.]+")
_DECLARATION = LazyPattern(
    rf"\s*(?P<modifiers>{_MODIFIERS})(?:"
    r"(?P<function>function\b)\s*\*?\s*(?P<fname>[\w$]*)"
    r"|(?:const|let|var)\s+(?P<vname>[\w$]+)"
    r"|type\s+(?P<tname>[\w$]+)"
    r"|(?P<path>[\w$]+(?:\.[\w$]+)+)(?=\s*=[^=])"
    r"|\*?\s*(?P<mname>#?[A-Za-z_$][\w$]*)[?!]?"
    r"|(?=[(<]))\s*"
)
_NAMES = ("fname", "vname", "tname", "path", "mname")
_EXPRESSION = LazyPattern(r"\s*(?:async\b\s*)?(?P<function>function\b\s*\*?\s*[\w$]*\s*)?")
_WRAPPER = LazyPattern(
    r"\s*(?:React\.)?(?:useCallback|memo|forwardRef|debounce|throttle)\b(?:<[^()]{0,300}>)?\("
)
_LONE = LazyPattern(r"\s*(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>")
_NO_METHODS = frozenset(
    """
    if for while switch catch with return await new super function import class interface enum namespace
    module throw typeof
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
_EXPRESSION_END = LazyPattern(r"[(\[{]|[)\]};,]|\n")
_CONTINUES = LazyPattern(r"\s*(?:[.?:|&+*/%<>=!,)-]|\n)")
_MOST_SPACE = 40
"""Number of characters searched for the sign behind the type parameters of a type."""


class Declaration(msgspec.Struct, frozen=True):
    """A function as declared; ``body`` is the start of its body, None if it has none."""

    name: str
    modifiers: str
    start: int
    end: int
    parameters: tuple[DeclaredParameter, ...]
    body: int | None


class _Head(NamedTuple):
    """The part of a declaration before its parameters."""

    name: str
    modifiers: str
    start: int


def declaration_after(scan: Scan, position: int) -> Declaration | None:
    """Return the function declared directly after a position, decorators skipped."""
    return _DeclarationReader(scan).after(position)


class _DeclarationReader:
    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._text = scan.structure

    def after(self, position: int) -> Declaration | None:
        code = _CODE.search(self._text, self._skip_decorators(position))
        # Skip whitespace first: the pattern would backtrack over it.
        head = None if code is None else _DECLARATION.match(self._text, code.start())
        if head is None or head["mname"] in _NO_METHODS or head[0].isspace():
            return None
        return self._declared_by(head)

    def _skip_decorators(self, position: int) -> int:
        while match := _DECORATOR.match(self._text, position):
            position = match.end()
            if self._has_sign("(", position):
                position = self._scan.pairs.get(position, position) + 1
        return position

    def _declared_by(self, match: re.Match[str]) -> Declaration | None:
        name = next(filter(None, map(match.group, _NAMES)), "")
        head = _Head(name, match["modifiers"], match.start("modifiers"))
        is_default = "default" in head.modifiers
        if match["function"]:
            return self._add_parameters(head, match.end(), arrow=False)
        if self._has_parameters(match.end()) and (match["mname"] or is_default):
            nameless = is_default and name in ("", "async")
            named = head._replace(name="default") if nameless else head
            return self._add_parameters(named, match.end(), arrow=nameless)
        value = self._value(match.end(), is_type=match["tname"] is not None) if name else None
        return self._function_value(head, value) if value is not None else None

    def _value(self, at: int, *, is_type: bool) -> int | None:
        """Return the position of the value of a binding, after its type."""
        if is_type and self._has_sign("<", at):
            at = self._skip_type_parameters(at)
        sign = self._text[at : at + 2]
        if sign.startswith("=") and sign not in ("==", "=>"):
            return at + 1
        return self._typed_value(at + 1) if sign.startswith(":") else None

    def _skip_type_parameters(self, at: int) -> int:
        at = skip_type_arguments(self._scan, at, len(self._text)) or at
        near = self._text[at : at + _MOST_SPACE]
        return at + len(near) - len(near.lstrip())

    def _typed_value(self, at: int) -> int | None:
        """Return the position of a function type, or of the value after another type."""
        if _EXPRESSION.match(self._text, at) and self._function_value(_Head("", "", at), at):
            return at
        end = type_end(self._scan, at, arrow=False)
        return end + 1 if self._has_sign("=", end) else None

    def _function_value(self, head: _Head, at: int) -> Declaration | None:
        """Return a function expression, an arrow function or a function type at a position, also wrapped in
        ``memo``.
        """
        wrapper = _WRAPPER.match(self._text, at)
        at = wrapper.end() if wrapper else at
        lone = _LONE.match(self._text, at)
        if lone is not None and lone[1] not in ("async", "function"):
            return self._arrow(head, (DeclaredParameter(lone[1], lone.start(1)),), lone.end())
        opening = _EXPRESSION.match(self._text, at)
        if opening is None:
            return None
        return self._add_parameters(head, opening.end(), arrow=not opening["function"])

    def _add_parameters(self, head: _Head, at: int, *, arrow: bool) -> Declaration | None:
        """Return the function whose type parameters or parameters start at a position."""
        if self._has_sign("<", at):
            at = skip_type_arguments(self._scan, at, len(self._text)) or at
        at = self._skip_whitespace(at)
        close = self._scan.pairs.get(at) if self._has_sign("(", at) else None
        if close is None:
            return None
        after = self._skip_whitespace(close + 1)
        typed = self._has_sign(":", after)
        if typed:
            after = self._skip_whitespace(type_end(self._scan, after + 1, arrow=arrow))
        parameters = declared_parameters(self._scan, at + 1, close)
        if arrow:
            return self._arrow(head, parameters, after + 2) if self._has_sign("=>", after) else None
        if self._has_sign("{", after):
            return self._add_body(head, parameters, after)
        return Declaration(*head, after, parameters, None) if typed else None

    def _add_body(
        self, head: _Head, parameters: tuple[DeclaredParameter, ...], body: int
    ) -> Declaration | None:
        close = self._scan.pairs.get(body)
        return Declaration(*head, close + 1, parameters, body) if close is not None else None

    def _arrow(self, head: _Head, parameters: tuple[DeclaredParameter, ...], at: int) -> Declaration:
        body, end = self._arrow_body(at)
        return Declaration(*head, end, parameters, body)

    def _arrow_body(self, at: int) -> tuple[int, int]:
        """Return the (start, end) of the body of an arrow function."""
        at = self._skip_whitespace(at)
        if self._has_sign("{", at) and at in self._scan.pairs:
            return at, self._scan.pairs[at] + 1
        return at, self._expression_end(at)

    def _expression_end(self, at: int) -> int:
        while match := _EXPRESSION_END.search(self._text, at):
            at = match.end()
            if match[0] in "([{":
                at = self._scan.pairs.get(match.start(), match.start()) + 1
            elif match[0] != "\n" or not _CONTINUES.match(self._text, at):
                return match.start()
        return len(self._text)

    def _has_sign(self, sign: str, at: int) -> bool:
        return self._text.startswith(sign, at)

    def _has_parameters(self, at: int) -> bool:
        return self._has_sign("(", at) or self._has_sign("<", at)

    def _skip_whitespace(self, at: int) -> int:
        while self._text[at : at + 1].isspace():
            at += 1
        return at
