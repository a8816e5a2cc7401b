"""``wardround test`` on a repository of JavaScript."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.workflows.test.tiny_scripts import FILES, TESTS

FILES_WITH_LOCK = {**FILES, "package-lock.json": "{}\n", ".gitignore": "node_modules\n"}


@pytest.fixture
def scripts(repo: GitRepository) -> GitRepository:
    repo.commit(FILES_WITH_LOCK)
    (repo.root / "node_modules").mkdir()
    return repo


def report(repo: GitRepository, *arguments: str) -> dict[str, Any]:
    done = repo.wardround("test", "--format", "json", *arguments)
    assert done.returncode in (0, 1, 4), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_first_run_runs_everything_and_the_next_plan_is_small(scripts: GitRepository) -> None:
    scripts.stage({"src/prices.js": FILES["src/prices.js"].replace("net * (1 + RATE)", "net + net * RATE")})

    first = report(scripts)

    assert {test["id"].partition(" > ")[0] for test in first["tests"]} == set(TESTS)
    assert (first["state"], first["runs"][0]["framework"]) == ("complete", "node:test")
    assert first["runs"][0]["command_source"] == {
        "value": "node --test", "file": "package.json", "key": "scripts.test",
    }  # fmt: skip
    second = report(scripts)
    assert {test["id"].partition(" > ")[0] for test in second["tests"]} == {
        "test/basket.test.js", "test/launch.test.js", "test/prices.test.js",
    }  # fmt: skip
    assert second["omitted"] == 3
    assert second["tests"][0]["reason"] == "it ran src/prices.js::gross, which changed"


def test_a_failing_test_fails_the_run_and_is_run_until_it_passes(scripts: GitRepository) -> None:
    report(scripts, "--target", "all")
    scripts.stage({"src/words.js": FILES["src/words.js"].replace("'utf8'", "'utf8'.missing()")})

    done = scripts.wardround("test")

    assert done.returncode == 1
    assert "failed test/words.test.js > the words are there" in done.stdout
    scripts.stage({"src/words.js": FILES["src/words.js"]})
    plan = report(scripts, "--dry-run")["plan"]
    assert plan["selected"][0] == {
        "id": "test/words.test.js", "cause": "failed-before", "reason": "a test of it failed in its last run",
        "evidence": [],
    }  # fmt: skip


def test_without_packages_the_report_names_what_to_do(scripts: GitRepository) -> None:
    (scripts.root / "node_modules").rmdir()
    scripts.stage({"src/words.js": FILES["src/words.js"] + "//\n"})

    found = report(scripts)

    assert found["state"] == "refused"
    assert "has no node_modules; install its packages" in found["detail"]


def test_requested_files_are_planned(scripts: GitRepository) -> None:
    plan = report(scripts, "--dry-run", "--target", "test/words.test.js")["plan"]

    assert [item["id"] for item in plan["selected"]] == ["test/words.test.js"]


def test_a_test_that_failed_before_the_change_does_not_block_a_review(scripts: GitRepository) -> None:
    failing = "import test from 'node:test';\ntest('broken', () => { throw new Error('always'); });\n"
    scripts.commit({"test/broken.test.js": failing})
    scripts.commit({"src/prices.js": FILES["src/prices.js"].replace("net * (1 + RATE)", "net + net * RATE")})

    done = scripts.wardround(
        "review", "--base", "HEAD~1", "--run=tests", "--format", "json", "--only", "tests"
    )

    found = json.loads(done.stdout)
    assert [item["message"] for item in found["findings"] if item["rule"] == "run/failed-test"] == []
    tests = {item["id"]: (item["outcome"], item["base"]) for item in found["run"]["tests"]["tests"]}
    assert tests["test/broken.test.js > broken"] == ("failed", "failed")


CHANGED = {
    "src/prices.js": FILES["src/prices.js"].replace(
        "return net * (1 + RATE);",
        "if (net < 0) {\n    return 0;\n  }\n  return net * (1 + RATE);",
    )
}


def test_changed_lines_that_no_test_runs_are_reported(scripts: GitRepository) -> None:
    scripts.stage(CHANGED)

    (lines,) = report(scripts)["lines"]

    assert lines == {"path": "src/prices.js", "covered": [7], "uncovered": [8], "partial": []}


def test_a_review_has_a_finding_for_changed_lines_that_no_test_runs(scripts: GitRepository) -> None:
    scripts.commit(CHANGED)

    done = scripts.wardround(
        "review", "--base", "HEAD~1", "--run=tests", "--format", "json", "--only", "tests"
    )

    found = [item for item in json.loads(done.stdout)["findings"] if item["rule"] == "run/uncovered-lines"]
    assert [(item["file"], item["line"]) for item in found] == [("src/prices.js", 8)]


def test_the_coverage_of_the_base_is_compared(scripts: GitRepository) -> None:
    scripts.stage(CHANGED)

    (delta,) = report(scripts, "--compare-base")["delta"]

    assert delta == {"path": "src/prices.js", "base": [3, 4], "head": [4, 6]}


def test_small_edits_of_changed_lines_run_the_tests_that_run_them(scripts: GitRepository) -> None:
    scripts.stage(CHANGED)

    mutation = report(scripts, "--mutate", "60")["mutation"]

    assert mutation["state"] == "complete"
    noticed = {(item["line"], item["kind"]): item["is_noticed"] for item in mutation["tried"]}
    assert noticed[7, "condition"]
    assert not noticed[7, "boundary"]
    assert {line for line, _ in noticed} == {7}
