"""A candidate is verified by the runs of its tests at both commits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from wardround.training_tasks import Commit
from wardround_lab.experiments.instances.candidates import Candidate
from wardround_lab.experiments.instances.test_runs import TestRun
from wardround_lab.experiments.instances.verification import (
    SEEDS,
    Reason,
    RejectedCandidate,
    Sides,
    is_feature,
    verify,
)

FILE = "tests/test_sums.py"
CANDIDATE = Candidate(
    Commit("c" * 40, "p" * 40, 0, "Fix sums", "", ()),
    ("sums.py",),
    (FILE,),
    (FILE,),
    1,
    "",
    frozenset({"scale"}),
)
WRONG = "E   assert 3 == 4"


def run(passed: str = "", failures: dict[str, str] | None = None, **values: object) -> TestRun:
    return TestRun(frozenset(passed.split()), failures or {}, values.pop("uncollected", {}), **values)


BASE, ANSWER = run("old", {"new": WRONG}), run("old new")


class FakeRuns:
    """Runs with results given in advance, the last one again and again."""

    def __init__(self, results: Iterable[TestRun]) -> None:
        self._results = list(results)
        self.requests: list[tuple[Sequence[str], int]] = []

    def __call__(self, files: Sequence[str], seed: int) -> TestRun:
        self.requests.append((files, seed))
        return self._results.pop(0) if len(self._results) > 1 else self._results[0]


def rejection(base: TestRun, answer: TestRun = ANSWER) -> tuple[Reason, str]:
    with pytest.raises(RejectedCandidate) as raised:
        verify(CANDIDATE, Sides(FakeRuns([base]), FakeRuns([answer])), whole_suite=False)
    return raised.value.reason, raised.value.detail


def test_tests_that_the_answer_repairs_are_found_in_three_runs_under_two_seeds() -> None:
    base, answer = FakeRuns([BASE]), FakeRuns([ANSWER])

    found = verify(CANDIDATE, Sides(base, answer), whole_suite=False)

    assert (found.fail_to_pass, found.pass_to_pass) == (("new",), ("old",))
    assert base.requests == answer.requests == [((FILE,), seed) for seed in SEEDS]
    assert len(set(SEEDS)) == 2


def test_the_whole_suite_runs_three_times_after_the_files() -> None:
    whole = run("old other", {"new": WRONG})
    base, answer = FakeRuns([BASE, whole]), FakeRuns([ANSWER, run("old other new")])

    found = verify(CANDIDATE, Sides(base, answer), whole_suite=True)

    assert found.pass_to_pass == ("old", "other")
    assert [files for files, _ in base.requests] == [(FILE,), (), (), ()]


def test_flaky_tests_are_dropped() -> None:
    base = FakeRuns(
        [run("old shaky", {"new": WRONG, "sometimes": WRONG}), run("old sometimes", {"new": WRONG})]
    )
    answer = FakeRuns([run("old new sometimes shaky")])

    found = verify(CANDIDATE, Sides(base, answer), whole_suite=False)

    assert (found.fail_to_pass, found.pass_to_pass) == (("new",), ("old",))


def test_a_candidate_whose_only_test_is_flaky_is_rejected() -> None:
    base = FakeRuns([BASE, run("old new")])

    with pytest.raises(RejectedCandidate, match=Reason.FLAKY):
        verify(CANDIDATE, Sides(base, FakeRuns([ANSWER])), whole_suite=False)


MISSING = "E   AttributeError: 'Sum' object has no attribute 'scale'"
IMPORT = "E   ImportError: cannot import name 'scale' from 'sums'"


@pytest.mark.parametrize(
    ("base", "answer", "reason", "detail"),
    [
        (run("old new"), ANSWER, Reason.PASSES_BEFORE, ""),
        (run(), ANSWER, Reason.NOT_COLLECTED, "pytest found no test that runs"),
        (BASE, run("old", {"new": "E   ValueError: no sum\n"}), Reason.FAILS_AFTER, "ValueError: no sum"),
        (run("old", {"new": MISSING}), ANSWER, Reason.FEATURE, ""),
        (run(uncollected={FILE: IMPORT}), ANSWER, Reason.FEATURE, IMPORT.removeprefix("E   ")),
        (
            run(uncollected={FILE: IMPORT}),
            run(uncollected={FILE: "E   ModuleNotFoundError: No module named 'six'"}),
            Reason.NOT_COLLECTED,
            "ModuleNotFoundError: No module named 'six'",
        ),
        (run(problem="pytest is not installed"), ANSWER, Reason.NOT_RUN, "pytest is not installed"),
        (run(is_over_limit=True, problem="stopped"), ANSWER, Reason.TOO_LONG, ""),
    ],
)
def test_the_reason_of_a_rejection_is_named(
    base: TestRun, answer: TestRun, reason: Reason, detail: str
) -> None:
    assert rejection(base, answer) == (reason, detail)


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (MISSING, True),
        (IMPORT, True),
        ("E   TypeError: total() got an unexpected keyword argument 'scale'", True),
        ("E   AttributeError: 'NoneType' object has no attribute 'lines'", False),
        (WRONG, False),
    ],
)
def test_a_failure_is_that_of_a_feature_only_if_the_answer_adds_the_name(
    failure: str, expected: bool
) -> None:
    assert is_feature(failure, frozenset({"scale"})) == expected


def test_one_failure_that_is_no_feature_is_enough() -> None:
    base = run("old", {"new": WRONG, "other": MISSING})

    found = verify(CANDIDATE, Sides(FakeRuns([base]), FakeRuns([run("old new other")])), whole_suite=False)

    assert found.fail_to_pass == ("new", "other")
