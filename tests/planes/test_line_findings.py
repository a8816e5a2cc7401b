"""The findings about lines: one for each function, each fact once, and few notes on small edits."""

from __future__ import annotations

from textwrap import dedent

from wardround.change.diff import ChangedFile, FileStatus
from wardround.context.run_evidence import LineEvidence, UnnoticedMutation
from wardround.planes.line_findings import FileLines, line_findings, mutation_findings

NEW = ChangedFile("app.py", None, FileStatus.ADDED, "100644")
TEXT = dedent(
    """\
    def first(a):
        if a:
            return g(
                a,
                1,
            )

        return None


    def second(rows):
        for row in rows:
            if row:
                h(row)
            k(row)
        return rows
    """
)


def found(lines: LineEvidence, text: str | None = TEXT) -> list[tuple[str, int, int, str]]:
    return [
        (finding.code, finding.span.line, finding.span.end_line, finding.message)
        for finding in line_findings(lines, FileLines.read(NEW, text))
    ]


def noted(
    *unnoticed: UnnoticedMutation, lines: tuple[LineEvidence, ...] = (), text: str | None = TEXT
) -> list[tuple[str, int, str]]:
    known = {"app.py": FileLines.read(NEW, text)}
    return [
        (finding.file, finding.span.line, finding.message)
        for finding in mutation_findings(unnoticed, lines, known, 0.5)
    ]


def edit(line: int, after: str = "b", path: str = "app.py") -> UnnoticedMutation:
    return UnnoticedMutation(path, line, "a", after)


def test_the_lines_of_a_function_are_one_finding() -> None:
    lines = LineEvidence("app.py", (1, 2, 10, 11, 14), (3, 8, 12, 13, 15))
    assert found(lines) == [
        ("uncovered-lines", 3, 8, "no passing test runs the lines 3 to 8"),
        ("uncovered-lines", 12, 13, "no passing test runs the lines 12 to 13 and 15"),
    ]


def test_unchanged_lines_between_two_ranges_are_not_included() -> None:
    lines = LineEvidence("app.py", (1, 7), (3, 8))
    assert found(lines)[0][3] == "no passing test runs the lines 3 and 8"


def test_a_file_of_which_nothing_ran_is_one_finding() -> None:
    assert found(LineEvidence("app.py", (), (1, 2, 3, 8, 10, 11))) == [
        ("uncovered-lines", 1, 3, "no passing test runs any of the 6 changed statements of this file")
    ]


def test_many_ranges_are_counted() -> None:
    text = "def f():\n" + "    x()\n" * 20
    lines = LineEvidence("app.py", (1, *range(3, 20, 2)), tuple(range(2, 20, 2)))
    assert found(lines, text)[0][3] == "no passing test runs the lines 2, 4, 6, 8 and 5 more ranges"


def test_a_branch_into_reported_lines_has_no_finding_of_its_own() -> None:
    assert [item[0] for item in found(LineEvidence("app.py", (1, 2, 8), (3,), (2,)))] == ["uncovered-lines"]
    assert [item[0] for item in found(LineEvidence("app.py", (1, 2, 3), (), (2,)))] == ["partial-branch"]


def test_a_loop_that_never_ends_by_itself_is_not_reported() -> None:
    assert found(LineEvidence("app.py", (11, 12, 13), (), (12,))) == []


def test_without_the_text_lines_are_reported_by_range() -> None:
    expected = [("uncovered-lines", 3, 3, "no passing test runs this line")]
    assert found(LineEvidence("app.py", (1, 2), (3,)), None) == expected
    assert found(LineEvidence("app.py", (1, 2), (3,)), "def f(") == expected


def test_the_edits_of_a_line_are_one_note() -> None:
    assert noted(edit(2), edit(2, "c"), edit(2, "d"), edit(4)) == [
        ("app.py", 2, "no test notices if a becomes b, nor 2 other small edits of this line"),
        ("app.py", 4, "no test notices if a becomes b"),
    ]


def test_a_change_has_at_most_five_notes_those_with_most_edits_first() -> None:
    edits = [*(edit(line) for line in range(1, 9)), edit(8, "c"), edit(7, "c")]
    assert [item[1] for item in noted(*edits)] == [1, 2, 3, 7, 8]


def test_a_branch_that_is_reported_has_no_note() -> None:
    assert noted(edit(2), edit(3), lines=(LineEvidence("app.py", (2, 3), (), (2,)),)) == [
        ("app.py", 3, "no test notices if a becomes b")
    ]


def test_the_lines_of_a_half_run_condition_have_no_note() -> None:
    text = "if (\n    a\n    and b\n):\n    c()\n"
    lines = (LineEvidence("app.py", (2,), (), (2,)),)
    assert noted(edit(3), edit(5), lines=lines, text=text) == [
        ("app.py", 5, "no test notices if a becomes b")
    ]


def test_many_ranges_of_a_file_without_known_functions_are_one_finding() -> None:
    lines = LineEvidence("app.ts", tuple(range(2, 12, 2)), tuple(range(1, 12, 2)))
    assert [item[3] for item in found(lines, None)] == [
        "no passing test runs the lines 1, 3, 5, 7 and 2 more ranges"
    ]
