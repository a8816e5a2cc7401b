"""TE203."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import change
from wardround.checks.source import ChangedFileView, ChangeView
from wardround.findings import Severity, Span
from wardround_tests.changes.before_after import Versions, is_asked_by_new, is_in, is_replaced
from wardround_tests.changes.expectation_markers import lost_marks
from wardround_tests.changes.line_diff import added_lines, line_left_by, removed_lines, span_of_line
from wardround_tests.changes.production_changes import Production
from wardround_tests.changes.test_regressions import Loss, Lost, losses, other_literal
from wardround_tests.file_kinds import has_to_do_with_tests, is_production, is_test
from wardround_tests.models.assertions import LOOSE, TestedCase

_TELLING = (
    r"assert|expect|raises|warns|approx|should|verify|check|tol\b|parametrize|"
    r"\b(def test|it|test|describe)\b|^\s*([\[({'\"`$\d]|-\d|pytest\.param)"
)
"""What is in lines that assert, begin a test or hold data, as a text: compiled only where tests changed."""
_ASSERTS = r"\bassert|\bexpect\b|\braises\("
_SKIPPING = ("skip", "xfail", "xit(", "xtest(", "xdescribe(", "expectedFailure")
_MOST = 3
"""So many places of one test are told."""


class WeakenedTest(ChangeCheck):
    """A test asserts less than before, in the change whose code it judges.

    An assertion, a case or a whole test is gone, asks for less, allows a larger error, expects another value
    or is skipped; or a sample no longer says what is to be found in it. If the code is right, the test can
    say so as before; if what is right has changed, the test should say what is right now.
    """

    ID = "TE203"
    NAME = "weakened-test"
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
            if has_to_do_with_tests(file.path) and file.text is not None:
                self._look_for_marks(file)
            if is_test(file.path) and (file.text is None or _may_be_less(file)):
                versions = self._versions(file)
                if versions is not None:
                    self._compare(versions)
                    self._look_for_gone(versions)

    # What remains of a test

    def _compare(self, versions: Versions) -> None:
        path, before, after = versions.file.path, versions.before, versions.after
        elsewhere = Counter(a.text for case in versions.other for a in case.assertions)
        old = [
            case for name, case in before.items() if name not in after or after[name].source != case.source
        ]
        elsewhere.subtract(a.text for case in old for a in case.assertions)
        said: set[Span] = set()
        for case in (case for case in after.values() if case.name in before):
            for lost in _told(losses(before[case.name], case, elsewhere)):
                if lost.kind is Loss.GONE and is_asked_by_new(lost.assertion, versions):
                    continue
                if self._went_with_its_subject(lost, before[case.name], case):
                    continue
                span = _place_of(lost, case, versions.file)
                if span not in said:
                    said.add(span)
                    severity = Severity.INFO if self._is_meant(lost, versions) else None
                    self.report(path, span, lost.message, severity)
        self._look_for_literals(versions, said)

    def _went_with_its_subject(self, lost: Lost, before: TestedCase, after: TestedCase) -> bool:
        """Return True if what a test no longer asks is about something that the code no longer has."""
        if lost.kind not in (Loss.GONE, Loss.FEWER):
            return False
        kept = set(map(str.strip, after.source.split("\n")))
        gone = [line for line in before.source.split("\n") if line.strip() not in kept]
        return self._code.is_withdrawn("\n".join([lost.assertion, *gone]))

    def _is_meant(self, lost: Lost, versions: Versions) -> bool:
        if lost.is_a_note or not lost.is_telling or not self._code.files:
            return True
        if lost.kind is Loss.FEWER and any(name not in versions.before for name in versions.after):
            return True
        if lost.kind is Loss.GONE and (lost.is_with_steps or _asserts_no_less(versions.file)):
            return True
        return self._code.is_withdrawn(lost.assertion)

    def _look_for_literals(self, versions: Versions, said: set[Span]) -> None:
        """Tests that expect another value of code that the change touches: one note for all in a file."""
        found = []
        for case in versions.other:
            was = versions.before.get(case.name)
            is_new = was is not None and _changed_place(versions.file, case) not in said
            name = self._code.touched_in(case.source) if is_new else ""
            other = other_literal(was, case) if was is not None and name else None
            if other is not None and not self._code.replaces(_inner(other.was), _inner(other.now)):
                found.append((case, name, other))
        for case, name, other in found[:1]:
            more = f", and {len(found) - 1} more here" if len(found) > 1 else ""
            values = f"{_short(other.now)} now, before {_short(other.was)}"
            text = f'"{case.name}"{more} expects {values}, as "{name}" changes'
            self.report(versions.file.path, _changed_place(versions.file, case), text, Severity.INFO)

    # Tests that are gone

    def _look_for_gone(self, versions: Versions) -> None:
        gone = [case for case in versions.gone if self._is_missed(case, versions)]
        if not gone:
            return
        of = next((name for case in gone if (name := self._code.touched_in(case.source))), "")
        if of and is_replaced(gone, versions, of):
            return
        first = next(case for case in gone if not of or self._code.touched_in(case.source) == of)
        more = f" and {len(gone) - 1} more are" if len(gone) > 1 else " is"
        why = f'while "{of}" changes, which it tests' if of else "and no other test of the change is like it"
        text, file = f'"{first.name}"{more} deleted, {why}', versions.file
        severity = None if of and not self._code.shrank(of) else Severity.INFO
        if file.text:
            span = span_of_line(file, line_left_by(file, first.span.line))
            self.report(file.path, span, text, severity)
        elif of:
            there, line = self._code.touched[of]
            self.report(there.path, span_of_line(there, line), text, severity)

    def _is_missed(self, case: TestedCase, versions: Versions) -> bool:
        """Return True if a test is gone that asserted something, and neither moved nor its subject withdrawn."""
        if not any(a.strength > LOOSE for a in case.assertions) or "eprecat" in case.source or case.skip:
            return False
        title = case.name.rpartition(".")[2] if versions.file.path.endswith(".py") else case.name
        if title in (versions.file.text or "") or self._code.is_withdrawn(case.source, title):
            return False
        return not any(is_in(case, other) for other in self._other_tests)

    @cached_property
    def _other_tests(self) -> list[TestedCase]:
        """Every test of the change that is new or changed."""
        files = [f for f in self.change.files if is_test(f.path) and f.text is not None]
        found = [self._versions(file) for file in files]
        return [case for versions in found if versions is not None for case in versions.other]

    def _versions(self, file: ChangedFileView) -> Versions | None:
        if file.path not in self._read:
            self._read[file.path] = Versions.of(file)
        return self._read[file.path]

    # Samples

    def _look_for_marks(self, file: ChangedFileView) -> None:
        lost = list(lost_marks(file))
        for one in lost[:1]:
            more = f", and {len(lost) - 1} more in this file" if len(lost) > 1 else ""
            text = f"this line is no longer expected to give what it did: {_short(one.mark)}{more}"
            is_note = one.is_turned or not any(is_production(f.path) for f in self.change.files)
            self.report(file.path, span_of_line(file, one.line), text, Severity.INFO if is_note else None)


def _told(lost: Iterable[Lost]) -> Iterator[Lost]:
    """What is told of a test: what it lost first, and all that became looser or wider beside it."""
    for number, one in enumerate(lost):
        if number == 0 or (one.line and number < _MOST):
            yield one


def _place_of(lost: Lost, case: TestedCase, file: ChangedFileView) -> Span:
    if lost.kind is Loss.SKIPPED:
        return case.skip_span
    is_own = bool(lost.line) and "\n" in case.source and file.is_added(lost.line)
    return span_of_line(file, lost.line) if is_own else _changed_place(file, case)


def _may_be_less(file: ChangedFileView) -> bool:
    """Return True if lines are gone that may have made a test stronger, or came that may keep it from running."""
    head, base = file.text or "", file.base_text or ""
    if any(re.search(_TELLING, line) for line in removed_lines(file)):
        return True
    return any(head.count(word) > base.count(word) for word in _SKIPPING)


def _changed_place(file: ChangedFileView, case: TestedCase) -> Span:
    """The line of a test, or else of its parameters, that the change brought; its name where none is."""
    lines, first = (file.text or "").split("\n"), case.span.line
    inside = range(first + 1, first + case.source.count("\n") + 1)
    added = [n for n in inside if n <= len(lines) and file.is_added(n) and lines[n - 1].strip()]
    telling = next((n for n in added if re.search(_ASSERTS, lines[n - 1])), next(iter(added), None))
    if telling is None and case.parameters:
        above = first - 1
        while above > 0 and re.match(r"\s*(@|[\])}(\[{,'\"#\d]|\w+[,=]|\w+\()", lines[above - 1]):
            telling = above if file.is_added(above) else telling
            above -= 1
    return case.span if telling is None else span_of_line(file, telling)


def _asserts_no_less(file: ChangedFileView) -> bool:
    """Return True if as many lines that assert came into a file as went: they may have moved to helpers."""
    gone = sum(re.search(_ASSERTS, line) is not None for line in removed_lines(file))
    return sum(re.search(_ASSERTS, line) is not None for _, line in added_lines(file)) >= gone


def _inner(literal: str) -> str:
    """What stands between the quotes of a literal."""
    return literal.strip("\"'`")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
