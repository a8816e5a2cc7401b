"""Added lines of test configuration that let more tests pass than before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from wardround.checks.source import ChangedFileView
from wardround.lazy import LazyPattern
from wardround_tests.changes.harness_files import HarnessKind
from wardround_tests.changes.loosening import Loosening, line_of_removed_text, short
from wardround_tests.changes.test_commands import RUNS_TESTS

# Patterns are strings, since compiling them takes longer than a review that does not need them.


class Weakening(msgspec.Struct, frozen=True):
    """A line that, added to a file of some kinds, lets more tests pass than before.

    Attributes:
        in_test_step: applies only in a step or job that runs tests.
    """

    kinds: frozenset[HarnessKind]
    line: str
    effect: str
    in_test_step: bool = False


_SECTION = LazyPattern(r"\s*\[+[\w.\"':*-]+\]+\s*(?:$|#)")
_WEAKENINGS = (
    Weakening(
        frozenset({HarnessKind.SCRIPT}),
        r"\b(forbidOnly|failOnFlakyTests|failOnConsole|restoreMocks|expect\.requireAssertions)\s*:\s*false|"
        r"\ballowOnly\s*:\s*true|\b(errorOnDeprecated|injectGlobals)\s*:\s*false",
        "disables a check that failed tests",
    ),
    Weakening(
        frozenset({HarnessKind.CONFTEST}),
        r"exitstatus\s*=\s*(0|pytest\.ExitCode\.OK)|os\._exit\(0\)|sys\.exit\(0\)|"
        r"(filterwarnings|simplefilter)\(\s*[\"']ignore|addinivalue_line\(\s*[\"']filterwarnings[\"'],\s*[\"']ignore|"
        r"pytest\.skip\([^)]*allow_module_level\s*=\s*True|\.add_marker\(\s*pytest\.mark\.(skip|xfail)",
        "makes tests pass or skips them",
    ),
    Weakening(
        frozenset({HarnessKind.PYTHON}),
        r"^\s*(commands\s*=\s*)?-\s+(python -m )?(pytest|coverage|unittest)\b|"
        r"success_codes\s*=\s*\[[^\]]*[1-9]|^\s*ignore_errors\s*=\s*(true|True|1)",
        "ignores failing tests",
    ),
    Weakening(
        frozenset({HarnessKind.RECIPE}),
        r"^\t-@?\s*(python -m )?(pytest|tox|nox|vitest|jest|(npm|yarn|pnpm) (run )?test)\b|^\s*set \+e\b|"
        r"fail_ci_if_error:\s*false|--no-exit-code|--exit-zero",
        "ignores failing tests",
        in_test_step=True,
    ),
    Weakening(
        frozenset({HarnessKind.COVERAGE}),
        r"^\s*(informational|allow_coverage_offsets|only_pulls)\s*:\s*true|require_ci_to_pass\s*:\s*(no|false)|"
        r"^\s*if_ci_failed\s*:\s*(success|ignore)|^\s*(patch|project)\s*:\s*(off|false|no)\b",
        "accepts lower coverage",
    ),
    Weakening(
        frozenset({HarnessKind.SCRIPT}),
        r"--passWithNoTests|(passWithNoTests|dangerouslyIgnoreUnhandledErrors)\s*:\s*true",
        "excludes tests from the run",
    ),
    Weakening(
        frozenset({HarnessKind.CONFTEST}),
        r"^\s*collect_ignore(_glob)?\b|def pytest_ignore_collect|def pytest_collection_modifyitems|"
        r"def pytest_runtest_(makereport|call|protocol)|def pytest_sessionfinish",
        "changes which tests run or how their outcome is determined",
    ),
    Weakening(
        frozenset({HarnessKind.PYTHON}),
        r"^\s*ignore_outcome\s*=\s*(true|True|1)",
        "ignores failing tests",
    ),
    Weakening(
        frozenset({HarnessKind.RECIPE}),
        r"continue-on-error:\s*true|allow_failure:\s*true|^\s*(- )?if:\s*(\$\{\{\s*)?false\b",
        "lets this test step fail or be skipped without failing the run",
        in_test_step=True,
    ),
    Weakening(
        frozenset({HarnessKind.RECIPE, HarnessKind.SCRIPT, HarnessKind.PYTHON}),
        rf"{RUNS_TESTS}.*(\|\|\s*(true|exit 0|:|echo)|;\s*(true|exit 0))",
        "ignores failing tests",
    ),
)
_THRESHOLD = (
    r"(fail_under|fail-under|cov-fail-under|statements|branches|functions|lines|target|minimum_coverage)"
    r"\W{1,4}(\d+(?:\.\d+)?)"
)


def weakened_lines(
    kind: HarnessKind | None, file: ChangedFileView, added: Sequence[tuple[int, str]], removed: Sequence[str]
) -> Iterator[Loosening]:
    """Yield the weakenings in added lines, and those by removed lines."""
    for weakening in _WEAKENINGS:
        if kind in weakening.kinds:
            yield from _added_weakening(weakening, file, added, removed)
    if kind is HarnessKind.RECIPE:
        yield from _dropped_dependencies(file, added, removed)


def _dropped_dependencies(
    file: ChangedFileView, added: Sequence[tuple[int, str]], removed: Sequence[str]
) -> Iterator[Loosening]:
    """Yield jobs that no longer depend on the tests, and tests that no longer run for pull requests."""
    dependency = _first_match(_WAITS, removed)
    if dependency and not _first_match(_WAITS, [line for _number, line in added]):
        text = f"no longer depends on the test job: {short(dependency)}; review this separately"
        yield Loosening(line_of_removed_text(file, dependency, "needs:"), text)
    trigger = next(filter(re.compile(_ON_PULL).match, removed), None)
    if trigger is not None and _runs_without_pull_requests(file.text or ""):
        text = "tests no longer run for pull requests; review this separately"
        yield Loosening(line_of_removed_text(file, trigger), text)


def _first_match(pattern: str, lines: Sequence[str]) -> str:
    return next((line for line in lines if re.search(pattern, line)), "")


def _runs_without_pull_requests(recipe: str) -> bool:
    return "pull_request" not in recipe and re.search(RUNS_TESTS, recipe) is not None


_WAITS = r"^\s*(needs|dependsOn|requires)\s*:.*\b(unit|integration|e2e)?[-_]?tests?\b"
_ON_PULL = r"^\s*(-\s*)?pull_request\b|^on:.*\bpull_request\b"


def _added_weakening(
    weakening: Weakening, file: ChangedFileView, added: Sequence[tuple[int, str]], removed: Sequence[str]
) -> Iterator[Loosening]:
    before = sum(len(re.findall(weakening.line, line)) for line in removed)
    hits = [
        (n, line)
        for n, line in added
        if re.search(weakening.line, line)
        and not _is_of_type_checker(file, n)
        and not line.lstrip().startswith("#")
        and (not weakening.in_test_step or _is_in_test_step(file, n))
    ]
    if sum(len(re.findall(weakening.line, line)) for _, line in hits) > before:
        number, line = hits[0]
        yield Loosening(number, f"{weakening.effect} in the change under test: {short(line)}")


def _is_of_type_checker(file: ChangedFileView, number: int) -> bool:
    """Return True for a line in a section of mypy's settings, where errors are those of types."""
    sections = [line for line in (file.text or "").split("\n")[:number] if _SECTION.match(line)]
    return bool(sections) and "mypy" in sections[-1]


