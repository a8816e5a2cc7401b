"""Running the cases a rule carries, for authors of plugins and for wardround itself::

    import pytest
    from wardround.host import load
    from wardround.testing import invalid_cases, places


    @pytest.mark.parametrize(("specialist", "check", "case"), invalid_cases(load().specialists))
    def test_check_reports(specialist, check, case):
        assert places(specialist, check, case) == [(case.line, case.column)]

``valid_cases`` must bring no places at all.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from wardround.checks.base import ChangeCheck, Check
from wardround.checks.cases import ChangeCase, Invalid, Valid
from wardround.checks.source import ChangedFileView, ChangeView, InMemoryRepository, SourceFile
from wardround.findings import RawFinding
from wardround.specialists import Specialist


def results(specialist: Specialist, check: type[Check], case: str | Valid | Invalid) -> list[RawFinding]:
    """Everything one check says about one case, in the order of places."""
    return sorted(
        specialist.run_checks([check], source_for_case(specialist, case)), key=lambda result: result.span
    )


def source_for_case(specialist: Specialist, case: str | Valid | Invalid) -> SourceFile:
    """The file of a case, as a check gets it."""
    given = Valid(case) if isinstance(case, str) else case
    options = specialist.options() if specialist.options is not None else None
    is_added = _added_lines(given.base, given.source).__contains__
    return SourceFile(
        given.path, given.source, lambda: given.base, InMemoryRepository(given.others), options, is_added
    )


def reported_positions(
    specialist: Specialist, check: type[Check], case: str | Valid | Invalid
) -> list[tuple[int, int]]:
    """The (line, column) of everything one check says about one case."""
    return [result.span.start for result in results(specialist, check, case)]


def _added_lines(base: str | None, text: str) -> set[int]:
    """The 1-based lines of a text that are not in the one before it."""
    lines = text.split("\n")
    if base is None:
        return set(range(1, len(lines) + 1))
    blocks = difflib.SequenceMatcher(None, base.split("\n"), lines, autojunk=False).get_matching_blocks()
    kept = {n + 1 for block in blocks for n in range(block.b, block.b + block.size)}
    return set(range(1, len(lines) + 1)) - kept


def change_results(specialist: Specialist, check: type[ChangeCheck], case: ChangeCase) -> list[RawFinding]:
    """Everything one check of whole changes says about one case, in the order of places."""
    options = specialist.options() if specialist.options is not None else None
    after = {path: text for path, (_, text) in case.files.items() if text is not None}
    made = check(
        ChangeView(
            tuple(_changed_text(path, *texts) for path, texts in sorted(case.files.items())),
            InMemoryRepository({**case.others, **after}),
            (case.message,) if case.message else (),
            options,
        )
    )
    made.run()
    return sorted(made.results, key=lambda result: (result.file, result.span))


def _changed_text(path: str, before: str | None, after: str | None) -> ChangedFileView:
    added = _added_lines(before, after or "")
    return ChangedFileView(
        path, None if before is None else path, added.__contains__, lambda: after, lambda: before
    )


def change_cases(specialists: Iterable[Specialist]) -> list[tuple[Specialist, type[ChangeCheck], ChangeCase]]:
    """Every whole change that must be reported at its place, or passed over."""
    return [
        (s, check, case)
        for s in specialists
        for check in s.change_checks
        for case in (*check.VALID, *check.INVALID)
    ]


def invalid_cases(specialists: Iterable[Specialist]) -> list[tuple[Specialist, type[Check], Invalid]]:
    """Every case that must be reported."""
    return [(s, check, case) for s in specialists for check in s.checks for case in check.INVALID]


def valid_cases(specialists: Iterable[Specialist]) -> list[tuple[Specialist, type[Check], str | Valid]]:
    """Every case that must be passed over."""
    return [(s, check, case) for s in specialists for check in s.checks for case in check.VALID]
