"""Codes of jest and vitest that are wrong about valid tests, and tests for the defect."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from wardround.findings import RawFinding
from wardround_typescript.tools.linted_file import LintedFile

_NAME = r"[A-Za-z_$][\w$]*"
_TITLE_OF_NAME = (
    r"\(?\s*(?!(?:true|false|null|undefined|function|async|class|new)\b)[A-Za-z_$][\w$.]*\s*[,)(]"
)
_STORED = r"\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*$"


def _is_without_body(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a function that is passed by name; its declaration may follow."""
    if "must be a function" not in result.message:
        return True
    callback = re.match(_NAME, file.lines[result.span.line - 1][result.span.column - 1 :])
    if callback is None:
        return True
    name = re.escape(callback[0])
    return not file.contains(rf"\bfunction\s+{name}\b|\b{name}\s*=\s*(?:async\s*)?(?:function\b|\()")


def _is_without_effect(result: RawFinding, file: LintedFile) -> bool:
    """Return False for the order among other calls: jest reads the timeout when a test runs."""
    return "before any other" not in result.message


def _is_without_title(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a title in a variable, such as a parameter of a table of cases."""
    if "must be a string" not in result.message:
        return True
    line = file.lines[result.span.line - 1]
    return re.match(_TITLE_OF_NAME, line[result.span.column - 1 :]) is None


def _is_invalid_expect(result: RawFinding, file: LintedFile) -> bool:
    """Return False for other assertion libraries, an awaited variable, and the second argument of vitest."""
    return (
        "unknown modifier" not in result.message
        and "at most 1 argument" not in result.message
        and not file.asserts_by_properties
        and not _is_awaited_later(result, file)
    )


def _is_of_promise(result: RawFinding, file: LintedFile) -> bool:
    """Return False for Cypress, whose commands are a queue that the runner waits for."""
    return not file.asserts_by_properties


def _is_awaited_later(result: RawFinding, file: LintedFile) -> bool:
    """Return True for an assertion in a variable that a later line awaits."""
    line = file.lines[result.span.line - 1]
    stored = re.search(_STORED, line[: result.span.column - 1])
    if "must be awaited" not in result.message or stored is None:
        return False
    rest = "\n".join(file.lines[result.span.line :])
    return (
        re.search(rf"\bawait\s+(?:Promise\.all\w*\(\s*\[[^\]]*)?\b{re.escape(stored[1])}\b", rest) is not None
    )


OF_TESTS: Mapping[str, Callable[[RawFinding, LintedFile], bool]] = {
    "no-confusing-set-timeout": _is_without_effect,
    "valid-describe-callback": _is_without_body,
    "valid-expect": _is_invalid_expect,
    "valid-expect-in-promise": _is_of_promise,
    "valid-title": _is_without_title,
}
"""By the name of the code, which both frameworks share."""
