"""Runs of tests and comparisons of behaviour, from reports and records, and the pages that show them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec.structs import replace

from tests.conftest import GitRepository
from tests.installed import require_installed
from tests.lab.dashboard.dashboard_stores import stores_in
from tests.planes.evidence_factory import evidence
from tests.planes.run_factory import FAILED, MISSED, SANDBOXED, difference, run_of_behaviour, run_of_tests
from tests.records.sample_reviews import FACTS, MOMENT, review
from wardround.context.run_evidence import (
    LineEvidence,
    RunEvidence,
    RunState,
    TestOutcome,
    UnnoticedMutation,
)
from wardround.records import bundle
from wardround.records.record import predicate_of
from wardround.records.store import open_store
from wardround.workflows.behaviour import report as behaviour_report
from wardround.workflows.test.reports import report_text
from wardround.workflows.test.reports.report import TestReport, TestResult
from wardround_lab.dashboard.views.changed_lines import changed_lines
from wardround_lab.dashboard.views.recorded_run import RecordedRun
from wardround_lab.dashboard.views.run_files import run_files
from wardround_lab.dashboard.views.run_history import run_history
from wardround_lab.dashboard.views.run_tests import PAGE, page_of_tests

require_installed("jinja2")

from wardround_lab.dashboard.pages.test_runs import show_runs  # noqa: E402

HOSTILE = '<img src=x onerror="document.title=1"> ![x](https://example.com/x.png) \x1b[31m'
TESTS = (
    *(TestResult(f"test_app.py::test_{number}", "", TestOutcome.PASSED) for number in range(60)),
    TestResult(f"test_app.py::test_{HOSTILE}", "", TestOutcome.FAILED, excerpt=HOSTILE + "x" * 2**20),
)
REPORT = TestReport("b" * 40, "c" * 40, RunState.COMPLETE, tests=TESTS, lines=(MISSED,), notes=("limited",))


def write(folder: Path, name: str, content: str, seconds: int = 0) -> Path:
    file = folder / "artifacts" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    os.utime(file, (1_900_000_000 + seconds, 1_900_000_000 + seconds))
    return file


def page(folder: Path, **query: str) -> str:
    return str(show_runs(stores_in(folder), query))


def test_all_kinds_of_reports_are_found_the_newest_first(tmp_path: Path) -> None:
    write(tmp_path, "tests.json", report_text.as_json(REPORT))
    write(tmp_path, "last/behaviour.json", behaviour_report.as_json(run_of_behaviour(difference())), 60)
    reviewed = {
        "schema": "wardround.report/1",
        "context": {"base": "b", "head": "h"},
        "run": {"tests": msgspec.to_builtins(run_of_tests()), "counts": {}},
    }
    write(tmp_path, "review.json", msgspec.json.encode(reviewed).decode(), 30)
    write(tmp_path, "packet.json", '{"task": 1}', 90)
    write(tmp_path, "list.json", "[1]", 90)
    write(tmp_path, "begun.json", "", 90)

    found = run_files(tmp_path / "artifacts")

    assert found.problems == ()
    assert [(run.origin, run.result, run.coverage, run.differences) for run in found.runs] == [
        ("last/behaviour.json", "compared", None, 1),
        ("review.json", "passed", (3, 3), None),
        ("tests.json", "failed", (1, 4), None),
    ]
    assert found.runs[2].counts == {TestOutcome.PASSED: 60, TestOutcome.FAILED: 1}


def test_the_report_that_the_next_run_replaces_is_shown_once(tmp_path: Path) -> None:
    write(tmp_path, "test-report.json", report_text.as_json(REPORT))
    assert len(run_files(tmp_path / "artifacts").runs) == 1
    write(tmp_path, "kept.json", report_text.as_json(REPORT))
    assert [run.origin for run in run_files(tmp_path / "artifacts").runs] == ["kept.json"]


def test_files_that_cannot_be_read_are_one_sentence_each_and_hide_no_other(tmp_path: Path) -> None:
    write(tmp_path, "newer.json", '{"schema": "wardround.test-report/2"}')
    write(tmp_path, "broken.json", '{"schema": "wardround.test-report/1"')
    write(tmp_path, "other.json", '{"schema": "wardround.test-report/1", "base": 1}')
    write(tmp_path, "tests.json", report_text.as_json(REPORT))
    (tmp_path / "artifacts" / "link.json").symlink_to(tmp_path / "artifacts" / "tests.json")

    found = run_files(tmp_path / "artifacts")

    assert len(found.runs) == 1
    newer = "newer.json: it has the schema wardround.test-report/2, not wardround.test-report/1"
    assert sum(problem.startswith(newer) for problem in found.problems) == 1
    assert sum("it is not a report of this version" in problem for problem in found.problems) == 2
    assert "upgrade wardround" in page(tmp_path)


def test_runs_of_records_are_shown_with_those_of_files(tmp_path: Path) -> None:
    tests = run_of_tests(replace(FAILED, base=TestOutcome.PASSED), mutations=2, unnoticed=(
        UnnoticedMutation("app.py", 2, "a + b", "a - b"),
    ))  # fmt: skip
    run = RunEvidence(tests, run_of_behaviour(difference(call=f"parse_port({HOSTILE!r})")))
    with open_store(tmp_path / "records.sqlite") as records:
        records.append(bundle.write(predicate_of(review(evidence())), FACTS, None, MOMENT), FACTS)
        recorded = predicate_of(review(evidence(), run=run))
        digest = records.append(bundle.write(recorded, FACTS, None, MOMENT), FACTS)

    (found,) = run_history(stores_in(tmp_path)).runs
    html = page(tmp_path, run=found.key)

    assert (found.origin, found.result, found.unnoticed) == (
        f"record {digest[:12]} of shop",
        "failed",
        (1, 2),
    )
    assert "Tests noticed 1 of 2 small edits" in html
    assert "a - b" in html
    assert "raised ValueError(&#39;no port&#39;)" in html
    assert "<img" not in html


def test_a_broken_record_store_is_one_sentence_and_hides_no_report(tmp_path: Path) -> None:
    (tmp_path / "records.sqlite").write_text("no database" * 100)
    write(tmp_path, "tests.json", report_text.as_json(REPORT))

    html = page(tmp_path)

    assert f"the record store {tmp_path}/records.sqlite" in html
    assert "tests.json" in html


def test_tests_are_paged_failures_first_and_found_by_outcome(tmp_path: Path) -> None:
    write(tmp_path, "tests.json", report_text.as_json(REPORT))
    (run,) = run_files(tmp_path / "artifacts").runs

    first = page_of_tests(run)

    assert (len(first.rows), first.pages, first.rows[0].outcome) == (PAGE, 2, TestOutcome.FAILED)
    assert page_of_tests(run, "passed").total == 60
    assert "Page 2 of 2" in page(tmp_path, run="file/tests.json", page="2")


def test_a_hostile_output_of_a_megabyte_is_short_text(tmp_path: Path) -> None:
    write(tmp_path, "tests.json", report_text.as_json(REPORT))

    html = page(tmp_path, run="file/tests.json")

    assert "<img" not in html
    assert "&lt;img" in html
    assert "\x1b" not in html
    assert "more characters" in html
    assert len(html) < 60_000


def test_an_empty_installation_names_what_to_run_and_a_removed_run_is_one_sentence(tmp_path: Path) -> None:
    assert "wardround behaviour --base origin/main --format json &gt; artifacts/wardround" in page(tmp_path)
    assert "the run &#39;file/gone.json&#39; does not exist any more" in page(tmp_path, run="file/gone.json")


def recorded(head: str, created: str = "2030-01-01T00:00:00Z", *lines: LineEvidence) -> RecordedRun:
    tests = run_of_tests(lines=lines or (LineEvidence("app.py", (1,), (2,), (3,)),), conditions=SANDBOXED)
    return RecordedRun(
        key="k", origin="o", created=created, evidence=RunEvidence(tests=tests), base="b", head=head
    )


def test_lines_that_no_test_ran_are_shown_with_their_code(repo: GitRepository) -> None:
    head = repo.commit({"app.py": "first\nsecond\nthird\n"})
    repo.commit({"app.py": "other\n"})

    (file,) = changed_lines(recorded(head), repo.root).files

    assert (file.path, file.covered, file.total) == ("app.py", 1, 2)
    assert [(line.number, line.is_partial, line.code) for line in file.lines] == [
        (2, False, "second"),
        (3, True, "third"),
    ]


def test_the_code_is_not_shown_where_it_is_not_known(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit({"app.py": "first\nsecond\n"})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    for run, root, note in (
        (recorded("c" * 40), repo.root, f"{repo.root} does not have {'c' * 40}"),
        (recorded("--help"), repo.root, "does not have --help"),
        (recorded("index", "2001-01-01T00:00:00Z"), repo.root, "the index was changed after this run"),
        (recorded("index"), elsewhere, "The code is not shown: "),
    ):
        found = changed_lines(run, root)
        assert note in found.note
        assert [line.code for line in found.files[0].lines] == [None, None]
    assert (
        changed_lines(recorded("index", "2999-01-01T00:00:00Z"), repo.root).files[0].lines[0].code == "second"
    )


def test_a_page_shows_a_limited_number_of_lines(tmp_path: Path) -> None:
    many = LineEvidence("app.py", (), tuple(range(1, 1001)))

    found = changed_lines(recorded("c" * 40, "2030-01-01T00:00:00Z", many), tmp_path)

    assert (len(found.files[0].lines), found.left, found.files[0].total) == (400, 600, 1000)
