"""A tool that a plugin adds: its findings, its comments and its plane, without an edit of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.plugin_distributions import install_package

_FILES = {
    "__init__.py": """
from wardround.hookspecs import hookimpl

@hookimpl
def wardround_specialists():
    from acme_valves.specialist import Valves

    return [Valves()]
""",
    "specialist.py": """
from wardround.lazy import LazySequence
from wardround.specialists import Specialist

class Valves(Specialist):
    name = "valves"
    patterns = ("*.valve",)
    tools = LazySequence("acme_valves.valvelint:TOOLS")
""",
    "valvelint.py": """
import json
from pathlib import Path

from wardround.findings import Plane, RawFinding, Span
from wardround.tools.ignore_comments import CommentForm, IgnoreComment
from wardround.tools.tool import Tool

class Valvelint(Tool):
    name = "valvelint"
    program = "valvelint"
    success_codes = frozenset({0})
    install = "pip install acme-valves"
    map_package = "acme_valves"
    planes = required_planes = frozenset({Plane.PERF})
    ignore_comments = (
        IgnoreComment(
            r"!\\s*valvelint\\s+off\\b",
            ("valvelint",),
            ((CommentForm(("*.valve",)), r"!\\s*(valvelint\\s+off)\\b"),),
        ),
    )

    def find(self, root):
        return Path(__file__).with_name("valvelint")

    def command(self, run):
        return [str(run.program), *run.files]

    def parse(self, output, run):
        return [
            RawFinding(one["code"], one["file"], Span(one["line"], 1, one["line"], 5), "it is open; shut it")
            for one in json.loads(output)
        ]

TOOLS = (Valvelint(),)
""",
    "tools/valvelint.yml": """
tool: valvelint
code: '[a-z-]+'
default: {plane: perf, severity: error}
codes:
  open-valve: {name: open-valve, defect-class: open-valve, why: It wastes steam.}
""",
    "valvelint": """#!/usr/bin/env python3
import json, sys
if "--version" in sys.argv:
    print("valvelint 1.2.3")
    raise SystemExit
found = []
for file in sys.argv[1:]:
    lines = open(file).read().split("\\n")
    if "burst" in lines:
        raise SystemExit(3)
    found += [
        {"code": "open-valve", "file": file, "line": number}
        for number, line in enumerate(lines, 1)
        if line.startswith("open") and "! valvelint off" not in line
    ]
print(json.dumps(found))
""",
}


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    """The environment in which the plugin is installed."""
    install_package(tmp_path / "site", "acme_valves", _FILES)
    (tmp_path / "site" / "acme_valves" / "valvelint").chmod(0o755)
    return {"PYTHONPATH": str(tmp_path / "site")}


def perf(report: dict[str, Any]) -> tuple[str, str]:
    """The status and the severity of the plane of the tool."""
    signal = next(item for item in report["signals"] if item["plane"] == "perf")
    return signal["status"], signal["severity"]


def rules(report: dict[str, Any]) -> set[tuple[str, int]]:
    return {
        (finding["rule"], finding["line"])
        for finding in report["findings"]
        if finding["status"] != "suppressed"
    }


def test_its_findings_count_in_its_plane(repo: GitRepository, site: dict[str, str]) -> None:
    repo.stage({"a.valve": "closed\nopen\n"})
    report = repo.report("--profile", "ci", env=site)
    assert rules(report) == {("valvelint/open-valve", 2)}
    assert perf(report) == ("reviewed", "error")
    assert {"valvelint"} <= {run["tool"] for run in report["runs"]}


def test_its_clean_result_is_a_reviewed_plane(repo: GitRepository, site: dict[str, str]) -> None:
    repo.stage({"a.valve": "closed\n"})
    assert perf(repo.report("--profile", "ci", env=site)) == ("reviewed", "none")


def test_its_failure_is_an_inconclusive_plane(repo: GitRepository, site: dict[str, str]) -> None:
    repo.stage({"a.valve": "burst\n"})
    report = repo.report("--profile", "ci", env=site)
    assert perf(report)[0] == "inconclusive"
    assert report["gate"]["outcome"] == "inconclusive"


def test_a_comment_that_the_change_adds_hides_nothing_from_the_verdict(
    repo: GitRepository, site: dict[str, str]
) -> None:
    repo.commit({"a.valve": "closed\n"})
    repo.commit({"a.valve": "closed\nopen ! valvelint off\n"})
    report = repo.report("--base", "HEAD~1", "--config-from", "base", "--profile", "ci", env=site)
    assert rules(report) == {("valvelint/open-valve", 2), ("wardround/waiver-added", 2)}
    notice = next(finding for finding in report["findings"] if finding["rule"] == "wardround/waiver-added")
    assert (notice["line"], notice["column"]) == (2, 6)
    assert "'valvelint off' switches a tool off here" in notice["message"]
    assert perf(report) == ("reviewed", "error")
