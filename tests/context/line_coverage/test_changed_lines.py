"""The coverage of changed lines counts only where the coverage file belongs to the tree."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from wardround.context.change_tests import ChangeCoverage, CoverageState, CoveredFile
from wardround.context.line_coverage.changed_lines import ChangedSource, CoverageContent, changed_coverage

TEXT = "import os\n\ndef f(x):\n    if x:\n        return 1\n    # nothing\n    return 2\n"
SHOP = ChangedSource("shop.py", TEXT, frozenset({3, 4, 5, 6, 7}), changed_ns=100)


def lcov(
    files: Mapping[str, Mapping[int, int]], path: str = "lcov.info", **values: object
) -> CoverageContent:
    records = (
        "SF:{}\n{}end_of_record\n".format(
            name, "".join(f"DA:{line},{count}\n" for line, count in lines.items())
        )
        for name, lines in files.items()
    )
    found = CoverageContent(path, ("TN:\n" + "".join(records)).encode(), written_ns=200)
    return replace(found, **values)


RUN = {1: 1, 3: 1, 4: 1, 5: 0, 7: 1}


def measured(*contents: CoverageContent, sources: tuple[ChangedSource, ...] = (SHOP,)) -> ChangeCoverage:
    tracked = tuple(source.path for source in sources)
    return changed_coverage(sources, contents, "/repo", tracked)


def test_changed_lines_that_ran_and_that_did_not_are_counted() -> None:
    found = measured(lcov({"shop.py": RUN}))
    assert found.lines == (CoveredFile("shop.py", 3, ((5, 5),)),)
    assert (found.is_fresh, found.executed, found.missed) == (True, 3, 1)


def test_lines_that_did_not_change_do_not_count() -> None:
    found = measured(lcov({"shop.py": RUN}), sources=(replace(SHOP, added=frozenset({1, 2})),))
    assert found.lines == (CoveredFile("shop.py", 1),)


def test_a_line_ran_if_it_did_in_one_of_several_test_runs() -> None:
    found = measured(lcov({"shop.py": RUN}), lcov({"shop.py": RUN | {5: 1, 7: 0}}, "other.info"))
    assert found.lines == (CoveredFile("shop.py", 4),)


def test_successive_lines_are_one_range() -> None:
    found = measured(lcov({"shop.py": {3: 0, 4: 0, 5: 0, 7: 0}}))
    assert found.lines == (CoveredFile("shop.py", 0, ((3, 5), (7, 7))),)
    assert found.missed == 4


@pytest.mark.parametrize(
    ("content", "source", "reason"),
    [
        (lcov({"shop.py": RUN | {9: 1}}), SHOP, "shop.py has no line 9"),
        (lcov({"shop.py": RUN | {6: 1}}), SHOP, "shop.py:6 is not a statement"),
        (lcov({"shop.py": RUN | {2: 0}}), SHOP, "shop.py:2 is not a statement"),
        (lcov({"shop.py": RUN}, written_ns=99), SHOP, "shop.py was changed after it was written"),
        (lcov({"shop.py": RUN}), replace(SHOP, problem="shop.py differs"), "shop.py differs"),
    ],
)
def test_a_file_of_another_tree_is_stale_and_never_evidence(
    content: CoverageContent, source: ChangedSource, reason: str
) -> None:
    found = measured(content, sources=(source,))
    assert [(file.state, file.reason) for file in found.files] == [(CoverageState.STALE, reason)]
    assert (found.is_fresh, found.lines, found.unmeasured) == (False, (), ())


def test_one_changed_file_that_does_not_fit_makes_the_coverage_file_stale() -> None:
    other = ChangedSource("other.py", "x = 1\n", frozenset({1}))
    found = measured(lcov({"shop.py": RUN, "other.py": {1: 1, 3: 1}}), sources=(SHOP, other))
    assert (found.is_fresh, found.lines) == (False, ())


def test_a_file_that_is_not_readable_has_its_reason() -> None:
    found = measured(replace(lcov({}), content=b"no coverage"))
    assert [(file.state, file.reason.partition(";")[0]) for file in found.files] == [
        (CoverageState.UNREADABLE, "its format is unknown")
    ]


def test_a_changed_file_of_a_measured_language_should_be_measured() -> None:
    page = ChangedSource("page.tsx", "export const a = 1\n", frozenset({1}))
    new = ChangedSource("new.py", "x = 1\n", frozenset({1}))
    found = measured(lcov({"shop.py": RUN}), sources=(SHOP, new, page))
    assert found.unmeasured == ("new.py",)


def test_runners_of_scripts_may_measure_lines_without_code() -> None:
    page = ChangedSource("page.ts", "// a\nf()\n\n}\n", frozenset({1, 2, 3, 4}))
    found = measured(lcov({"page.ts": {1: 0, 2: 1, 3: 0, 4: 0}}), sources=(page,))
    assert found.lines == (CoveredFile("page.ts", 1),)


def test_the_lines_of_a_report_of_coverage_py_are_statements() -> None:
    report = {"files": {"shop.py": {"executed_lines": [1, 3, 4, 7], "missing_lines": [5]}}}
    content = replace(lcov({}), path="coverage.json", content=json.dumps(report).encode())
    assert measured(content).lines == (CoveredFile("shop.py", 3, ((5, 5),)),)