def _is_in_test_step(file: ChangedFileView, number: int) -> bool:
    """Return True if the list item or mapping that contains a line mentions tests."""
    lines = (file.text or "").split("\n")
    step = lines[_start_of_step(lines, number - 1) : _end_of_step(lines, number - 1)]
    return any(re.search(rf"{RUNS_TESTS}|\btests?\b", line) for line in step)


def _start_of_step(lines: Sequence[str], index: int) -> int:
    """Return the index of the first line of the list item or mapping of a line."""
    depth = _depth(lines[index])
    while index > 0 and not (_is_item(lines[index]) and _depth(lines[index]) <= depth):
        if lines[index].strip() and _depth(lines[index]) < depth:
            break
        index -= 1
    return index


def _end_of_step(lines: Sequence[str], index: int) -> int:
    """Return the index after the last line of the list item or mapping of a line."""
    depth = _depth(lines[index])
    index += 1
    while index < len(lines) and (not lines[index].strip() or _depth(lines[index]) >= depth):
        if _is_item(lines[index]) and _depth(lines[index]) == depth:
            break
        index += 1
    return index


def _is_item(line: str) -> bool:
    return line.lstrip().startswith("- ")


def _depth(line: str) -> int:
    """Return the indentation of a line's content, without the marker of a list item."""
    return len(line) - len(re.sub(r"^\s*(- +)?", "", line))


def lowered_thresholds(added: Sequence[tuple[int, str]], removed: Sequence[str]) -> Iterator[Loosening]:
    before = {match[1]: float(match[2]) for line in removed for match in re.finditer(_THRESHOLD, line)}
    for number, line in added:
        for match in re.finditer(_THRESHOLD, line):
            previous = before.get(match[1])
            if previous is not None and float(match[2]) < previous:
                text = (
                    f"{match[1]} is lowered from {previous:g} to {match[2]} together with the code under test"
                )
                yield Loosening(number, text)
