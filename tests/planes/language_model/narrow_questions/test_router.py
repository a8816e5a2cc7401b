"""The router: which questions a plane puts about which hunks."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from wardround.findings import Plane
from wardround.planes.language_model.hunks import RemovedLine, SentHunk
from wardround.planes.language_model.narrow_questions.model import Condition, NarrowQuestion, Scope
from wardround.planes.language_model.narrow_questions.router import MOST_QUESTIONS, route

QUESTION = NarrowQuestion(
    id="is-closed",
    text="Is the file closed?",
    plane=Plane.SEMANTIC,
    when=(Condition(added=r"open\("),),
    problem="no",
    severity="warn",
    message="The file stays open.",
    specialist="python",
)
CLAIMED = {"a.py": ["python", "secrets"], "b.py": ["python"], "a.ts": ["typescript"]}


def hunk(
    *added: str, path: str = "a.py", removed: tuple[str, ...] = (), unchanged: tuple[str, ...] = ()
) -> SentHunk:
    """A hunk of added lines from line 1 on, removed ones before them and unchanged ones after them."""
    lines = dict(enumerate(added, 1))
    rest = dict(enumerate(unchanged, len(added) + 1))
    removed_items = tuple(RemovedLine(number, 1, text) for number, text in enumerate(removed, 1))
    return SentHunk(path, path, added, lines, removed_items, rest)


def ids(*hunks: SentHunk, questions: tuple[NarrowQuestion, ...], plane: Plane = Plane.SEMANTIC) -> list[str]:
    return [
        requested.question.id for requested in route(plane, hunks, CLAIMED, "functions", questions).placed
    ]


def test_a_question_is_about_the_first_line_that_its_pattern_matches() -> None:
    found = route(
        Plane.SEMANTIC, [hunk("x = 1", "f = open(p)", "open(q)")], CLAIMED, "functions", (QUESTION,)
    )
    (requested,) = found.placed
    assert requested.as_input == {
        "question": 1,
        "text": "Is the file closed?",
        "file": "a.py",
        "line": 2,
        "at": "f = open(p)",
    }


def test_unchanged_lines_ask_nothing() -> None:
    assert ids(hunk("x = 1", unchanged=("open(p)",)), questions=(QUESTION,)) == []


def test_a_question_is_put_in_its_plane_and_for_its_specialist_only() -> None:
    assert ids(hunk("open(p)"), questions=(QUESTION,), plane=Plane.PERF) == []
    assert ids(hunk("open(p)", path="a.ts"), questions=(QUESTION,)) == []
    assert ids(hunk("open(p)", path="unknown.py"), questions=(QUESTION,)) == []


def test_a_question_about_any_language_is_put_for_every_file() -> None:
    shapes = replace(QUESTION, specialist="shapes")
    assert ids(hunk("open(p)", path="a.ts"), questions=(shapes,)) == ["is-closed"]


def test_every_part_of_a_condition_has_to_hold() -> None:
    strict = replace(QUESTION, when=(Condition(added=r"open\(", around="loop", paths=("*.py",)),))
    assert ids(hunk("open(p)"), questions=(strict,)) == []
    assert ids(hunk("open(p)", unchanged=("loop",)), questions=(strict,)) == ["is-closed"]
    both = replace(QUESTION, when=(Condition(added=r"open\(", removed="close"),))
    assert ids(hunk("open(p)"), questions=(both,)) == []
    assert ids(hunk("open(p)", removed=("f.close()",)), questions=(both,)) == ["is-closed"]


def test_one_of_several_conditions_is_enough() -> None:
    either = replace(QUESTION, when=(Condition(added="never"), Condition(removed=r"close\(")))
    found = route(Plane.SEMANTIC, [hunk("x", removed=("f.close()",))], CLAIMED, "hunks", (either,))
    (requested,) = found.placed
    assert (requested.line, requested.at) == (1, "f.close()")


def test_a_question_that_needs_functions_is_not_put_about_bare_hunks() -> None:
    needy = replace(QUESTION, context="functions")
    assert route(Plane.SEMANTIC, [hunk("open(p)")], CLAIMED, "hunks", (needy,)).placed == ()
    assert len(route(Plane.SEMANTIC, [hunk("open(p)")], CLAIMED, "functions", (needy,)).placed) == 1


def test_the_most_severe_questions_come_first_and_the_rest_is_counted() -> None:
    severe = replace(QUESTION, id="is-severe", severity="error")
    hunks = [hunk("open(p)", path=path) for path in ("a.py", "b.py") * MOST_QUESTIONS]
    found = route(Plane.SEMANTIC, hunks, CLAIMED, "functions", (QUESTION, severe))
    assert {requested.question.id for requested in found.placed} == {"is-severe"}
    assert [requested.number for requested in found.placed] == list(range(1, MOST_QUESTIONS + 1))
    assert found.omitted == 2 * len(hunks) - MOST_QUESTIONS


def test_each_question_is_put_once_before_any_is_repeated() -> None:
    other = replace(QUESTION, id="is-other")
    hunks = [hunk("open(p)") for _ in range(MOST_QUESTIONS)]
    found = ids(*hunks, questions=(QUESTION, other))
    assert found[:4] == ["is-closed", "is-other", "is-closed", "is-other"]


SCOPED = replace(QUESTION, scope=Scope(files=("*.ts",), elsewhere="OPEN"), specialist="shapes")


def test_a_question_with_a_scope_is_put_about_its_files() -> None:
    assert ids(hunk("open(p)", path="a.ts"), questions=(SCOPED,)) == ["is-closed"]


def test_a_question_with_a_scope_needs_its_language_in_other_files() -> None:
    assert ids(hunk("open(p)"), questions=(SCOPED,)) == []
    assert ids(hunk("open(p)", unchanged=("OPEN",)), questions=(SCOPED,)) == ["is-closed"]


PYTHON_WITHOUT_SQL = (
    '"""Test case for a pane."""',
    "if name not in names or other != name:",
    'text = ", ".join(names)',
    "from typing import Any, Final",
    "total = sum(values)",
    "# an update for all of them",
    "rename = True",
)
PYTHON_WITH_SQL = (
    'query = "SELECT id FROM orders WHERE state NOT IN (SELECT state FROM closed)"',
    'query = "select count(note) from orders"',
    "      LEFT JOIN payments p ON p.order_id = o.id",
)


@pytest.mark.parametrize("line", PYTHON_WITHOUT_SQL)
def test_code_without_sql_gets_no_question_about_sql(line: str) -> None:
    assert sql_questions(hunk(line)) == []


@pytest.mark.parametrize("line", PYTHON_WITH_SQL)
def test_sql_in_code_gets_the_questions_about_sql(line: str) -> None:
    assert sql_questions(hunk(line)) != []


def test_a_part_of_a_statement_gets_the_questions_about_sql_in_a_file_of_sql() -> None:
    assert sql_questions(hunk("  AND state <> 'open'", path="report.sql")) == ["null-changes-result"]


def sql_questions(changed: SentHunk) -> list[str]:
    """The shipped questions about SQL in all planes, in a file that the specialist for SQL reviews."""
    placed = [
        requested
        for plane in Plane
        for requested in route(plane, [changed], {changed.path: ["sql"]}, "functions").placed
    ]
    return [requested.question.id for requested in placed if requested.question.specialist == "sql"]


def test_a_long_line_does_not_take_long_to_search() -> None:
    assert sql_questions(hunk("select " * 20_000 + "not in")) == []
