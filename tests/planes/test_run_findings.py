"""The findings of a run: they report the events, at changed lines, and no more than that."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.planes.run_factory import (
    COVERED,
    FAILED,
    MISSED,
    PASSED,
    REFUSED,
    TIMED_OUT,
    UNISOLATED,
    difference,
    run_of_behaviour,
    run_of_tests,
)
from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.context.run_evidence import (
    CoverageDelta,
    Observed,
    RunEvidence,
    TestOutcome,
    TestsRun,
    UnnoticedMutation,
)
from wardround.findings import RawFinding
from wardround.planes.behaviour_findings import BehaviourReading, behaviour_result
from wardround.planes.claims import MeasuredPrecision, SourceKind
from wardround.planes.run_findings import RunReading, covered_files, not_run, run_results
from wardround.planes.run_judgement import test_line as line_of_run

APP = ChangedFile("app.py", "app.py", FileStatus.MODIFIED, "100644", hunks=(Hunk(1, 3, 1, 5),))
TEST = ChangedFile("test_app.py", "test_app.py", FileStatus.MODIFIED, "100644", hunks=(Hunk(7, 1, 7, 2),))
TEXT = "def parse_port(text):\n    return None\n"
BEHAVIOUR = BehaviourReading(head=lambda path: TEXT)
WITHOUT_TEXT = BehaviourReading(head=lambda path: None)
READING = RunReading({"app.py": APP, "test_app.py": TEST}, BEHAVIOUR)


def of_tests(run: TestsRun, reading: RunReading = READING) -> list[tuple[str, str, int, int, str]]:
    return [
        (result.code, result.file, result.span.line, result.span.end_line, result.message)
        for result in run_results(RunEvidence(tests=run), reading)
    ]


def message(**values: object) -> str:
    return behaviour_result(difference(**values), BEHAVIOUR).message


def warned(reading: BehaviourReading, **values: object) -> RawFinding:
    return behaviour_result(difference(**values), reading)


def test_a_failed_test_is_at_the_innermost_changed_line_with_the_end_of_its_failure() -> None:
    assert of_tests(run_of_tests(PASSED, FAILED)) == [
        ("failed-test", "app.py", 2, 2, "test_app.py::test_g fails: assert 2 == 1"),
    ]


def test_a_failure_without_marks_is_named_by_its_last_line() -> None:
    (found,) = of_tests(run_of_tests(replace(FAILED, excerpt="Traceback:\n  x\nKeyError: 'a'\n\n")))
    assert found[-1] == "test_app.py::test_g fails: KeyError: 'a'"


def test_a_failure_is_compared_with_the_base_where_that_is_known() -> None:
    (found,) = of_tests(run_of_tests(replace(FAILED, base=TestOutcome.PASSED, excerpt="")))
    assert found[-1] == "test_app.py::test_g fails; it passed before the change"
    assert of_tests(run_of_tests(replace(FAILED, base=TestOutcome.FAILED))) == []


def test_a_failure_elsewhere_is_where_the_change_begins() -> None:
    unchanged = replace(FAILED, id="test_b.py::test_b", places=("other.py:3",), outcome=TestOutcome.ERROR)
    assert [test[1:4] for test in of_tests(run_of_tests(unchanged))] == [("app.py", 1, 1)]
    own = replace(FAILED, places=())
    assert [test[1:4] for test in of_tests(run_of_tests(own))] == [("test_app.py", 7, 7)]


def test_a_failure_of_a_changed_file_is_at_its_test() -> None:
    text = "class TestG:\n    def test_f(self):\n        pass\n\n    def test_g(self):\n        pass\n"
    reading = replace(READING, behaviour=BehaviourReading(head=lambda path: text))
    own = replace(FAILED, id="test_app.py::TestG::test_g[1]", places=())
    assert [test[1:4] for test in of_tests(run_of_tests(own), reading)] == [("test_app.py", 5, 5)]
    removed = replace(own, id="test_app.py::TestG::test_h")
    assert [test[1:4] for test in of_tests(run_of_tests(removed), reading)] == [("test_app.py", 7, 7)]


def test_places_that_a_run_invents_are_not_used() -> None:
    strange = replace(FAILED, places=("../x.py:1", "app.py:0", "app.py:-1", "app.py:x", "app.py"))
    assert [test[1:3] for test in of_tests(run_of_tests(strange))] == [("test_app.py", 7)]


def test_a_flaky_test_is_a_note() -> None:
    flaky = replace(PASSED, outcome=TestOutcome.FLAKY)
    assert of_tests(run_of_tests(flaky)) == [
        ("flaky-test", "test_app.py", 7, 7, "test_app.py::test_f failed once and passed when repeated")
    ]


def test_flaky_tests_are_one_note_at_a_changed_test() -> None:
    others = [
        replace(PASSED, id=f"tests/test_b.py::test_{number}", outcome=TestOutcome.FLAKY)
        for number in range(6)
    ]
    (found,) = of_tests(run_of_tests(*others, replace(PASSED, outcome=TestOutcome.FLAKY)))
    assert found[1:] == (
        "test_app.py", 7, 7, "test_app.py::test_f failed once and passed when repeated"
    )  # fmt: skip
    assert of_tests(run_of_tests(*others)) == []


def test_flaky_tests_that_the_change_leaves_alone_are_named_with_the_outcome() -> None:
    flaky = [replace(PASSED, id=f"b.py::test_{number}", outcome=TestOutcome.FLAKY) for number in range(7)]
    assert line_of_run(run_of_tests(*flaky)).startswith(
        "tests that ran in bubblewrap: 7 flaky; flaky: b.py::test_0, b.py::test_1, b.py::test_2, "
        "b.py::test_3, b.py::test_4 and 2 more; "
    )


def test_a_failure_without_a_place_is_at_code_before_documents() -> None:
    notes = ChangedFile("a.md", None, FileStatus.ADDED, "100644")
    unchanged = replace(FAILED, id="test_b.py::test_b", places=())
    reading = replace(READING, files={"a.md": notes, "app.py": APP})
    assert [test[1] for test in of_tests(run_of_tests(unchanged), reading)] == ["app.py"]


def test_changed_lines_that_no_passing_test_ran_are_reported() -> None:
    assert of_tests(run_of_tests(lines=(MISSED,)), replace(READING, behaviour=WITHOUT_TEXT)) == [
        ("uncovered-lines", "app.py", 2, 3, "no passing test runs the lines 2 to 3"),
        ("uncovered-lines", "app.py", 5, 5, "no passing test runs this line"),
        ("partial-branch", "app.py", 1, 1, "the passing tests take only one way at this branch"),
    ]


def test_lines_of_a_run_that_is_not_complete_are_not_reported() -> None:
    assert of_tests(run_of_tests(lines=(MISSED,), conditions=TIMED_OUT)) == []


def test_an_unnoticed_mutation_is_a_note_without_confidence_until_it_is_measured() -> None:
    run = run_of_tests(mutations=4, unnoticed=(UnnoticedMutation("app.py", 2, "x < 1", "x <= 1"),))
    (found,) = run_results(RunEvidence(tests=run), READING)
    assert (found.message, found.confidence) == ("no test notices if x < 1 becomes x <= 1", 0)


def test_findings_in_files_that_the_change_leaves_alone_do_not_exist() -> None:
    run = RunEvidence(
        run_of_tests(lines=(replace(MISSED, path="b.py"),)), run_of_behaviour(difference(path="b.py"))
    )
    assert run_results(run, READING) == ()


def test_a_complete_run_replaces_coverage_files() -> None:
    assert covered_files(RunEvidence(tests=run_of_tests())) == {"app.py"}
    assert covered_files(RunEvidence(tests=run_of_tests(conditions=TIMED_OUT))) == frozenset()
    assert covered_files(RunEvidence(tests=run_of_tests(conditions=UNISOLATED))) == frozenset()
    assert covered_files(RunEvidence()) == frozenset()


def test_a_measured_file_without_an_edited_statement_needs_no_inference() -> None:
    delta = (CoverageDelta("b.py", (1, 2), (1, 2)), CoverageDelta("old.py", (1, 2), None))
    assert covered_files(RunEvidence(tests=run_of_tests(lines=(), delta=delta))) == {"b.py"}


def test_a_part_that_did_not_run_to_the_end_is_not_reviewed() -> None:
    run = RunEvidence(run_of_tests(conditions=TIMED_OUT), run_of_behaviour(conditions=REFUSED))
    assert [(item.file, item.tool, item.reason) for item in not_run(run)] == [
        (".", "run of tests", "the tests of the change did not all run: 3 tests were not reached in 600 s"),
        (
            ".",
            "run of behaviour",
            "the run was refused: bubblewrap is not installed; install the package bubblewrap",
        ),
    ]
    assert list(not_run(RunEvidence(run_of_tests(), run_of_behaviour()))) == []


def test_a_difference_is_a_statement_about_one_input() -> None:
    assert message() == (
        "the result changed for this input: parse_port('') returned None; it raises ValueError('no port') now"
    )


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (Observed(returned="1"), Observed(returned="'1'"), "returned 1; it returns '1' now"),
        (Observed(raised="KeyError('a')"), Observed(returned="0"), "raised KeyError('a'); it returns 0 now"),
        (
            Observed(returned="None", arguments=("rows=[1]",)),
            Observed(returned="None"),
            "left rows=[1]; it leaves its arguments as they were now",
        ),
        (Observed(printed="a\n"), Observed(printed="b\n"), "printed 'a\\n'; it prints 'b\\n' now"),
        (
            Observed(returned="None", arguments=("rows=[1...",)),
            Observed(returned="None", arguments=("rows=[1...",)),
            "had another effect in a part that is too long to show",
        ),
        (Observed(), Observed(returned="1"), "returned nothing that can be shown; it returns 1 now"),
    ],
)
def test_both_results_are_shown(before: Observed, after: Observed, text: str) -> None:
    assert message(before=before, after=after).endswith(f"parse_port('') {text}")


def test_callers_and_the_public_function_are_named() -> None:
    callers = tuple(f"b.py:{number}" for number in range(1, 6))
    assert message(callers=callers, through="load").endswith(
        "; through load; called at b.py:1, b.py:2, b.py:3 and 2 more"
    )


def test_long_values_are_cut() -> None:
    assert len(message(before=Observed(returned="x" * 5000), after=Observed(returned="y" * 5000))) < 500


def test_a_change_that_states_that_nothing_changes_gets_a_warning() -> None:
    found = warned(replace(BEHAVIOUR, stated="refactoring"))
    assert (found.code, found.message.rpartition("; ")[2]) == (
        "unstated-behaviour",
        "the change states refactoring",
    )


def test_a_promise_that_is_retained_in_the_text_gets_a_warning() -> None:
    text = "def parse_port(text) -> int:\n    ...\n"
    reading = BehaviourReading(head=lambda path: text)
    now_none = {"before": Observed(returned="80"), "after": Observed(returned="None")}
    found = warned(reading, **now_none)
    assert (found.code, found.message.rpartition("; ")[2]) == (
        "promised-behaviour",
        "its annotation promises int",
    )


def test_a_published_function_with_callers_belongs_to_the_contract() -> None:
    reading = replace(BEHAVIOUR, published=frozenset({("app.py", "parse_port")}))
    assert warned(reading, callers=("b.py:1",)).code == "published-behaviour"
    assert warned(reading).code == "behaviour"


def test_the_confidence_is_the_measured_precision_of_the_rule() -> None:
    known = {"run/behaviour": MeasuredPrecision(SourceKind.RUN, 47, 50, "evals/x.py")}
    assert warned(BEHAVIOUR).confidence == 0
    assert warned(replace(BEHAVIOUR, precision=known)).confidence == 0.94


def test_a_covered_change_has_no_finding() -> None:
    assert of_tests(run_of_tests(lines=(COVERED,))) == []
