"""Packages of JavaScript are installed from lock files; install scripts run in the sandbox only."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.workflows.environments.conftest import archive_of, program, repository_with, run_in
from wardround.change.repository import INDEX, Repository
from wardround.config.sandbox_settings import SandboxSettings
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Limits, Visible
from wardround.workflows.environments.built import Build, build_environment
from wardround.workflows.environments.lookup import environment_of
from wardround.workflows.environments.model import Environment, link_packages
from wardround.workflows.environments.node_sources import node_sources, written_files
from wardround.workflows.environments.store import store_folder
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import DetectedProject

PROJECT = DetectedProject("", "javascript")
MAIN = "console.log(require('core'), require('leaf'), require('./generated'))"


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "home").mkdir()
    return {
        "PATH": os.pathsep.join((program("npm"), program("node"), os.environ["PATH"])),
        "HOME": str(tmp_path / "home"),
        "SECRET_TOKEN": "secret",
    }


def project_files(tmp_path: Path, environ: dict[str, str], script: str) -> dict[str, str | bytes]:
    """Return a workspace with a package that has an install script, and its lock file made by npm."""
    leaf = {"name": "leaf", "version": "1.0.0", "scripts": {"install": "node install.js"}}
    package = {"package.json": json.dumps(leaf), "install.js": script, "index.js": "module.exports = 'leaf'"}
    root = {
        "name": "root", "version": "1.0.0", "main": "./generated.js", "workspaces": ["packages/*"],
        "dependencies": {"leaf": "file:vendor/leaf-1.0.0.tgz"},
        "scripts": {"postinstall": "node generate.js"},
    }  # fmt: skip
    files: dict[str, str | bytes] = {
        ".gitignore": "node_modules\ngenerated.js\n",
        "package.json": json.dumps(root),
        "packages/core/package.json": json.dumps({"name": "core", "version": "1.0.0", "main": "index.js"}),
        "packages/core/index.js": "module.exports = __filename",
        "vendor/leaf-1.0.0.tgz": archive_of("package", package),
        "generate.js": "require('fs').writeFileSync('generated.js', 'module.exports = require(\\'./one\\')')",
        "one.js": "module.exports = 1",
        "main.js": MAIN,
    }
    scratch = tmp_path / "scratch"
    repository_with(scratch, files).__exit__(None, None, None)
    subprocess.run(
        ["npm", "install", "--package-lock-only", "--ignore-scripts", "--offline", "--no-audit"],
        cwd=scratch, env=environ, check=True, capture_output=True,
    )  # fmt: skip
    return files | {"package-lock.json": (scratch / "package-lock.json").read_bytes()}


def built(repository: Repository, environ: dict[str, str], project: DetectedProject = PROJECT) -> Build:
    return build_environment(project, repository, INDEX, limits=Limits(wall_s=60), environ=environ)


def is_store_empty() -> bool:
    return not store_folder().exists() or not list(store_folder().iterdir())


def test_packages_workspaces_and_generated_files_are_found_by_a_run(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    canary = tmp_path / "canary"
    script = f"""
        const fs = require('fs')
        fs.writeFileSync('index.js', `module.exports = 'built ${{process.env.SECRET_TOKEN}}'`)
        try {{ fs.writeFileSync({json.dumps(str(canary))}, '') }} catch {{}}
    """
    files = project_files(tmp_path, environ, script)
    with repository_with(tmp_path / "repo", files) as repository:
        found = built(repository, environ)
        outcome = run_in(repository, found.environment, ["node", "main.js"], tmp_path / "log")
        again = built(repository, environ | {"PATH": program("node")})
        looked_up = environment_of(PROJECT, repository, SandboxSettings(), environ=environ)

    assert found.failed == ()
    assert outcome.stdout == "/tree/packages/core/index.js built undefined 1\n", outcome.stderr
    assert not canary.exists()
    assert not again.is_new
    assert looked_up.digest == found.environment.digest
    assert not (tmp_path / "repo" / "node_modules").exists()


def test_a_project_in_a_folder_has_its_own_packages(tmp_path: Path, environ: dict[str, str]) -> None:
    script = "require('fs').writeFileSync('index.js', 'module.exports = `built`')"
    files = {f"web/{name}": content for name, content in project_files(tmp_path, environ, script).items()}
    with repository_with(tmp_path / "repo", files) as repository:
        found = built(repository, environ, DetectedProject("web", "javascript"))
        outcome = run_in(repository, found.environment, ["node", "web/main.js"], tmp_path / "log")

    assert found.failed == ()
    assert outcome.stdout == "/tree/web/packages/core/index.js built 1\n", outcome.stderr


def test_a_failing_install_script_is_reported_and_the_packages_are_retained(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    files = project_files(tmp_path, environ, "process.exit(3)")
    with repository_with(tmp_path / "repo", files) as repository:
        found = built(repository, environ)
        outcome = run_in(repository, found.environment, ["node", "main.js"], tmp_path / "log")

    assert found.failed == ("the install script of leaf failed in the sandbox: status 3",)
    assert outcome.stdout == "/tree/packages/core/index.js leaf 1\n", outcome.stderr


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"package-lock.json": "{"}, r"^npm cannot install package-lock\.json: "),
        ({"package.json": '{"name": "root", "dependencies": {"absent": "1.0.0"}}'},
         r"^npm cannot install package-lock\.json: .*absent"),
        ({"package.json": "{"}, r"^package\.json is not valid JSON: "),
    ],
    ids=["broken-lock", "outdated-lock", "broken-manifest"],
)  # fmt: skip
def test_a_lock_file_that_cannot_be_installed_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, environ: dict[str, str], changed: dict[str, str | bytes], message: str
) -> None:
    files = project_files(tmp_path, environ, "") | changed
    with (
        repository_with(tmp_path / "repo", files) as repository,
        pytest.raises(EnvironmentUnavailable, match=message) as caught,
    ):
        built(repository, environ | {"npm_config_offline": "true"})

    assert "\n" not in str(caught.value)
    assert is_store_empty()


def test_a_missing_lock_file_or_package_manager_is_named(tmp_path: Path, environ: dict[str, str]) -> None:
    with (
        repository_with(tmp_path / "none", {"package.json": "{}"}) as repository,
        pytest.raises(EnvironmentUnavailable, match=r"^the repository has no lock file of npm, pnpm"),
    ):
        built(repository, environ)
    node_only = tmp_path / "programs"
    node_only.mkdir()
    (node_only / "node").symlink_to(Path(program("node")) / "node")
    with (
        repository_with(tmp_path / "bun", {"package.json": "{}", "bun.lock": "{}"}) as repository,
        pytest.raises(EnvironmentUnavailable, match=r"needs bun, which is not on PATH; install it$"),
    ):
        built(repository, environ | {"PATH": str(node_only)})


def test_settings_that_start_programs_or_send_passwords_never_reach_a_package_manager() -> None:
    registry = b"registry=https://packages.example"
    settings = b"git = ./run\n//packages.example/:_authToken=${TOKEN}\nnode-options=-r ./run.js\n" + registry
    manifests = {"package.json": b"{}", "pnpm-lock.yaml": b""}
    files = manifests | {".npmrc": settings, ".pnpmfile.cjs": b"run()", ".yarnrc.yml": b"yarnPath: ./run"}
    tree = TreeFiles(files, files.get)

    written = dict(written_files(node_sources(PROJECT, tree), tree))

    assert written == manifests | {".npmrc": registry}


def test_links_of_packages_never_lead_out_of_the_tree(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "packages").symlink_to(outside)
    links = (("packages/node_modules/leaf", "/leaf"), ("node_modules/leaf", "/leaf"))

    link_packages(Environment("javascript", "", "", Visible(), "", links), tmp_path / "tree")

    assert list(outside.iterdir()) == []
    assert os.readlink(tmp_path / "tree" / "node_modules" / "leaf") == "/leaf"
