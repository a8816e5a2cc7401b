"""Runs the steps of action.yml and of the Jenkinsfile as the two systems run them, for the tests."""

from __future__ import annotations

import importlib.util
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

from tests.conftest import SLOW_TOOLS, TIMEOUT_S, GitRepository

ROOT = Path(__file__).parent.parent
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
"""How GitHub's runner starts ``shell: bash``; the script is a separate file."""


WITHOUT_SLOW_TOOLS = f"""\
#!{sys.executable} -I
import pkgutil, sys
assert sys.argv[1:4] == ["-I", "-m", "wardround"]
for tool in map(pkgutil.resolve_name, {SLOW_TOOLS!r}):
    tool.profiles = frozenset()
sys.argv = ["wardround", *sys.argv[4:]]
from wardround.__main__ import main
main()
"""
"""A program in place of Python that leaves out the tools whose start takes a second."""

ACTIONS = ("action.yml", ".github/actions/post/action.yml")


def action(file: str = ACTIONS[0]) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / file).read_text())
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
        request = {"number": 7, "base": {"sha": base, "ref": target}, "head": {"sha": head, "ref": "topic"}}
        payload = {"pull_request": request, "repository": {"default_branch": "main"}}
        return cls(name, payload, "7/merge" if name == "pull_request" else target)


@dataclass(frozen=True)
class Ran:
    """The effects of a run: how the review ended, the outputs, the summary and the reports.

    Attributes:
        done: the review, or the step that failed before it.
        uploaded: the files of the artifact.
        used: the other actions that were used, by name, with their inputs.
        later: the steps after the review that ran.
    """

    done: subprocess.CompletedProcess[str]
    outputs: Mapping[str, str]
    summary: str
    uploaded: tuple[Path, ...]
    used: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    later: Mapping[str, subprocess.CompletedProcess[str]] = field(default_factory=dict)

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((Path(self.outputs["reports-dir"]) / "report.json").read_text())
        return report

    @property
    def base(self) -> str:
        base: str = self.report["context"]["base"]
        return base


class Expressions:
    """The expressions of a workflow: names, texts, the operators of conditions, and ``always()``.

    Attributes:
        values: what ``set`` gave to names such as ``inputs.run``.
    """

    def __init__(self, event: Mapping[str, Any]) -> None:
        self.values: dict[str, str] = {}
        self.has_failed = False
        self._event = event

    def replace(self, text: str) -> str:
        """Replace the expressions in a text, which are names here and nothing more."""
        return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: str(self._value(found[1])), text)

    def is_met(self, condition: str) -> bool:
        """Return True if a step with this condition runs; an empty one is that no step has failed."""
        if not condition:
            return not self.has_failed
        python = re.sub(
            r"'[^']*'|always\(\)|&&|\|\||!=|==|!|[()]|[A-Za-z][\w.-]*", self._in_python, condition
        )
        return bool(eval(python, {"__builtins__": {}})) and ("always()" in condition or not self.has_failed)

    def _in_python(self, found: re.Match[str]) -> str:
        signs = {"always()": "True", "&&": " and ", "||": " or ", "!": " not "}
        token = found[0]
        if token[0].isalpha() and token not in signs:
            return repr(self._value(token))
        return signs.get(token, token)

    def _value(self, name: str) -> Any:
        if not name.startswith("github.event."):
            return self.values.get(name, "")
        value: Any = self._event
        for part in name.split(".")[2:]:
            value = value.get(part, "") if isinstance(value, Mapping) else ""
        return value


