"""Findings of oxlint that are wrong in their file, and the position of the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from wardround.findings import Plane, RawFinding, Span
from wardround.rules.tool_map import load_tool_map
from wardround.storage.regex_cache import bounded_pattern
from wardround.tools.parsing import map_of
from wardround_typescript.tools.linted_file import LONGEST_EFFECT, LintedFile
from wardround_typescript.tools.oxlint_exact import EXACT, Exact
from wardround_typescript.tools.oxlint_hooks import is_effect_event_of_project, lower_severity
from wardround_typescript.tools.oxlint_of_tests import OF_TESTS

_QUOTED_NAME = r"'([^']+)'"
_REPORTED_HOOK = r"^React Hook (?:React\.)?(\w+)"
_LONGEST_CHAIN = 4
"""Length of a chain of constants computed from listed dependencies."""
_LISTED = r"(?<![\w.$])([A-Za-z_$][\w$]*)(?![\w$]*\s*[.?(\[])"
_ROUTER = r"\brouter\.(?:isReady|query|pathname|asPath)\b"
_SETTER = r"\[\s*[\w$]*\s*,\s*([\w$]+)\s*\]\s*=\s*(?:React\.)?use(?:State|Reducer)\b"
_REF = r"[rR]ef(?:\.current)?$|\.current$"
_SMOKE = (
    r"(?i)without (?:crash|throw|error|fail)\w*|(?:does|do|should|must)(?: not|n't) (?:crash|throw|fail)"
    r"|smoke"
)
"""Names of tests that assert by running to their end."""
_TYPE_TESTS = (".test-d.ts", ".test-d.tsx", ".spec-d.ts", ".spec-d.tsx")
"""Suffixes of files that the compiler only checks."""
_UNUSED_FUNCTION = r"^Function '[^']+' is declared but never used"
_MODULE = r"(?m)^\s*(?:import|export)\b|\brequire\(|\bmodule\.exports\b"
_REACT_FAMILIES = ("react", "react-hooks", "react-perf")


def sensible(findings: Sequence[RawFinding], linted: Callable[[str], LintedFile]) -> list[RawFinding]:
    """Drop the findings that do not apply to their file, and adjust the severity and position of others."""
    applicable = [
        finding
        for finding in _drop_other_framework(findings, linted)
        if _is_sensible(finding, linted(finding.file))
    ]
    return [
        _move_to_stale_read(lower_severity(finding), linted)
        for finding in _merge_unreachable(applicable, linted)
    ]


def _drop_other_framework(
    findings: Sequence[RawFinding], linted: Callable[[str], LintedFile]
) -> list[RawFinding]:
    """Drop the findings of jest's or vitest's rules for files that import the other framework."""
    jest = {(r.file, r.span, r.code.partition("/")[2]) for r in findings if r.code.startswith("jest/")}

    def belongs_to_framework(result: RawFinding) -> bool:
        framework, _, code = result.code.partition("/")
        if framework not in ("jest", "vitest"):
            return True
        imported = linted(result.file).test_framework
        if imported is not None:
            return framework == imported
        return framework == "jest" or (result.file, result.span, code) not in jest

    return [result for result in findings if belongs_to_framework(result)]


def _is_about_style_or_slips(result: RawFinding) -> bool:
    """Return False for syntax errors and for security, which a mark in the file must not hide."""
    return result.code != "syntax-error" and load_tool_map("oxlint").rule(result.code).plane != Plane.SECURITY


def _is_sensible(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a finding that applies to the kind and the framework of its file."""
    if _is_of_other_kind(result, file):
        return False
    decide = _BY_CODE.get(result.code) or _BY_NAME.get(result.code.rpartition("/")[2])
    if decide is not None:
        return decide(result, file)
    if result.code == "no-unused-vars" and _is_global(result, file):
        return False
    if result.explicitly_enabled:
        return True  # the project sets the rule to error, so it applies as oxlint has it
    return _is_exact(result, file) and _is_of_our_selection(result)


