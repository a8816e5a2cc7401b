"""Running the cases of rules, for authors of plugins and for wardround itself::

    import pytest
    from wardround.host import load
    from wardround.testing import invalid_cases, reported_positions


    @pytest.mark.parametrize(("specialist", "check", "case"), invalid_cases(load().specialists))
    def test_check_reports(specialist, check, case):
        assert reported_positions(specialist, check, case) == [(case.line, case.column)]

A check must report nothing for its ``valid_cases``. Given a folder, the functions return the cases in its
YAML files too; see ``wardround.checks.case_files``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.change.repository_view import InMemoryRepository
from wardround.checks.base import ChangeCheck, Check
from wardround.checks.case_files import load_cases, load_change_cases
from wardround.checks.source import ChangedFileView, ChangeView, SourceFile
from wardround.findings import RawFinding
from wardround.rules.cases import (
    ChangeCase,
    Invalid,
    MarkedChange,
    MarkedCode,
    Valid,
    parse_change,
    parse_code,
)
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.context.change_tests import ChangeCoverage
    from wardround.context.code_graph.change_graphs import ChangeGraphs
    from wardround.context.surface.model import Surface


def results(
    specialist: Specialist, check: type[Check], case: str | Valid | Invalid | MarkedCode
) -> list[RawFinding]:
    """Return all reports of a check for one case, sorted by position."""
    parsed = parse_code(case, check.CASE_PATH)
    return sorted(
        specialist.run_checks([check], source_for_case(specialist, parsed)), key=lambda result: result.span
    )


def source_for_case(specialist: Specialist, case: Valid | Invalid) -> SourceFile:
    """Return the file of a case as a check receives it."""
    options = specialist.options() if specialist.options is not None else None
    is_added = _added_lines(case.base, case.source).__contains__
    return SourceFile(
        case.path, case.source, lambda: case.base, InMemoryRepository(case.others), options, is_added
    )


def reported_positions(
    specialist: Specialist, check: type[Check], case: str | Valid | Invalid | MarkedCode
) -> list[tuple[int, int]]:
    """Return the (line, column) of all reports of a check for one case."""
    return [result.span.start for result in results(specialist, check, case)]


def _added_lines(base: str | None, text: str) -> set[int]:
    """Return the 1-based lines of a text that the previous version lacks."""
    lines = text.split("\n")
    if base is None:
        return set(range(1, len(lines) + 1))
    blocks = difflib.SequenceMatcher(None, base.split("\n"), lines, autojunk=False).get_matching_blocks()
    retained = {n + 1 for block in blocks for n in range(block.b, block.b + block.size)}
    return set(range(1, len(lines) + 1)) - retained


def change_results(
    specialist: Specialist, check: type[ChangeCheck], case: ChangeCase | MarkedChange
) -> list[RawFinding]:
    """Return all reports of a change-level check for one case, sorted by position."""
    parsed = parse_change(case)
    options = specialist.options() if specialist.options is not None else None
    after = {path: text for path, (_, text) in parsed.files.items() if text is not None}
    run = check(
        ChangeView(
            tuple(_changed_text(path, *texts) for path, texts in sorted(parsed.files.items())),
            InMemoryRepository({**parsed.others, **after}),
            (parsed.message,) if parsed.message else (),
            options,
            open_graphs=lambda: _graphs(parsed),
            open_surface=lambda: _surface(parsed),
            open_coverage=lambda: _coverage(parsed),
        )
    )
    run.run()
    return sorted(run.results, key=lambda result: (result.file, result.span))


def _graphs(case: ChangeCase) -> ChangeGraphs:
    from wardround.context.code_graph.change_graphs import (
        graphs_of_texts,  # loads grammars, which few checks need
    )

    return graphs_of_texts(*_case_contents(case))


def _surface(case: ChangeCase) -> Surface:
    from wardround.context.surface.comparison import compare  # loads grammars, which few checks need
    from wardround.context.surface.sides import sides_of_texts

    return compare(sides_of_texts(*_case_contents(case)), (case.message,) if case.message else ())


def _case_contents(case: ChangeCase) -> list[dict[str, str]]:
    """Return the contents of base and head by path."""
    sides: list[dict[str, str]] = [dict(case.others), dict(case.others)]
    for path, texts in case.files.items():
        for side, text in zip(sides, texts, strict=True):
            if text is not None:
                side[path] = text
    return sides


def _coverage(case: ChangeCase) -> ChangeCoverage:
    """Return the coverage by the files of a case that have the name of a coverage file."""
    from wardround.context.line_coverage import changed_lines, work_tree  # loads grammars, as above

    sources = [
        changed_lines.ChangedSource(path, text, frozenset(_added_lines(before, text)))
        for path, (before, text) in sorted(case.files.items())
        if text is not None
    ]
    contents = [
        changed_lines.CoverageContent(path, text.encode())
        for path, text in sorted(case.others.items())
        if path in work_tree.DEFAULT_FILES
    ]
    return changed_lines.changed_coverage(sources, contents, "/", [source.path for source in sources])


def _changed_text(path: str, before: str | None, after: str | None) -> ChangedFileView:
    added = _added_lines(before, after or "")
    return ChangedFileView(
        path, None if before is None else path, added.__contains__, lambda: after, lambda: before
    )


def change_cases(
    specialists: Iterable[Specialist], folder: Path | None = None
) -> list[tuple[Specialist, type[ChangeCheck], ChangeCase]]:
    """Return every case of the checks of changes, reported or not."""
    return [
        (specialist, check, case)
        for specialist in specialists
        for check in specialist.change_checks
        for cases in cases_of_change_check(check, folder)
        for case in cases
    ]


def invalid_cases(
    specialists: Iterable[Specialist], folder: Path | None = None
) -> list[tuple[Specialist, type[Check], Invalid]]:
    """Return every case that must be reported."""
    return [
        (specialist, check, case)
        for specialist in specialists
        for check in specialist.checks
        for case in cases_of_check(check, folder)[1]
    ]


def valid_cases(
    specialists: Iterable[Specialist], folder: Path | None = None
) -> list[tuple[Specialist, type[Check], Valid]]:
    """Return every case that must not be reported."""
    return [
        (specialist, check, case)
        for specialist in specialists
        for check in specialist.checks
        for case in cases_of_check(check, folder)[0]
    ]


def cases_of_check(check: type[Check], folder: Path | None = None) -> tuple[list[Valid], list[Invalid]]:
    """Return the cases of a check, those that must not be reported and those that must.

    Raises:
        ValueError: a case is in the wrong list: those of ``INVALID`` have marks.
    """
    own = [[parse_code(case, check.CASE_PATH) for case in cases] for cases in (check.VALID, check.INVALID)]
    valid = [case for case in own[0] if isinstance(case, Valid)]
    invalid = [case for case in own[1] if isinstance(case, Invalid)]
    if len(valid) != len(own[0]) or len(invalid) != len(own[1]):
        raise ValueError(
            f"{check.ID}: each case of INVALID has the marks « and », and none of VALID has them"
        )
    further = load_cases(folder, check.ID, check.CASE_PATH) if folder is not None else ([], [])
    return valid + further[0], invalid + further[1]


def cases_of_change_check(
    check: type[ChangeCheck], folder: Path | None = None
) -> tuple[list[ChangeCase], list[ChangeCase]]:
    """Return the same of a check of changes."""
    valid, invalid = [parse_change(c) for c in check.VALID], [parse_change(c) for c in check.INVALID]
    further = load_change_cases(folder, check.ID) if folder is not None else ([], [])
    return valid + further[0], invalid + further[1]
