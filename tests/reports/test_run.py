"""The run of a change in reports: complete for programs, short for people."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

from tests.planes.run_factory import (
    CLEAN,
    FAILED,
    MISSED,
    PASSED,
    REFUSED,
    TIMED_OUT,
    difference,
    run_of_behaviour,
    run_of_tests,
)
from wardround.context.run_evidence import CoverageDelta, NotCompared, RunEvidence, UnnoticedMutation
from wardround.reports.run import run_counts, run_dict, run_lines, schema

PUBLISHED = Path(__file__).parents[2] / "docs" / "run-evidence.schema.json"
MUTATED = run_of_tests(
    PASSED,
    FAILED,
    lines=(MISSED,),
    delta=(CoverageDelta("app.py", (8, 10), (9, 12)), CoverageDelta("new.py", None, (1, 2))),
    mutations=5,
    unnoticed=(UnnoticedMutation("app.py", 2, "<", "<="),),
)
FULL = RunEvidence(MUTATED, run_of_behaviour(difference()))


def test_the_published_schema_is_that_of_the_run() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == schema()


@pytest.mark.parametrize("run", [CLEAN, FULL, RunEvidence(tests=run_of_tests(conditions=REFUSED))])
def test_a_run_matches_the_schema(run: RunEvidence) -> None:
    values = json.loads(json.dumps(run_dict(run)))
    assert values.pop("counts")
    jsonschema.validate(values, json.loads(schema()))


def test_no_run_has_no_part() -> None:
    assert (run_dict(RunEvidence()), run_counts(RunEvidence()), list(run_lines(RunEvidence()))) == (
        {},
        {},
        [],
    )


def text(run: RunEvidence) -> str:
    return " ".join(" ".join(run_lines(run)).split())


def test_the_text_has_the_counts() -> None:
    assert text(FULL) == (
        "run: tests that ran in bubblewrap: 1 passed, 1 failed; of the changed files, 8 of 10 lines ran "
        "before and 10 of 14 after; 1 of 4 changed lines ran in passing tests; 1 of 5 small edits unnoticed "
        "run: behaviour compared in bubblewrap: 1 function on 12 inputs, results that differ: 1, "
        "not compared: 1 run: not compared: app.py main: no test called it"
    )


def test_many_functions_that_were_not_compared_are_counted() -> None:
    left = tuple(NotCompared("app.py", f"f{number}", "no test called it") for number in range(5))
    run = RunEvidence(behaviour=run_of_behaviour(not_compared=left))
    assert text(run).endswith("f2: no test called it run: not compared: 2 more; --format json has them")


def test_a_refused_part_has_no_line_besides_the_reason_why_it_is_not_reviewed() -> None:
    run = RunEvidence(
        run_of_tests(conditions=REFUSED), run_of_behaviour(conditions=replace(REFUSED, detail=""))
    )
    assert text(run) == ""


def test_the_results_of_a_run_that_ended_early_are_counted() -> None:
    assert text(RunEvidence(run_of_tests(PASSED, conditions=TIMED_OUT))).startswith(
        "run: tests that ran in bubblewrap: 1 passed"
    )
