"""The inference of types by pyright: its command, and the parser of the signatures that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.errors import ToolOutputError
from wardround.tools.parsing import collapse_whitespace, decode_output, relative
from wardround.tools.tool import Invocation
from wardround.tools.type_checker import CheckedFiles, Diagnostic, Signature, TypeChecker
from wardround_python.tools.pyright import PYRIGHT, PyrightOutput, PyrightResult

_REVEALED = re.compile(r'Type of "[^"]*" is "(\(.*)"', re.DOTALL)
_RECEIVER = "wardround_receiver"
_PROPERTY = re.compile(rf'Type of "{_RECEIVER}\.\w+" is "(.*)"', re.DOTALL)
_OPEN, _CLOSE = "([{", ")]}"
_COMPLAINTS = ("error", "warning")


class PyrightInference(TypeChecker):
    """pyright, which infers the results of functions without annotations."""

    tool = PYRIGHT
    suffixes = (".py",)
    strictness = "# pyright: standard"

    def revealing_line(self, function: str, *, is_property: bool) -> str:
        if not is_property:
            return f"reveal_type({function})"
        owner, _, name = function.rpartition(".")
        return f"def _({_RECEIVER}: {owner}): reveal_type({_RECEIVER}.{name})"

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command of a review without its level, which hides revealed types."""
        argv = list(PYRIGHT.command(run))
        level = argv.index("--level")
        return argv[:level] + argv[level + 2 :]

    def parse(self, output: bytes, run: Invocation) -> CheckedFiles:
        answer = decode_output(output, PyrightOutput)
        if answer.summary.files_analyzed < 1:
            raise ToolOutputError("pyright checked no files")
        results = answer.general_diagnostics
        complaints = tuple(_diagnostic(item, run) for item in results if item.severity in _COMPLAINTS)
        return CheckedFiles(complaints, dict(_signatures(results, run)))


def _diagnostic(result: PyrightResult, run: Invocation) -> Diagnostic:
    return Diagnostic(
        relative(result.file, run),
        _line(result),
        result.rule or "syntax",
        collapse_whitespace(result.message),
    )


def _line(result: PyrightResult) -> int:
    return result.range.start.line + 1 if result.range is not None else 1


def _signatures(
    results: Sequence[PyrightResult], run: Invocation
) -> Iterator[tuple[tuple[str, int], Signature]]:
    for result in results:
        signature = _signature(result.message)
        if signature is not None:
            yield (relative(result.file, run), _line(result)), signature


def _signature(message: str) -> Signature | None:
    """Return the signature in the message of a revealing line; that of a property has a result alone."""
    revealed = _PROPERTY.fullmatch(message)
    if revealed is not None:
        return Signature({}, revealed[1])
    revealed = _REVEALED.fullmatch(message)
    return parse_signature(revealed[1]) if revealed is not None else None


def parse_signature(text: str) -> Signature | None:
    """Return the types in a callable type, such as ``(x: int = 0) -> str``; None for any other type."""
    end = _closing_bracket(text)
    if end is None or not text.startswith(" -> ", end + 1):
        return None
    returns = text[end + len(") -> ") :]
    if returns.startswith("(") and _closing_bracket(returns) == len(returns) - 1:
        returns = returns[1:-1]
    parameters = dict(map(_parameter, _split(text[1:end])))
    return Signature({name: kind for name, kind in parameters.items() if kind}, returns)


def _parameter(text: str) -> tuple[str, str]:
    name, _, rest = text.partition(":")
    return name.strip(), _split(rest, "=")[0].strip()


def _closing_bracket(text: str) -> int | None:
    """Return the position of the bracket that closes the first one."""
    return next((position for position, _, depth in _scan(text) if depth == 0), None)


def _split(text: str, separator: str = ",") -> list[str]:
    """Split a text at separators that are neither in brackets nor in quotes."""
    cuts = [position for position, char, depth in _scan(text) if depth == 0 and char == separator]
    starts = [0, *(cut + 1 for cut in cuts)]
    return [text[start:end] for start, end in zip(starts, [*cuts, len(text)], strict=True)]


def _scan(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield the characters outside of quotes with their position and the depth of brackets after them."""
    depth = 0
    quote = ""
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
            continue
        if char in "\"'":
            quote = char
            continue
        depth += (char in _OPEN) - (char in _CLOSE)
        yield position, char, depth


TYPE_CHECKERS: tuple[TypeChecker, ...] = (PyrightInference(),)
