"""A specialist of a plugin counts in its planes like a built-in one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.plugin_distributions import install

_PLUGIN = """
from wardround.checks.base import ChangeCheck, Check
from wardround.findings import Plane, Span
from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

class Todo(Check):
    '''A task that nobody has done.

    Do it.
    '''

    ID = "ACME001"
    NAME = "open-task"
    PLANE = Plane.SEMANTIC

    def run(self):
        if "crash" in self.source.text:
            raise ValueError("crashed")
        for number, line in enumerate(self.source.lines, 1):
            if line.startswith("todo"):
                self.report(Span(number, 1, number, 5), "this task is open; do it")

class Paired(ChangeCheck):
    '''A plan without its budget.

    Add it.
    '''

    ID = "ACME002"
    NAME = "plan-without-budget"
    PLANE = Plane.PERF

    def run(self):
        if any("no budget" in (file.text or "") for file in self.change.files):
            raise ValueError("crashed")

class Plans(Specialist):
    name = "plans"
    patterns = ("*.plan",)
    checks = (Todo,)
    change_checks = (Paired,)

@hookimpl
def wardround_specialists():
    return [Plans()]
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder where the plugin is installed."""
    install(tmp_path / "site", "acme_plans", _PLUGIN)
    return tmp_path / "site"


def review(repo: GitRepository, site: Path, *options: str) -> dict[str, Any]:
    done = repo.wardround(
        "review", "--profile", "ci", "--format", "json", *options, env={"PYTHONPATH": str(site)}
    )
    assert done.returncode in (0, 1, 4), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def signal(report: dict[str, Any], plane: str) -> dict[str, Any]:
    return next(item for item in report["signals"] if item["plane"] == plane)


def test_a_clean_result_is_a_reviewed_plane(repo: GitRepository, site: Path) -> None:
    repo.stage({"a.plan": "done\n"})
    report = review(repo, site)
    found = signal(report, "semantic")
    assert (found["status"], found["severity"], found["confidence"]) == ("reviewed", "none", 1.0)
    assert signal(report, "contract")["status"] == "not-applicable"


def test_a_finding_counts_in_its_plane(repo: GitRepository, site: Path) -> None:
    repo.stage({"a.plan": "todo\n"})
    found = signal(review(repo, site), "semantic")
    assert (found["status"], found["severity"]) == ("reviewed", "warn")


def test_a_crash_is_an_inconclusive_plane(repo: GitRepository, site: Path) -> None:
    repo.stage({"a.plan": "crash\n"})
    found = signal(review(repo, site), "semantic")
    assert (found["status"], found["confidence"]) == ("inconclusive", 0.0)
    assert any("check ACME001 crashed" in reason for reason in found["reasons"])


def test_a_clean_check_of_the_change_is_a_reviewed_plane(repo: GitRepository, site: Path) -> None:
    repo.stage({"a.plan": "done\n"})
    found = signal(review(repo, site), "perf")
    assert (found["status"], found["confidence"]) == ("reviewed", 1.0)


def test_a_crashed_check_of_the_change_is_an_inconclusive_plane(repo: GitRepository, site: Path) -> None:
    repo.stage({"a.plan": "no budget\n"})
    found = signal(review(repo, site), "perf")
    assert found["status"] == "inconclusive"
    assert "no result of the checks of plans for the entire change" in found["reasons"]


def test_a_record_keeps_the_declaration_and_is_replayed_without_the_plugin(
    repo: GitRepository, site: Path, tmp_path: Path
) -> None:
    repo.stage({"a.plan": "done\n"})
    record = tmp_path / "review.intoto.jsonl"
    review(repo, site, "--record", str(record))
    done = repo.wardround("replay", str(record))
    assert done.returncode == 0, done.stdout + done.stderr
