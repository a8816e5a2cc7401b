"""Tests for the defects that oxlint's codes about hooks are named after."""

from __future__ import annotations

import re

from msgspec.structs import replace

from wardround.findings import RawFinding, Severity
from wardround_typescript.tools.linted_file import IN_TESTS, LintedFile, rest_of_line

_IMPORTS_USE = r"\bimport\b[^;\"'`]{0,500}[\s{,]use\s*[,}]"
_OWN_EFFECT_EVENT = (
    r"[\s{,]useEffectEvent\b[^;\"'`]{0,500}\bfrom\s*['\"](?!react['\"])"
    r"|\b(?:function|const)\s+useEffectEvent\b"
)
_PREFIXED_HOOK = r'in function "\w*_use[A-Z]\w*"'
HOOK_CODES = ("react-hooks/rules-of-hooks", "react/rules-of-hooks")


def is_hook_of_react(result: RawFinding, file: LintedFile) -> bool:
    """Return False in an anonymous function, which stories use as a component; ``use`` only if imported.

    A hook whose name has a prefix is a hook; a test's replacement for one is not.
    ``React.useEffectEvent?.(...)`` is passed to nothing: oxlint does not expect the optional call there.
    """
    if is_effect_event_of_project(result, file):
        return False
    if 'in function "Anonymous"' in result.message or re.search(_PREFIXED_HOOK, result.message):
        return False
    if "cannot be passed down" in result.message and _is_optional_call(result, file):
        return False
    if "at the top level" in result.message and _is_mocked(file):
        return False
    return 'Hook "use"' not in result.message or file.contains(_IMPORTS_USE)


def is_effect_event_of_project(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a project's own ``useEffectEvent``: its functions may be passed on, unlike React's."""
    return "useEffectEvent" in result.message and file.contains(_OWN_EFFECT_EVENT)


def _is_optional_call(result: RawFinding, file: LintedFile) -> bool:
    """Return True for ``hook?.(...)`` that is a statement or the value of a variable."""
    before = file.lines[result.span.line - 1][: result.span.column - 1]
    return re.match(r"[\w$.]+\?\.\(", rest_of_line(result, file)) is not None and (
        re.fullmatch(r"\s*(?:(?:const|let|var)\s+[\w$]+\s*=\s*)?", before) is not None
    )


def _is_mocked(file: LintedFile) -> bool:
    """Return True for a test that replaces modules."""
    return re.search(IN_TESTS, file.path) is not None and file.contains(r"\b(?:vi|jest)\.(?:do)?[mM]ock\(")


def lower_severity(result: RawFinding) -> RawFinding:
    """Lower the severity of a hook in a function that is neither a component nor a hook."""
    if result.code in HOOK_CODES and "neither a React function component" in result.message:
        return replace(result, severity=Severity.WARN)
    return result
