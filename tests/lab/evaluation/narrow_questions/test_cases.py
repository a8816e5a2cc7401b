"""Every question has cases, and the router selects it for each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround import host
from wardround.errors import UsageError
from wardround.findings import Plane
from wardround.planes.language_model.narrow_questions.loading import narrow_questions
from wardround.planes.language_model.narrow_questions.model import NarrowQuestion
from wardround.planes.language_model.narrow_questions.router import route
from wardround_lab.evaluation.narrow_questions.asking import batches
from wardround_lab.evaluation.narrow_questions.cases import QuestionCase, default_folder, read_cases

SPECIALISTS = host.load().specialists
QUESTIONS = narrow_questions()


def _is_put(case: QuestionCase) -> bool:
    """Return True if a review of the case puts its question to the model."""
    claimed = {
        file.path: [known.name for known in SPECIALISTS if known.claims(file.path, "\n".join(file.head))]
        for file in case.files
    }
    hunks = [hunk for file in case.files for hunk in file.hunks_as_sent(file.path)]
    routed = route(case.question.plane, hunks, claimed, case.question.context)
    return any(requested.question.id == case.question.id for requested in routed.placed)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_a_question_has_ten_good_and_ten_bad_cases_that_it_is_put_about(question: NarrowQuestion) -> None:
    cases = read_cases(default_folder(), [question])
    assert sum(case.is_problem for case in cases) >= 10
    assert sum(not case.is_problem for case in cases) >= 10
    assert [case.name for case in cases if not _is_put(case)] == []


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_no_case_is_written_twice(question: NarrowQuestion) -> None:
    texts = [case.files for case in read_cases(default_folder(), [question])]
    assert len(set(texts)) == len(texts)


def test_every_file_of_cases_belongs_to_a_question() -> None:
    found = {f"{path.parent.name}/{path.stem}" for path in default_folder().glob("*/*.yml")}
    assert found == {f"{question.specialist}/{question.id}" for question in QUESTIONS}


def _written(folder: Path, text: str) -> Path:
    question = QUESTIONS[0]
    (folder / question.specialist).mkdir()
    (folder / question.specialist / f"{question.id}.yml").write_text(text)
    return folder


def test_a_case_is_both_sides_of_a_change(tmp_path: Path) -> None:
    text = "path: a.py\ngood:\n- |\n  @\n   x = 1\n  -y = 2\n  +y = 3\n   z = 4\n  @ b.py\n  +new\nbad: []\n"
    (case,) = read_cases(_written(tmp_path, text), QUESTIONS[:1])
    first, second = case.files
    assert (first.path, first.base, first.head) == (
        "a.py",
        ["x = 1", "y = 2", "z = 4"],
        ["x = 1", "y = 3", "z = 4"],
    )
    (hunk,) = first.hunks_as_sent("a.py")
    assert hunk.lines == ("1   x = 1", "2 - y = 2", "2 + y = 3", "3   z = 4")
    assert (second.path, second.base, second.head) == ("b.py", [], ["new"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("path: a.py\ngood:\n- |\n  x = 1\nbad: []\n", "has no mark"),
        ("path: a.py\ngood:\n- |\n  @\n   x = 1\nbad: []\n", "changes nothing"),
        ("path: a.py\ngood: []\nbad: []\nugly: []\n", "ugly"),
    ],
)
def test_a_case_that_cannot_be_read_is_rejected_with_the_reason(
    tmp_path: Path, text: str, reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        read_cases(_written(tmp_path, text), QUESTIONS[:1])


def test_cases_of_a_request_have_different_answers() -> None:
    cases = [
        case for case in read_cases(default_folder(), QUESTIONS) if case.question.plane is Plane.SEMANTIC
    ]
    requests = list(batches(cases, 8))
    assert [len(request) for request in requests[:-1]] == [8] * (len(requests) - 1)
    assert sum(len({case.is_problem for case in request}) == 1 for request in requests) <= len(requests) // 10
