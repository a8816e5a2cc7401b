"""The files with questions: valid, complete, and rejected with a reason where they are not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from wardround import host
from wardround.errors import WardroundError
from wardround.findings import Plane
from wardround.planes.language_model.narrow_questions.loading import narrow_questions, read_questions
from wardround.planes.language_model.narrow_questions.model import ANY_LANGUAGE, NarrowQuestion, Scope
from wardround.planes.language_model.prompts import load_prompt

HOST = host.load()
GOOD = """
questions:
  - id: is-closed
    text: Is the file closed?
    plane: semantic
    when:
      - added: 'open\\('
    problem: "no"
    severity: warn
    message: The file stays open.
"""


@pytest.mark.parametrize("specialist", ["python", "typescript", "sql", "docker-ci", "tests"])
def test_a_specialist_has_at_least_six_questions(specialist: str) -> None:
    assert specialist in {known.name for known in HOST.specialists}
    assert Counter(question.specialist for question in narrow_questions())[specialist] >= 6


def test_every_file_belongs_to_a_specialist_or_to_all() -> None:
    known = {specialist.name for specialist in HOST.specialists} | {ANY_LANGUAGE}
    assert {question.specialist for question in narrow_questions()} <= known


@pytest.mark.parametrize("question", narrow_questions(), ids=lambda question: question.id)
def test_the_rules_of_a_question_exist(question: NarrowQuestion) -> None:
    assert [name for name in question.rules if not HOST.catalogue.resolve(name)] == []


@pytest.mark.parametrize("plane", Plane)
def test_no_question_has_the_name_of_a_kind(plane: Plane) -> None:
    assert load_prompt(plane).kinds.isdisjoint(question.id for question in narrow_questions())


def test_a_question_gets_its_specialist_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "python.yml").write_text(GOOD)
    (question,) = read_questions(tmp_path)
    assert (question.id, question.specialist, question.problem) == ("is-closed", "python", "no")


def test_the_scope_of_a_file_is_that_of_its_questions(tmp_path: Path) -> None:
    (tmp_path / "sql.yml").write_text("scope: {files: ['*.sql'], elsewhere: SELECT}" + GOOD)
    (question,) = read_questions(tmp_path)
    assert question.scope == Scope(files=("*.sql",), elsewhere="SELECT")


WRONG = {
    "an unknown key": ("severity: warn", "severity: warn\n    colour: red", "colour"),
    "an unknown shape": ("added: 'open\\('", "shape: removed-thing", "unknown shape 'removed-thing'"),
    "an invalid pattern": ("'open\\('", "'open('", "unterminated"),
    "no condition": ("added: 'open\\('", "paths: ['*.py']", "needs added, removed or shape"),
    "no question mark": ("closed?", "closed.", "text"),
    "an unquoted answer": ('"no"', "maybe", "problem"),
    "an unknown plane": ("plane: semantic", "plane: style", "plane"),
    "an invalid scope": ("questions:", "scope: {files: ['*.sql'], elsewhere: '('}\nquestions:", "missing"),
    "its own specialist": (
        "severity: warn",
        "severity: warn\n    specialist: sql",
        "remove the key specialist",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_file_is_rejected_with_the_reason(tmp_path: Path, wrong: str) -> None:
    before, after, reason = WRONG[wrong]
    assert before in GOOD
    (tmp_path / "python.yml").write_text(GOOD.replace(before, after))
    with pytest.raises(WardroundError, match=r"python\.yml has no valid questions") as caught:
        read_questions(tmp_path)
    assert reason in str(caught.value)


def test_two_questions_cannot_have_one_id(tmp_path: Path) -> None:
    (tmp_path / "python.yml").write_text(GOOD)
    (tmp_path / "sql.yml").write_text(GOOD)
    with pytest.raises(WardroundError, match="several questions have the id is-closed"):
        read_questions(tmp_path)
