"""Runs the steps of action.yml and of the Jenkinsfile as the two systems run them, for the tests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import GitRepository

ROOT = Path(__file__).parent.parent
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
"""How GitHub's runner starts ``shell: bash``; the script is a separate file."""


def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return loaded


@dataclass(frozen=True)
class Event:
    """A GitHub event: its name, its payload, and its ref."""

    name: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    ref: str = "main"
    ref_type: str = "branch"

    @classmethod
    def push(cls, before: str, after: str, *, ref: str = "main", default: str = "main", **more: Any) -> Event:
        payload = {"before": before, "after": after, "repository": {"default_branch": default}, **more}
        return cls("push", payload, ref)

    @classmethod
    def pull_request(cls, base: str, head: str, *, target: str = "main", name: str = "pull_request") -> Event:
        request = {"base": {"sha": base, "ref": target}, "head": {"sha": head, "ref": "topic"}}
        payload = {"pull_request": request, "repository": {"default_branch": "main"}}
        return cls(name, payload, "7/merge" if name == "pull_request" else target)


@dataclass(frozen=True)
class Ran:
    """The effects of a run: how the review ended, the outputs, the summary and the reports."""

    done: subprocess.CompletedProcess[str]
    outputs: Mapping[str, str]
    summary: str
    uploaded: tuple[Path, ...]

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((Path(self.outputs["reports-dir"]) / "report.json").read_text())
        return report

    @property
    def base(self) -> str:
        base: str = self.report["context"]["base"]
        return base


class Runner:
    """A GitHub runner with its own folders; unless it installs, the environment of the tests is used."""

    def __init__(self, folder: Path, *, installs: bool = False) -> None:
        self.folder = folder
        self.temp = folder / "temp"
        self.temp.mkdir(parents=True)
        self.home = None if installs else _installed(self.temp / "wardround.plugin_discovery")

    def run(
        self,
        workspace: Path,
        event: Event,
        inputs: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        source: Path = ROOT,
    ) -> Ran:
        """Run the steps until one fails; an upload only lists its files."""
        loaded = action()
        given = {name: spec.get("default", "") for name, spec in loaded["inputs"].items()} | dict(
            inputs or {}
        )
        assert set(given) == set(loaded["inputs"])
        payload = self.folder / "event.json"
        payload.write_text(json.dumps(event.payload))
        context = {f"inputs.{name}": value for name, value in given.items()}
        context |= {"runner.temp": str(self.temp), "github.action_path": str(source)}
        around = {
            "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(workspace), "RUNNER_TEMP": str(self.temp),
            "GITHUB_EVENT_NAME": event.name, "GITHUB_EVENT_PATH": str(payload),
            "GITHUB_REF_NAME": event.ref, "GITHUB_REF_TYPE": event.ref_type,
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"), **(env or {}),
        }  # fmt: skip
        done, uploaded = None, ()
        for step in loaded["runs"]["steps"]:
            if "uses" in step:
                uploaded = tuple(map(Path, evaluate(step["with"]["path"], context).split()))
            elif step["id"] == "install" and self.home is not None:
                context["steps.install.outputs.home"] = str(self.home)
            elif done is None or done.returncode == 0:
                done = self._step(step, context, around)
        assert done is not None
        outputs = {name.rpartition(".")[2]: value for name, value in context.items() if ".review." in name}
        summary = self.folder / "summary"
        return Ran(done, outputs, summary.read_text() if summary.exists() else "", uploaded)

    def _step(
        self, step: Mapping[str, Any], context: dict[str, str], around: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        assert "${{" not in step["run"]
        output, script = self.folder / f"{step['id']}.output", self.folder / f"{step['id']}.sh"
        output.write_text("")
        script.write_text(step["run"])
        env = {name: evaluate(value, context) for name, value in step["env"].items()}
        cwd = Path(evaluate(step["working-directory"], context))
        started = GitRepository(cwd)
        done = started.run(*_BASH, script, env={**around, **env, "GITHUB_OUTPUT": str(output)})
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            context[f"steps.{step['id']}.outputs.{name}"] = value
        return done


def evaluate(text: str, context: Mapping[str, str]) -> str:
    """Replace the expressions of a workflow, which are names here and nothing more."""
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: context.get(found[1], ""), text)


def _installed(folder: Path) -> Path:
    """A folder that resembles a finished installation: its environment is the one of the tests."""
    folder.mkdir()
    (folder / "venv").symlink_to(Path(sys.executable).parent.parent, target_is_directory=True)
    return folder


def jenkins_script() -> str:
    """The shell script of the Jenkinsfile, as Groovy reads it from a literal in three quotes."""
    found = re.findall(r"script: '''(.*?)'''", (ROOT / "Jenkinsfile").read_text(), re.DOTALL)
    (script,) = found
    assert "\\\\" not in script
    return script.replace("\\\n", "")


def run_jenkins(
    workspace: Path, folder: Path, env: Mapping[str, str], *, installs: bool = False
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Run the stage in a workspace; unless it installs, the environment of the tests is used.

    Returns:
        Return the exit status, and the folder whose reports are archived.
    """
    temp = folder / "workspace@tmp"
    temp.mkdir(parents=True, exist_ok=True)
    script = jenkins_script()
    if not installs:
        venv = Path(sys.executable).parent.parent
        script, replaced = re.subn(r"(?m)^ *python3 -I .*$", f'ln -s "{venv}" "$home/venv"', script)
        assert replaced == 1
    around = {"WORKSPACE": str(workspace), "WORKSPACE_TMP": str(temp), "JENKINS_URL": "set",
              "WARDROUND_SOURCE": str(ROOT), **env}  # fmt: skip
    done = GitRepository(temp).run("/bin/sh", "-xe", "-c", script, env=around)
    return done, temp / "wardround" / "reports"


def fresh(parent: Path) -> Path:
    """A new folder."""
    return Path(tempfile.mkdtemp(dir=parent))