class Runner:
    """A GitHub runner with its own folders; unless it installs, the environment of the tests is used.

    Args:
        program: a script in place of Python after the installation.
        timeout: the seconds that a step may run.
    """

    def __init__(
        self, folder: Path, *, installs: bool = False, program: str = "", timeout: int = TIMEOUT_S
    ) -> None:
        self.timeout = timeout
        self.folder = folder
        self.temp = folder / "temp"
        self.temp.mkdir(parents=True)
        self.home = None if installs else _installed(self.temp / "wardround.plugin_discovery", program)

    def run(
        self,
        workspace: Path,
        event: Event,
        inputs: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        source: Path = ROOT,
        file: str = ACTIONS[0],
        archive: bytes = b"",
    ) -> Ran:
        """Run the steps of an action whose condition is met; other actions only list their inputs.

        Args:
            archive: the artifact that is downloaded, which stays an archive.
        """
        loaded = action(file)
        given = {name: spec.get("default", "") for name, spec in loaded["inputs"].items()} | dict(
            inputs or {}
        )
        assert set(given) == set(loaded["inputs"])
        payload = self.folder / "event.json"
        payload.write_text(json.dumps(event.payload))
        context = Expressions(event.payload)
        context.values = {f"inputs.{name}": value for name, value in given.items()}
        context.values |= {
            "runner.temp": str(self.temp),
            "github.action_path": str(source / Path(file).parent),
        }
        around = {
            "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(workspace), "RUNNER_TEMP": str(self.temp),
            "GITHUB_EVENT_NAME": event.name, "GITHUB_EVENT_PATH": str(payload),
            "GITHUB_REF_NAME": event.ref, "GITHUB_REF_TYPE": event.ref_type,
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"), **(env or {}),
        }  # fmt: skip
        finished: dict[str, subprocess.CompletedProcess[str]] = {}
        used: dict[str, dict[str, str]] = {}
        for step in loaded["runs"]["steps"]:
            if not context.is_met(step.get("if", "")):
                continue
            if "uses" in step:
                given = {name: context.replace(value) for name, value in step["with"].items()}
                used[step["uses"].partition("@")[0]] = given
                if step["uses"].startswith("actions/download-artifact@"):
                    Path(given["path"]).mkdir()
                    (Path(given["path"]) / "artifact.zip").write_bytes(archive)
            elif step["id"] == "install" and self.home is not None:
                context.values["steps.install.outputs.home"] = str(self.home)
            else:
                finished[step["id"]] = done = self._step(step, context, around)
                context.has_failed |= done.returncode != 0
        last = "review" if "review" in finished else list(finished)[-1]
        prefix = f"steps.{last}.outputs."
        outputs = {
            name[len(prefix) :]: value for name, value in context.values.items() if name.startswith(prefix)
        }
        summary = self.folder / "summary"
        kept = used.get("actions/upload-artifact", {}).get("path", "")
        paths = sorted(Path(kept).iterdir()) if kept and Path(kept).exists() else []
        later = {name: done for name, done in finished.items() if name in ("comment", "act")}
        text = summary.read_text() if summary.exists() else ""
        return Ran(finished[last], outputs, text, tuple(paths), used, later)

    def _step(
        self, step: Mapping[str, Any], context: Expressions, around: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        assert "${{" not in step["run"]
        output, script = self.folder / f"{step['id']}.output", self.folder / f"{step['id']}.sh"
        output.write_text("")
        script.write_text(step["run"])
        env = {name: context.replace(value) for name, value in step["env"].items()}
        cwd = Path(context.replace(step["working-directory"]))
        started = GitRepository(cwd, self.timeout)
        done = started.run(*_BASH, script, env={**around, **env, "GITHUB_OUTPUT": str(output)})
        for line in output.read_text().splitlines():
            name, _, value = line.partition("=")
            context.values[f"steps.{step['id']}.outputs.{name}"] = value
        return done


def _installed(folder: Path, program: str) -> Path:
    """A folder that resembles a finished installation.

    Args:
        program: a script in place of Python; without it the environment is the one of the tests.
    """
    folder.mkdir()
    write_environment(folder / "venv", program)
    return folder


def write_environment(venv: Path, program: str) -> None:
    """Make a virtual environment of a program, or of that of the tests."""
    if not program:
        venv.symlink_to(Path(sys.executable).parent.parent, target_is_directory=True)
        return
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").write_text(program)
    (venv / "bin/python").chmod(0o700)


def jenkins_script() -> str:
    """The shell script of the Jenkinsfile, as Groovy reads it from a literal in three quotes."""
    found = re.findall(r"script: '''(.*?)'''", (ROOT / "Jenkinsfile").read_text(), re.DOTALL)
    (script,) = found
    assert "\\\\" not in script
    return script.replace("\\\n", "")


def run_jenkins(
    workspace: Path,
    folder: Path,
    env: Mapping[str, str],
    *,
    installs: bool = False,
    timeout: int = TIMEOUT_S,
    program: str = "",
) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Run the stage in a workspace; unless it installs, the agent has the environment of the tests already.

    Args:
        program: a script in place of Python of that environment.

    Returns:
        Return the exit status, and the folder whose reports are archived.
    """
    temp = folder / "workspace@tmp"
    temp.mkdir(parents=True, exist_ok=True)
    agent = folder / "agent"
    if not installs and not agent.exists():
        _prepare_agent(agent, program)
    around = {"WORKSPACE": str(workspace), "WORKSPACE_TMP": str(temp), "JENKINS_URL": "set",
              "WARDROUND_SOURCE": str(ROOT), "WARDROUND_CACHE": str(agent), **env}  # fmt: skip
    done = GitRepository(temp, timeout).run("/bin/sh", "-xe", "-c", jenkins_script(), env=around)
    return done, temp / "wardround" / "reports"


def _prepare_agent(folder: Path, program: str) -> None:
    """Make the folder of an agent on which this version of wardround is installed."""
    install = installer()
    folder.mkdir(mode=0o700)
    write_environment(folder / install.environment_key(install.locks("all")), program)


def installer() -> Any:
    """The module .ci/install.py."""
    spec = importlib.util.spec_from_file_location("install", ROOT / ".ci" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    return install


def fresh(parent: Path) -> Path:
    """A new folder."""
    return Path(tempfile.mkdtemp(dir=parent))
