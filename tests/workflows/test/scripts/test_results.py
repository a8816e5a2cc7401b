"""Reports as vitest 4, jest 26 and 30 and mocha 10 write them, shortened to the fields that matter."""

from __future__ import annotations

import json

import pytest

from wardround.context import run_evidence
from wardround.workflows.test.scripts.results import ReportUnreadable, read_results

SUITES = {
    "numTotalTests": 4,
    "success": False,
    "testResults": [
        {
            "name": "/tree/src/a.test.ts",
            "status": "failed",
            "message": "",
            "assertionResults": [
                {
                    "ancestorTitles": ["a", "b"],
                    "fullName": "a b adds",
                    "status": "passed",
                    "title": "adds",
                    "duration": 2.5,
                    "failureMessages": [],
                    "meta": {},
                },
                {
                    "ancestorTitles": [],
                    "status": "failed",
                    "title": "fails",
                    "duration": None,
                    "failureMessages": ["AssertionError: expected 1 to be 2\n    at /tree/src/a.test.ts:3:1"],
                },
                {"ancestorTitles": [], "status": "pending", "title": "later", "failureMessages": []},
                {"ancestorTitles": [], "status": "todo", "title": "some day"},
            ],
        },
        {
            "name": "/tree/src/broken.test.ts",
            "status": "failed",
            "message": "SyntaxError: Unexpected token",
            "assertionResults": [],
        },
    ],
}


@pytest.mark.parametrize("framework", ["vitest", "jest"])
def test_a_report_of_suites_has_titles_outcomes_and_reasons(framework: str) -> None:
    results = read_results(framework, json.dumps(SUITES).encode(), "/tree")

    assert [(item.id, item.outcome.value) for item in results] == [
        ("src/a.test.ts > a > b > adds", "passed"),
        ("src/a.test.ts > fails", "failed"),
        ("src/a.test.ts > later", "skipped"),
        ("src/a.test.ts > some day", "skipped"),
        ("src/broken.test.ts", "error"),
    ]
    assert results[0].seconds == 0.0025
    assert results[1].excerpt.startswith("AssertionError: expected 1 to be 2")
    assert results[4].excerpt == "SyntaxError: Unexpected token"


def test_a_report_of_mocha_has_titles_outcomes_and_reasons() -> None:
    tests = [
        {"title": "adds", "fullTitle": "sum adds", "file": "/tree/test/a.js", "duration": 1, "err": {}},
        {"title": "later", "fullTitle": "sum later", "file": "/tree/test/a.js", "err": {}},
        {
            "title": "fails",
            "fullTitle": "sum fails",
            "file": "/tree/test/a.js",
            "err": {"message": "1 == 2", "stack": "AssertionError: 1 == 2\n    at test/a.js:2"},
        },
    ]
    report = {"stats": {"tests": 3}, "tests": tests, "pending": [tests[1]], "failures": [tests[2]]}

    results = read_results("mocha", json.dumps(report).encode(), "/tree")

    assert [(item.id, item.outcome.value) for item in results] == [
        ("test/a.js > sum adds", "passed"),
        ("test/a.js > sum later", "skipped"),
        ("test/a.js > sum fails", "failed"),
    ]
    assert results[2].excerpt.endswith("at test/a.js:2")


def test_a_group_whose_tests_failed_is_not_a_failure_of_its_own() -> None:
    line = {"file": "/tree/a.test.js", "passed": False, "skipped": False, "milliseconds": 1}
    rows = [
        {**line, "titles": ["group", "fails"], "group": False, "problem": "Error: no"},
        {**line, "titles": ["group"], "group": True, "problem": "1 subtest failed"},
        {**line, "titles": ["hook"], "group": True, "problem": "Error: in before"},
    ]

    results = read_results("node:test", "\n".join(map(json.dumps, rows)).encode(), "/tree")

    assert [item.id for item in results] == ["a.test.js > group > fails", "a.test.js > hook"]


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff\xfe", b'{"testResults": [{"name": 1}]}'])
def test_a_missing_or_broken_report_is_named(content: bytes | None) -> None:
    with pytest.raises(ReportUnreadable, match=r"vitest"):
        read_results("vitest", content, "/tree")


def test_a_report_without_tests_has_no_results() -> None:
    assert read_results("jest", b'{"testResults": []}', "/tree") == ()
    assert read_results("node:test", b"", "/tree") == ()


def test_the_end_of_a_long_failure_is_retained() -> None:
    suites = json.loads(json.dumps(SUITES))
    suites["testResults"][0]["assertionResults"][1]["failureMessages"] = ["x" * 9000 + "end"]

    results = read_results("jest", json.dumps(suites).encode(), "/tree")

    failed = next(item for item in results if item.outcome is run_evidence.TestOutcome.FAILED)
    assert failed.excerpt.endswith("end")
    assert len(failed.excerpt) <= 4000


def test_half_a_character_in_a_title_does_not_lose_the_report() -> None:
    suite = {"name": "/tree/a.test.ts", "assertionResults": [{"status": "passed", "title": r"TITLE"}]}
    content = json.dumps({"testResults": [suite]}).replace("TITLE", r"\ud83d \\\\ud83d \ud83d\ude00 \ude00")

    (result,) = read_results("vitest", content.encode(), "/tree")

    assert result.id == "a.test.ts > \ufffd \\\\ud83d \U0001f600 \ufffd"
