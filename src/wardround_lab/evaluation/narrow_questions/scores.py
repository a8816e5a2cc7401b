"""How many cases a model answers rightly, and how many it leaves open, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median

import msgspec

from wardround.rules.intervals import wilson
from wardround_lab.evaluation.narrow_questions.asking import INVALID, UNCLEAR, CaseAnswer


class Proportion(msgspec.Struct, frozen=True):
    """A part of some cases, with its 95% interval."""

    hits: int
    of: int
    low: float
    high: float

    @classmethod
    def of_counts(cls, hits: int, of: int) -> Proportion:
        """Return the part with its interval."""
        return cls(hits, of, *wilson(hits, of))


class Score(msgspec.Struct, frozen=True):
    """The answers to the cases of one question, of a specialist, or of all.

    Attributes:
        accuracy: correct answers among those with yes or no.
        found: the cases with the problem that the answers find; passed: those without it that they accept.
        seconds: the median of a case.
        rules: the accuracy of the rules that report the same problem; None if there are none.
        base: the accuracy of the base model; None if there is none.
    """

    name: str
    cases: int
    accuracy: Proportion
    found: Proportion
    passed: Proportion
    unclear: Proportion
    invalid: Proportion
    seconds: float
    rules: Proportion | None = None
    base: Proportion | None = None


class Measured(msgspec.Struct, frozen=True):
    """A measurement of a model.

    Attributes:
        problems: reason -> the number of cases whose request has no answer.
    """

    model: str
    base_model: str
    questions: tuple[Score, ...]
    specialists: tuple[Score, ...]
    total: Score
    problems: dict[str, int]


def measure(
    answers: Sequence[CaseAnswer],
    reported: Mapping[str, bool],
    base: Sequence[CaseAnswer],
    names: tuple[str, str],
) -> Measured:
    """Return the scores of a model.

    Args:
        reported: the name of a case -> True if a rule reports it.
        base: the answers of the base model to the same cases; empty if there is none.
        names: names of the model and of the base model.
    """
    by_question = _group_answers(answers, _question_name)
    by_specialist = _group_answers(answers, lambda answer: answer.case.question.specialist)
    base_answers = {answer.case.name: answer for answer in base}
    problems: dict[str, int] = {}
    for answer in answers:
        if answer.problem:
            problems[answer.problem] = problems.get(answer.problem, 0) + 1

    def score(name: str, group: Sequence[CaseAnswer]) -> Score:
        same = [base_answers[answer.case.name] for answer in group if answer.case.name in base_answers]
        return _score(name, group, reported, same)

    return Measured(
        *names,
        questions=tuple(score(name, group) for name, group in by_question.items()),
        specialists=tuple(score(name, group) for name, group in by_specialist.items()),
        total=score("all", answers),
        problems=problems,
    )


def _question_name(answer: CaseAnswer) -> str:
    return f"{answer.case.question.specialist}/{answer.case.question.id}"


def _group_answers(
    answers: Sequence[CaseAnswer], key: Callable[[CaseAnswer], str]
) -> dict[str, list[CaseAnswer]]:
    groups: dict[str, list[CaseAnswer]] = {}
    for answer in answers:
        groups.setdefault(key(answer), []).append(answer)
    return groups


def _score(
    name: str, answers: Sequence[CaseAnswer], reported: Mapping[str, bool], base: Sequence[CaseAnswer]
) -> Score:
    bad = [answer for answer in answers if answer.case.is_problem]
    good = [answer for answer in answers if not answer.case.is_problem]
    return Score(
        name=name,
        cases=len(answers),
        accuracy=_accuracy(answers),
        found=Proportion.of_counts(sum(map(_is_correct, bad)), len(bad)),
        passed=Proportion.of_counts(sum(map(_is_correct, good)), len(good)),
        unclear=_proportion_of(answers, UNCLEAR),
        invalid=_proportion_of(answers, INVALID),
        seconds=round(median(answer.seconds for answer in answers), 3) if answers else 0.0,
        rules=_rules(answers, reported),
        base=_accuracy(base) if base else None,
    )


def _accuracy(answers: Sequence[CaseAnswer]) -> Proportion:
    decided = [answer for answer in answers if answer.answer not in (UNCLEAR, INVALID)]
    return Proportion.of_counts(sum(map(_is_correct, decided)), len(decided))


def _is_correct(answer: CaseAnswer) -> bool:
    return answer.answer == answer.case.expected


def _proportion_of(answers: Sequence[CaseAnswer], kind: str) -> Proportion:
    return Proportion.of_counts(sum(answer.answer == kind for answer in answers), len(answers))


def _rules(answers: Sequence[CaseAnswer], reported: Mapping[str, bool]) -> Proportion | None:
    known = [answer.case for answer in answers if answer.case.name in reported]
    right = sum(reported[case.name] is case.is_problem for case in known)
    return Proportion.of_counts(right, len(known)) if known else None
