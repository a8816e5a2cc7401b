"""The environment of a project is found in a fixed order, and no change supplies one or opens its sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.environments.conftest import program, repository_with, write
from wardround.change.repository import INDEX
from wardround.config.loader import read_sandbox
from wardround.config.sandbox_settings import LimitSettings, SandboxSettings
from wardround.errors import ConfigError, EnvironmentUnavailable
from wardround.sandbox.model import State
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.workflows.environments.lookup import environment_of, limits_of
from wardround.workflows.environments.model import link_packages
from wardround.workflows.test.project.projects import DetectedProject

PYTHON = DetectedProject("", "python")
NODE = DetectedProject("", "javascript")


def make_venv(prefix: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)


def test_the_configured_environment_is_used_before_the_active_one(tmp_path: Path) -> None:
    make_venv(tmp_path / "mine")
    settings = SandboxSettings(python=str(tmp_path / "mine"))
    with repository_with(tmp_path / "repo", {"a.py": ""}) as repository:
        found = environment_of(PYTHON, repository, settings, environ={"VIRTUAL_ENV": sys.prefix})

    assert found.source == "the setting sandbox.python"
    assert found.visible.programs == (tmp_path / "mine" / "bin",)


def test_the_nearest_environment_of_the_work_tree_is_used(tmp_path: Path) -> None:
    project = DetectedProject("packages/core", "python")
    with repository_with(tmp_path / "repo", {"a.py": "", ".gitignore": ".venv\n"}) as repository:
        for folder in ("", "packages/core"):
            make_venv(tmp_path / "repo" / folder / ".venv")
        found = environment_of(project, repository, SandboxSettings(), environ={})

    assert found.source == "the folder packages/core/.venv"


def test_programs_under_version_control_are_never_started(tmp_path: Path) -> None:
    started = tmp_path / "started"
    script = f"#!/bin/sh\ntouch {started}\n"
    files: dict[str, str | bytes] = {".venv/bin/python3": script, "other/bin/python3": script}
    with repository_with(tmp_path / "repo", files) as repository:
        for name in files:
            (tmp_path / "repo" / name).chmod(0o755)
        (tmp_path / "repo" / "venv").symlink_to("other")
        with pytest.raises(EnvironmentUnavailable):
            environment_of(PYTHON, repository, SandboxSettings(), environ={})
        with pytest.raises(EnvironmentUnavailable, match=r"is under version control"):
            environment_of(PYTHON, repository, SandboxSettings(python="other"), environ={})

    assert not started.exists()


@pytest.mark.parametrize("project", [PYTHON, NODE], ids=["python", "javascript"])
def test_without_an_environment_the_command_that_builds_one_is_named(
    tmp_path: Path, project: DetectedProject
) -> None:
    with (
        repository_with(tmp_path / "repo", {"a.py": ""}) as repository,
        pytest.raises(EnvironmentUnavailable, match=r"or run wardround environment build$"),
    ):
        environment_of(project, repository, SandboxSettings(), environ={})


def test_a_run_gets_the_variables_and_the_limits_of_the_settings(tmp_path: Path) -> None:
    settings = SandboxSettings(
        environment=("CI",),
        loopback=True,
        image={"python": "python:3.12", "javascript": "node:22"},
        limits=LimitSettings(memory_mib=100),
    )
    with repository_with(tmp_path / "repo", {"a.py": ""}) as repository:
        found = environment_of(PYTHON, repository, settings, environ={"VIRTUAL_ENV": sys.prefix})

    assert "CI" in found.visible.environment
    assert found.visible.loopback
    assert found.visible.image == "python:3.12"
    assert limits_of(settings).memory_bytes == 100 * 1024 * 1024


def test_the_settings_of_the_sandbox_are_validated() -> None:
    def settings(text: str) -> SandboxSettings:
        return read_sandbox({".wardround.toml": text.encode()}.get)

    assert settings("[sandbox]\nloopback = true").loopback
    assert settings("[sandbox.limits]\nmemory-mib = 64").limits.memory_mib == 64
    with pytest.raises(ConfigError, match=r"sandbox: backend: 'none' is none of 'auto'"):
        settings("[sandbox]\nbackend = 'none'")
    with pytest.raises(ConfigError, match=r"sandbox: environment\[0\]"):
        settings("[sandbox]\nenvironment = ['LD_PRELOAD']")
    with pytest.raises(ConfigError, match=r"sandbox\.limits: unknown key 'memory'"):
        settings("[sandbox.limits]\nmemory = 64")
    with pytest.raises(ConfigError, match=r"sandbox\.limits: wall-s"):
        settings("[sandbox.limits]\nwall-s = 0")


def test_packages_of_the_work_tree_and_of_its_workspace_are_found_by_a_run(tmp_path: Path) -> None:
    program("node")
    files: dict[str, str | bytes] = {
        ".gitignore": "node_modules\n",
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/core/package.json": '{"name": "core", "main": "index.js"}',
        "packages/core/index.js": "module.exports = require('leaf') + ' in ' + __filename",
        "main.js": "console.log(require('core'), require('@scope/dot'))",
    }
    root = tmp_path / "repo"
    with repository_with(root, files) as repository:
        write(
            root,
            {
                "node_modules/leaf/index.js": "module.exports = 'leaf'",
                "node_modules/leaf/package.json": '{"name": "leaf", "version": "1.0.0"}',
                "node_modules/@scope/dot/index.js": "module.exports = __filename",
                "node_modules/.bin/.keep": "",
            },
        )
        (root / "node_modules" / "core").symlink_to("../packages/core")
        found = environment_of(NODE, repository, SandboxSettings(), environ=dict(os.environ))
        with EphemeralTree(repository, INDEX) as tree:
            link_packages(found, tree.root)
            limits = limits_of(SandboxSettings())
            outcome = run(["node", "main.js"], tree, limits, log=tmp_path / "log", visible=found.visible)
            writing = """
                const fs = require('fs')
                fs.mkdirSync('node_modules/.vite')
                fs.writeFileSync('node_modules/leaf/added', '')
            """
            refused = run(["node", "-e", writing], tree, limits, log=tmp_path / "log", visible=found.visible)

    assert outcome.state is State.FINISHED, outcome
    assert outcome.stdout.split() == [
        "leaf", "in", "/tree/packages/core/index.js", f"{root}/node_modules/@scope/dot/index.js",
    ], outcome.stderr  # fmt: skip
    assert "EROFS" in refused.stderr
    assert not (root / "node_modules" / ".vite").exists()