def _is_of_other_kind(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a finding about style in a built file, or about React in one of another framework."""
    if file.is_built and _is_about_style_or_slips(result):
        return True
    return result.code.rpartition("/")[0] in _REACT_FAMILIES and not file.is_of_react


def _is_exact(result: RawFinding, file: LintedFile) -> bool:
    is_exact = EXACT.get(result.code)
    return is_exact is None or is_exact(result, file)


def _is_of_our_selection(result: RawFinding) -> bool:
    content = map_of("oxlint")  # a project may enable a code that the map ignores everywhere
    return result.code in content.ignore or not content.is_ignored(result.code, result.file)


def _is_global(result: RawFinding, file: LintedFile) -> bool:
    """Return True for a top-level function of a classic script, which a host or another script may call."""
    if not re.search(_UNUSED_FUNCTION, result.message) or file.contains(_MODULE):
        return False
    line = file.lines[result.span.line - 1] if result.span.line <= len(file.lines) else ""
    return line.startswith(("function", "async function"))


def _is_unassigned(result: RawFinding, file: LintedFile) -> bool:
    return not file.has_template


def _is_stale_dependency(result: RawFinding, file: LintedFile) -> bool:
    return (
        file.shows_react
        and _is_missing_dependency(result.message)
        and not _follows_another(result, file)
        and not _follows_all(result, file)
        and not is_effect_event_of_project(result, file)
    )


def _is_without_assertion(result: RawFinding, file: LintedFile) -> bool:
    """Return False for a test whose name states that nothing is thrown, and for tests of types."""
    if file.path.endswith(_TYPE_TESTS):
        return False
    is_smoke = re.search(_SMOKE, file.lines[result.span.line - 1]) is not None
    return not is_smoke and not file.calls_asserting(result.span.line)


def _is_missing_dependency(message: str) -> bool:
    """Return True if a dependency other than a ref is missing; extra ones only run the effect more often."""
    if "unnecessary depend" in message:
        return False
    names = re.findall(_QUOTED_NAME, message.partition("missing depend")[2])
    return not names or not all(re.search(_REF, name) for name in names)


def _follows_another(result: RawFinding, file: LintedFile) -> bool:
    """Return True if all missing dependencies are properties of listed ones, with which they change."""
    names = re.findall(_QUOTED_NAME, result.message.partition("missing depend")[2])
    listed = re.findall(r"(?<![\w.])[A-Za-z_$][\w$]*", file.lines[result.span.line - 1].rpartition("[")[2])
    created = "|".join(map(re.escape, listed))
    return bool(names and listed) and all(
        file.contains(
            rf"(?m)^\s*const {re.escape(name)} = (?:\w+\()?(?:{created})\??\.\w+[\w\s|?.'\"-]*\)?;?$"
        )
        for name in names
    )


def _follows_all(result: RawFinding, file: LintedFile) -> bool:
    """Return True if all missing dependencies are computed only from listed dependencies and constants.

    The router of Next.js is always the same object: listing one of its properties counts as listing the
    router.
    """
    names = set(re.findall(_QUOTED_NAME, result.message.partition("missing depend")[2]))
    listed = file.lines[result.span.line - 1].rpartition("[")[2].partition("]")[0]
    settled = {*re.findall(_LISTED, listed)} | ({"router"} if re.search(_ROUTER, listed) else set())
    if not names or not settled:
        return False
    settled.update(bounded_pattern(_SETTER).findall(file.text))
    for _ in range(_LONGEST_CHAIN):
        settled.update(name for name, read in file.local_dependencies.items() if read <= settled)
    return names <= settled


def _move_to_stale_read(result: RawFinding, linted: Callable[[str], LintedFile]) -> RawFinding:
    """Move a missing dependency from the list to the read of its stale value, which may be far above."""
    hook = re.search(_REPORTED_HOOK, result.message)
    if result.code != "react-hooks/exhaustive-deps" or hook is None:
        return result
    lines = linted(result.file).lines
    end = result.span.line - 1
    start = next(
        (at for at in range(end, max(end - LONGEST_EFFECT, -1), -1) if f"{hook[1]}(" in lines[at]), None
    )
    names = "|".join(map(re.escape, re.findall(_QUOTED_NAME, result.message.partition("missing depend")[2])))
    if start is None or not names:
        return result
    for at in range(start, end + (start == end)):
        head = lines[at].partition(f"{hook[1]}(") if at == start else ("", "", lines[at])
        read = re.search(rf"(?<![\w$.'\"/])(?:{names})(?![\w$'\"]|\s*:)", head[2].partition("//")[0])
        if read is not None:
            column = len(head[0]) + len(head[1]) + read.start() + 1
            return replace(result, span=Span(at + 1, column, at + 1, column + len(read[0])))
    return result


def _merge_unreachable(
    findings: Sequence[RawFinding], linted: Callable[[str], LintedFile]
) -> Iterator[RawFinding]:
    """Report consecutive unreachable statements once."""
    last: RawFinding | None = None
    for result in findings:
        if result.code != "no-unreachable":
            yield result
            continue
        if last is None or not _is_adjacent(last, result, linted):
            yield result
        last = result


def _is_adjacent(before: RawFinding, after: RawFinding, linted: Callable[[str], LintedFile]) -> bool:
    """Return True if only whitespace separates two findings of one file."""
    if before.file != after.file or before.span.end > after.span.start:
        return False
    between = linted(before.file).lines[before.span.end_line - 1 : after.span.line]
    between[-1] = between[-1][: after.span.column - 1]
    between[0] = between[0][before.span.end_column - 1 :]
    return not any(line.strip("; \t\r") for line in between)


_BY_CODE: Mapping[str, Exact] = {
    "no-unassigned-vars": _is_unassigned,
    "react-hooks/exhaustive-deps": _is_stale_dependency,
}
_BY_NAME: Mapping[str, Exact] = {"expect-expect": _is_without_assertion, **OF_TESTS}
