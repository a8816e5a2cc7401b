"""The GitHub Action and the Jenkinsfile: their own scripts, run by the shells that will run them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import GitRepository

ROOT = Path(__file__).parent.parent


@pytest.fixture
def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return loaded


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    """A repository whose last commit is a bad one."""
    repo.write("app.py", "x = 1\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "good")
    repo.write("app.py", "print(missing)\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "bad")
    return repo


def test_the_action_reviews_keeps_reports_and_fails_with_our_status(
    changed: GitRepository, action: dict[str, Any], tmp_path: Path
) -> None:
    (step,) = [s for s in action["runs"]["steps"] if s.get("id") == "review"]
    output = tmp_path / "output"
    reports = tmp_path / "reports"
    environment = dict.fromkeys(step["env"], "") | {
        "WARDROUND_HOME": str(Path(sys.executable).parent.parent),
        "WARDROUND_BASE": "HEAD~1", "WARDROUND_HEAD": "HEAD", "WARDROUND_CONFIG_FROM": "base",
        "WARDROUND_REPORTS": str(reports), "GITHUB_OUTPUT": str(output),
    }  # fmt: skip

    done = changed.run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], env=environment)

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=app.py,line=1,endLine=1,col=7,endColumn=13,title=ruff/F821::")
    assert output.read_text() == "exit-code=1\n"
    report = json.loads((reports / "report.json").read_text())
    assert [finding["rule"] for finding in report["findings"]] == ["ruff/F821"]
    ran = {run["tool"] for run in report["runs"]}
    assert ran >= {"ast-grep", "pyright", "python", "ruff", "semgrep", "ty"}
    assert sorted(path.name for path in reports.iterdir()) == ["report.json", "report.sarif", "report.txt"]


def test_the_action_passes_nothing_untrusted_into_a_script(action: dict[str, Any]) -> None:
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        if "uses" in step:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])


def test_the_stage_of_jenkins_reviews_and_keeps_reports(changed: GitRepository, tmp_path: Path) -> None:
    text = (ROOT / "Jenkinsfile").read_text()
    found = re.search(r"label: 'review', script: '''(.*?)'''", text, re.DOTALL)
    assert found is not None
    script = found[1].replace(".wardround-venv/bin/", f"{Path(sys.executable).parent}/")

    done = changed.run("/bin/sh", "-e", "-c", script, env={"CHANGE_TARGET": ""})

    assert done.returncode == 1, done.stderr
    assert "Undefined name `missing` [ruff/F821]" in done.stdout
    kept = sorted(path.name for path in (changed.root / "wardround-reports").iterdir())
    assert kept == ["report.json", "report.sarif", "report.txt"]


def test_workflows_are_pinned_and_have_no_rights_they_do_not_need() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
