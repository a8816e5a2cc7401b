from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView, ChangeView
from wardround.findings import Severity, Span
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_tests.changes.before_after import Versions, is_asserted_by_new, is_moved_to, is_replaced
from wardround_tests.changes.expectation_markers import lost_marks
from wardround_tests.changes.line_diff import added_lines, nearest_head_line, removed_lines, span_of_line
from wardround_tests.changes.production_changes import Production
from wardround_tests.changes.test_regressions import Loss, TestLoss, losses, other_literal
from wardround_tests.file_kinds import concerns_tests, is_production, is_test
from wardround_tests.models.assertions import LOOSE, TestedCase

_TELLING = (
    r"assert|expect|raises|warns|approx|should|verify|check|tol\b|parametrize|"
    r"\b(def test|it|test|describe)\b|^\s*([\[({'\"`$\d]|-\d|pytest\.param)"
)
"""Lines that assert, begin a test or hold data; a string, compiled only where tests changed."""
_ASSERTS = r"\bassert|\bexpect\b|\braises\("
_SKIPPING = ("skip", "xfail", "xit(", "xtest(", "xdescribe(", "expectedFailure")
_MOST = 3
"""Maximum number of losses reported in one test."""


class WeakenedTest(ChangeCheck):
    """A test asserts less than before, in the change it should verify.

    An assertion, a parameter set or a test is removed, is weaker, allows a larger error, expects another
    value or is skipped; or a sample file loses an expectation comment. If the code is correct, the test does
    not need to change; if the requirement changed, the test should assert the new behaviour.
    """

    ID = "TE203"
    NAME = "weakened-test"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    PATHS = ("test", "spec", "t/", ".cy.", ".e2e.")
    VALID = [
        change(
            {
                "shop.py": (
                    """
                    def total(xs): return sum(xs)
                    """,
                    """
                    def total(xs): return 0
                    """,
                ),
                "test_shop.py": (
                    """
                    from shop import total
                    def test_total():
                        assert total([1]) == 1
                    """,
                    """
                    from shop import total
                    def test_total():
                        assert total([1]) == 1
                        assert total([]) == 0
                    """,
                ),
            },
        ),
        change(
            {
                "test_shop.py": (
                    """
                    from shop import total
                    def test_total():
                        assert total([1]) == 1
                    """,
                    """
                    from shop import total
                    def test_total():
                        assert total([1]) == 0
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop.ts": (
                    """
                    export const total = 1
                    """,
                    """
                    export const total = 2
                    """,
                ),
                "shop.test.ts": (
                    """
                    it('adds', () => {
                      expect(total).toEqual({ a: 1, b: 2 })
                    })
                    """,
                    """
                    it('adds', () => {
                      «expect(total).toMatchObject({ a: 1 })»
                    })
                    """,
                ),
            },
        ),
        change(
            {
                "shop.py": (
                    """
                    def total(xs): return sum(xs)
                    """,
                    """
                    def total(xs): return 0
                    """,
                ),
                "test_shop.py": (
                    """
                    from shop import total
                    def test_none():
                        with pytest.raises(ShopError, match='none'):
                            total(None)
                    """,
                    """
                    from shop import total
                    def test_none():
                        «with pytest.raises(Exception):»
                            total(None)
                    """,
                ),
            },
        ),
    ]

    def __init__(self, change: ChangeView) -> None:
        super().__init__(change)
        self._code = Production.of(change)
        self._read: dict[str, Versions | None] = {}

    def run(self) -> None:
        for file in self.change.files:
            if file.base_path is None or is_production(file.path):
                continue
            if concerns_tests(file.path) and file.text is not None:
                self._check_markers(file)
            if is_test(file.path) and (file.text is None or _may_be_weaker(file)):
                versions = self._versions(file)
                if versions is not None:
                    self._check_existing(versions)
                    self._check_removed(versions)

    # Tests that still exist

    def _check_existing(self, versions: Versions) -> None:
        elsewhere = _moved_assertions(versions)
        reported: set[Span] = set()
        for case in (case for case in versions.after.values() if case.name in versions.before):
            before = versions.before[case.name]
            for lost in _reportable(losses(before, case, elsewhere)):
                span = _span_of(lost, case, versions.file)
                if span not in reported and not self._is_justified(lost, before, case, versions):
                    reported.add(span)
                    severity = Severity.INFO if self._is_intended(lost, versions) else None
                    self.report(versions.file.path, span, lost.message, severity)
        self._check_literals(versions, reported)

    def _is_justified(
        self, lost: TestLoss, before: TestedCase, after: TestedCase, versions: Versions
    ) -> bool:
        """Return True if a new test has the assertion, or its subject was removed."""
        if lost.kind is Loss.GONE and is_asserted_by_new(lost.assertion, versions):
            return True
        return self._subject_is_removed(lost, before, after)

    def _subject_is_removed(self, lost: TestLoss, before: TestedCase, after: TestedCase) -> bool:
        """Return True if the subject of a removed assertion was removed from the code."""
        if lost.kind not in (Loss.GONE, Loss.FEWER):
            return False
        remaining = set(map(str.strip, after.source.split("\n")))
        removed = [line for line in before.source.split("\n") if line.strip() not in remaining]
        return self._code.is_withdrawn("\n".join([lost.assertion, *removed]))

    def _is_intended(self, lost: TestLoss, versions: Versions) -> bool:
        if lost.is_a_note or not lost.is_telling or not self._code.files:
            return True
        match lost.kind:
            case Loss.FEWER if any(name not in versions.before for name in versions.after):
                return True
            case Loss.GONE if lost.is_with_steps or _asserts_no_less(versions.file):
                return True
        return self._code.is_withdrawn(lost.assertion)

    def _check_literals(self, versions: Versions, reported: set[Span]) -> None:
        """Report tests that expect another value of changed code: one note for each file."""
        found = []
        for case in versions.changed:
            previous = versions.before.get(case.name)
            is_new = previous is not None and _changed_span(versions.file, case) not in reported
            name = self._code.modified_in(case.source) if is_new else ""
            other = other_literal(previous, case) if previous is not None and name else None
            if other is not None and not self._code.replaces(_inner(other.was), _inner(other.now)):
                found.append((case, name, other))
        for case, name, other in found[:1]:
            more = f" and {len(found) - 1} more in this file" if len(found) > 1 else ""
            values = f"{_short(other.now)} instead of {_short(other.was)}"
            text = f'"{case.name}"{more} expects {values} while "{name}" changes; confirm the new value'
            self.report(versions.file.path, _changed_span(versions.file, case), text, Severity.INFO)

    # Removed tests

    def _check_removed(self, versions: Versions) -> None:
        removed = [case for case in versions.removed if self._is_lost(case, versions)]
        if not removed:
            return
        subjects = [self._code.modified_in(case.source) for case in removed]
        subject = next(filter(None, subjects), "")
        if subject and is_replaced(removed, versions, subject):
            return
        first, severity = removed[subjects.index(subject)], self._severity_without(subject)
        number = f" and {len(removed) - 1} more are" if len(removed) > 1 else " is"
        reason = "and no test of the change replaces it"
        if subject:
            reason = f'while "{subject}", which it tests, changes'
        text = f'"{first.name}"{number} deleted, {reason}'
        self._report_removed(first, subject, text, severity, versions.file)

    def _severity_without(self, subject: str) -> Severity | None:
        """Return the severity of a deleted test: lower if its subject does not change, or only lost code."""
        return Severity.INFO if not subject or self._code.shrank(subject) else None

    def _report_removed(
        self, case: TestedCase, subject: str, text: str, severity: Severity | None, file: ChangedFileView
    ) -> None:
        """Report a removed test at its former position, or at its subject if the file is deleted."""
        if file.text:
            span = span_of_line(file, nearest_head_line(file, case.span.line))
            self.report(file.path, span, text, severity)
        elif subject:
            there, line = self._code.modified[subject]
            self.report(there.path, span_of_line(there, line), text, severity)

    def _is_lost(self, case: TestedCase, versions: Versions) -> bool:
        """Return True if a removed test asserted something and neither moved nor lost its subject."""
        if case.skip or "eprecat" in case.source:
            return False
        if all(assertion.strength <= LOOSE for assertion in case.assertions):
            return False
        is_python = versions.file.path.endswith(".py")
        title = case.name.rpartition(".")[2] if is_python else case.name
        if title in (versions.file.text or "") or self._code.is_withdrawn(case.source, title):
            return False
        return not any(is_moved_to(case, other) for other in self._other_tests)

    @cached_property
    def _other_tests(self) -> list[TestedCase]:
        """Every new or changed test of the change."""
        tests: list[TestedCase] = []
        for file in self.change.files:
            versions = self._versions(file) if is_test(file.path) and file.text is not None else None
            if versions is not None:
                tests += versions.changed
        return tests

    def _versions(self, file: ChangedFileView) -> Versions | None:
        if file.path not in self._read:
            self._read[file.path] = Versions.of(file)
        return self._read[file.path]

    # Samples

    def _check_markers(self, file: ChangedFileView) -> None:
        lost = list(lost_marks(file))
        for loss in lost[:1]:
            more = f" and {len(lost) - 1} more in this file" if len(lost) > 1 else ""
            text = f"expectation is removed from this line: {_short(loss.mark)}{more}"
            is_note = loss.is_turned or not any(is_production(f.path) for f in self.change.files)
            self.report(file.path, span_of_line(file, loss.line), text, Severity.INFO if is_note else None)


def _reportable(lost: Iterable[TestLoss]) -> Iterator[TestLoss]:
    """Yield the reported losses of a test: the first, and all weaker assertions and larger tolerances."""
    for number, loss in enumerate(lost):
        if number == 0 or (loss.line and number < _MOST):
            yield loss


def _span_of(lost: TestLoss, case: TestedCase, file: ChangedFileView) -> Span:
    if lost.kind is Loss.SKIPPED:
        return case.skip_span
    is_own = bool(lost.line) and "\n" in case.source and file.is_added(lost.line)
    return span_of_line(file, lost.line) if is_own else _changed_span(file, case)


def _may_be_weaker(file: ChangedFileView) -> bool:
    """Return True if removed lines may have asserted something, or added lines may skip tests."""
    head, base = file.text or "", file.base_text or ""
    if any(re.search(_TELLING, line) for line in removed_lines(file)):
        return True
    return any(head.count(word) > base.count(word) for word in _SKIPPING)


def _moved_assertions(versions: Versions) -> Counter[str]:
    """Return how often the new version has each assertion of changed tests more than the old one."""
    counts = Counter(a.text for case in versions.changed for a in case.assertions)
    after = versions.after
    for name, case in versions.before.items():
        if name not in after or after[name].source != case.source:
            counts.subtract(a.text for a in case.assertions)
    return counts


def _changed_span(file: ChangedFileView, case: TestedCase) -> Span:
    """Return the span of the first added line of a test, else of its parameters, else its name."""
    lines, first = file.lines, case.span.line
    inside = range(first + 1, min(first + case.source.count("\n"), len(lines)) + 1)
    added = [number for number in inside if file.is_added(number) and lines[number - 1].strip()]
    asserting = [number for number in added if re.search(_ASSERTS, lines[number - 1])]
    if added:
        return span_of_line(file, (asserting or added)[0])
    number = _first_added_parameter(file, lines, first) if case.parameters else None
    return case.span if number is None else span_of_line(file, number)


def _first_added_parameter(file: ChangedFileView, lines: Sequence[str], first: int) -> int | None:
    """Return the first added line of the parameters above a test."""
    number, above = None, first - 1
    while above > 0 and re.match(r"\s*(@|[\])}(\[{,'\"#\d]|\w+[,=]|\w+\()", lines[above - 1]):
        number = above if file.is_added(above) else number
        above -= 1
    return number


def _asserts_no_less(file: ChangedFileView) -> bool:
    """Return True if at least as many asserting lines were added as removed: they may have moved."""
    removed = sum(re.search(_ASSERTS, line) is not None for line in removed_lines(file))
    return sum(re.search(_ASSERTS, line) is not None for _, line in added_lines(file)) >= removed


def _inner(literal: str) -> str:
    """Return the content of a string literal."""
    return literal.strip("\"'`")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
