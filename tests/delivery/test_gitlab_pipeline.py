"""The jobs of the pipeline for GitLab, whose scripts run as its runner starts them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.ci_runs import ROOT, WITHOUT_SLOW_TOOLS, fresh, write_environment
from tests.conftest import GitRepository
from tests.delivery.branches_on_server import Server
from tests.delivery.gitlab_api import TOKEN, GitlabApi
from tests.delivery.test_ci_systems import MERGE_REQUEST
from tests.delivery.test_events import _files

_INPUT = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")
_INSTALL = re.compile(r"(?m)^python3 -I .*$")


def jobs(inputs: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the declared inputs, and the jobs with the values of inputs."""
    header, body = yaml.safe_load_all((ROOT / ".ci/gitlab.yml").read_text())
    declared = header["spec"]["inputs"]
    values = {name: str(spec["default"]).lower() for name, spec in declared.items()} | dict(inputs)
    assert set(values) == set(declared)
    return declared, replace_inputs(body, values)


def replace_inputs(node: Any, values: Mapping[str, str]) -> Any:
    """Replace the inputs in the texts of a document, as GitLab does after it has parsed it."""
    match node:
        case str():
            return _INPUT.sub(lambda found: values[found[1]], node)
        case list():
            return [replace_inputs(child, values) for child in node]
        case dict():
            return {name: replace_inputs(child, values) for name, child in node.items()}
        case _:
            return node


def run_job(
    name: str, workspace: GitRepository, env: Mapping[str, str], inputs: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run the scripts of a job in one shell, with the environment of the tests as the installation."""
    _, loaded = jobs(inputs)
    parent, job = loaded[".wardround"], loaded[name]
    lines = [*parent["before_script"], *job["script"]]
    environment = fresh(workspace.root.parent) / "venv"
    write_environment(environment, WITHOUT_SLOW_TOOLS)
    script, replaced = _INSTALL.subn(f'ln -s "{environment}" "$home/venv"', "\n".join(lines))
    assert replaced == 1
    variables = {**parent["variables"], **job["variables"], "CI_PROJECT_DIR": str(workspace.root), **env}
    return workspace.run(
        "bash",
        "-c",
        f"set -eo pipefail\n{script}",
        env={"TMPDIR": str(fresh(workspace.root.parent)), **variables},
    )


def test_no_job_gets_variables_or_files_of_a_job_that_runs_the_change() -> None:
    _, defined = jobs({})
    assert defined["wardround"]["dependencies"] == []
    assert defined["wardround-post"]["needs"] == ["wardround"]
    assert "dotenv" not in defined["wardround"]["artifacts"]["reports"]


def test_every_input_is_used_and_described() -> None:
    text = (ROOT / ".ci/gitlab.yml").read_text()
    declared, _ = jobs({})
    assert set(_INPUT.findall(text)) == set(declared)
    assert all(spec["description"].endswith(".") for spec in declared.values())


def test_a_merge_request_is_reviewed_and_its_findings_are_posted(server: Server, tmp_path: Path) -> None:
    head = server.topic[-1]
    workspace = server.checkout(fresh(tmp_path), head, depth=1)
    env = MERGE_REQUEST | {"WARDROUND_SOURCE": str(ROOT), "CI_COMMIT_SHA": head}
    done = run_job("wardround", workspace, env, {"fail-level": "none"})
    assert done.returncode == 0, done.stderr
    reports = workspace.root / "wardround-reports"
    assert _files(json.loads((reports / "report.json").read_text())) == ["topic1.sql", "topic2.sql"]
    assert {"gitlab.json", "planes.xml", "review.intoto.jsonl"} <= {file.name for file in reports.iterdir()}
    api = GitlabApi(head, {"topic1.sql": range(1, 2), "topic2.sql": range(1, 2)})
    with api.server.serve() as url:
        posted = run_job(
            "wardround-post",
            workspace,
            env | {"GITLAB_TOKEN": TOKEN, "CI_API_V4_URL": url},
            {"comment": "true", "act": "dry-run"},
        )
    assert posted.returncode == 0, posted.stderr
    assert {thread.path for thread in api.threads} == {"topic1.sql", "topic2.sql"}
    assert len(api.summaries()) == 1
    assert api.statuses == []
    assert "publish check" in posted.stdout


def test_reports_that_the_change_contains_are_refused(server: Server, tmp_path: Path) -> None:
    head = server.topic[-1]
    workspace = server.checkout(fresh(tmp_path), head, depth=1)
    (workspace.root / "wardround-reports").mkdir()
    (workspace.root / "wardround-reports" / "report.json").write_text("{}")
    env = MERGE_REQUEST | {"WARDROUND_SOURCE": str(ROOT), "CI_COMMIT_SHA": head}
    done = run_job("wardround", workspace, env, {})
    assert done.returncode == 2
    assert "is not an empty directory of this user alone" in done.stderr


def test_without_a_source_the_commit_must_be_named(server: Server, tmp_path: Path) -> None:
    workspace = server.checkout(fresh(tmp_path), server.topic[-1], depth=1)
    done = run_job("wardround", workspace, MERGE_REQUEST, {})
    assert done.returncode != 0
    assert "name the commit of wardround" in done.stderr
