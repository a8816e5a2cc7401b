"""The README and its pages, done word for word in a fresh environment: install, review, hooks, a stranger's
plugin.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import SCRIPTS, GitRepository

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text()
PLUGINS = (ROOT / "docs" / "plugins.md").read_text()
INSTALLED_LIMIT_MIB = 250
"""The value of pre-commit.ci."""


def _block(language: str, after: str) -> str:
    """The first code block of a language behind some words of the page about plugins."""
    found = re.search(rf"```{language}\n(.*?)```", PLUGINS[PLUGINS.index(after) :], re.DOTALL)
    assert found is not None
    return found[1]


def _size_mib(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1024 / 1024


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project at its last commit, with uncommitted changes applied, as a separate repository."""
    target = tmp_path_factory.mktemp("source") / "wardround"
    shutil.copytree(
        ROOT,
        target,
        ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.egg-info", ".hypothesis"),
    )
    repository = GitRepository(target)
    repository.git("init", "-q")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "as it is")
    return target


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the package alone, made by virtualenv as pre-commit makes those of hooks.

    It has no compiled pip and setuptools, 8 MiB less than one of venv.
    """
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    subprocess.run([sys.executable, "-m", "virtualenv", "--quiet", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "--quiet", ROOT], check=True)
    return folder


def test_the_first_command_of_the_readme_reviews(venv: Path, repo: GitRepository, tmp_path: Path) -> None:
    command = "wardround review --base HEAD~1"
    assert f"pip install . && {command}" in README
    repo.write("app.py", "x = 1\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "good")
    repo.write("app.py", "print(missing)\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "bad")
    empty_home = tmp_path / "home"
    empty_home.mkdir()
    environment = {
        "PATH": f"{venv / 'bin'}:/usr/bin:/bin", "HOME": str(empty_home), "XDG_CACHE_HOME": "",
        "XDG_STATE_HOME": "", "GIT_CONFIG_GLOBAL": os.environ.get("GIT_CONFIG_GLOBAL", ""),
    }  # fmt: skip

    done = repo.run("/bin/sh", "-c", command, env=environment)

    assert done.returncode == 1, done.stderr
    assert "Undefined name `missing` [ruff/F821]" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("wardround: blocked - 1 error, 1 file, ")


def test_the_environment_stays_small_enough_for_hook_services(venv: Path) -> None:
    assert _size_mib(venv) < INSTALLED_LIMIT_MIB


def test_policies_with_conditions_need_no_further_package(venv: Path, repo: GitRepository) -> None:
    condition = 'findings.exists(f, f.severity == "error") && touches("db/*")'
    tiers = "{T1: auto-merge, T2: auto-approve, T3: human-review, T4: escalate, T5: escalate}"
    repo.write("p.yml", f"name: own\nversion: 1\ntiers: {tiers}\nrules:\n"
                        f"- {{id: db, when: '{condition}', because: a person decides}}\n")  # fmt: skip
    done = repo.run(venv / "bin" / "wardround", "policy", "check", "p.yml", env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 0, done.stderr


def test_doctor_finds_every_tool_of_the_commit_profile(venv: Path, repo: GitRepository) -> None:
    done = repo.run(venv / "bin" / "wardround", "doctor", env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 0
    for tool in ("ruff", "ty", "ast-grep", "squawk"):
        assert re.search(rf"^  \w+ +{tool} +\d", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"semgrep +missing, .* \(CI\): pip install 'wardround\[ci\]'", done.stdout)


def test_doctor_reports_what_the_files_of_a_repository_need(venv: Path, repo: GitRepository) -> None:
    repo.write("web/total.ts", "export const total = 1;\n")
    repo.git("add", "-A")
    done = repo.run(venv / "bin" / "wardround", "doctor", env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 4
    assert re.search(r"oxlint +missing \(commit and CI\): pip install 'wardround\[web\]'", done.stdout)


def test_the_plugin_of_the_documentation_is_short() -> None:
    lines = _block("toml", "Write a plugin") + _block("python", "`acme_makefiles.py`:")
    assert len([line for line in lines.splitlines() if line.strip()]) <= 40


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin of the README."""
    folder = tmp_path_factory.mktemp("acme")
    (folder / "pyproject.toml").write_text(_block("toml", "Write a plugin"))
    (folder / "acme_makefiles.py").write_text(_block("python", "`acme_makefiles.py`:"))
    return folder


@dataclass(frozen=True)
class Hook:
    """The hook with the plugin, in environments that tests share: each takes 10 s to install."""

    configuration: str
    environ: dict[str, str]


@pytest.fixture(scope="module")
def hook(source: Path, plugin: Path, tmp_path_factory: pytest.TempPathFactory) -> Hook:
    revision = GitRepository(source).git("rev-parse", "HEAD").strip()
    homes = tmp_path_factory.mktemp("homes")
    return Hook(
        f"repos:\n  - repo: {source}\n    rev: {revision}\n    hooks:\n      - id: wardround\n"
        f"        additional_dependencies: ['{plugin}']\n",
        {"PATH": f"{sys.base_prefix}/bin:/usr/bin:/bin", "PRE_COMMIT_HOME": str(homes / "pre-commit"),
         "PREK_HOME": str(homes / "prek"), "PIP_NO_COMPILE": "1"},
    )  # fmt: skip


@pytest.mark.parametrize("runner", ["pre-commit", "prek"])
def test_the_hook_installs_with_a_strangers_plugin_and_blocks(
    runner: str, hook: Hook, repo: GitRepository
) -> None:
    repo.write(".pre-commit-config.yaml", hook.configuration)
    repo.write(".wardround.toml", '[rules]\n"makefiles/ACME001" = "error"\n')
    repo.write("Makefile", "all:\n\t$(MAKE) -C lib\n")
    repo.git("add", "-A")
    installed = repo.run(SCRIPTS / runner, "install", env=hook.environ)
    assert installed.returncode == 0, installed.stderr
    good = repo.run("git", "commit", "-qm", "good", env=hook.environ)
    assert good.returncode == 0, good.stdout + good.stderr

    repo.write("Makefile", "all:\n\tmake -C lib\n")
    repo.git("add", "-A")
    bad = repo.run("git", "commit", "-qm", "bad", env=hook.environ)

    assert bad.returncode == 1
    assert "call $(MAKE), not make [makefiles/ACME001]" in bad.stdout + bad.stderr


@pytest.mark.parametrize("runner", ["pre-commit", "prek"])
def test_a_hook_is_set_up_in_peace_and_told_the_line_that_installs_a_missing_tool(
    runner: str, hook: Hook, repo: GitRepository
) -> None:
    repo.stage({".pre-commit-config.yaml": hook.configuration})

    set_up = repo.run(SCRIPTS / runner, "run", env=hook.environ)
    repo.stage({"Dockerfile": "FROM scratch\n"})
    missing = repo.run(SCRIPTS / runner, "run", env=hook.environ)

    assert "wardround: pass - no findings, 1 file, " in set_up.stdout, set_up.stdout + set_up.stderr
    line = "give the hook additional_dependencies: ['wardround[docker-ci]']"
    reported = f"hadolint is not installed; {line}"
    assert reported in " ".join(missing.stdout.split())


def test_the_reported_line_installs_the_tools(source: Path, repo: GitRepository, tmp_path: Path) -> None:
    revision = GitRepository(source).git("rev-parse", "HEAD").strip()
    repo.write(
        ".pre-commit-config.yaml",
        f"repos:\n  - repo: {source}\n    rev: {revision}\n    hooks:\n      - id: wardround\n"
        "        additional_dependencies: ['wardround[docker-ci,web]']\n",
    )
    repo.write("web/total.js", "export const isNumber = (x) => x === NaN;\n")
    repo.write("Dockerfile", "FROM debian:12\nMAINTAINR me\n")
    repo.git("add", "-A")
    environment = {"PATH": f"{SCRIPTS}:/usr/bin:/bin", "PREK_HOME": str(tmp_path / "prek")}

    done = repo.run(SCRIPTS / "prek", "run", env=environment)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "oxlint/" in done.stdout
    assert "hadolint/" in done.stdout
    assert "not installed" not in done.stdout


def test_the_oldest_supported_pre_commit_reads_the_hooks(
    source: Path, repo: GitRepository, tmp_path: Path
) -> None:
    venv = tmp_path / "old"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    # pre-commit 3.2 was written for a setuptools that still had pkg_resources
    subprocess.run(
        [venv / "bin" / "pip", "install", "--quiet", "--no-compile", "pre-commit==3.2.0", "setuptools<80"],
        check=True,
    )
    revision = GitRepository(source).git("rev-parse", "HEAD").strip()
    repo.write(
        ".pre-commit-config.yaml",
        f"repos:\n  - repo: {source}\n    rev: {revision}\n    hooks:\n"
        "      - id: wardround\n      - id: wardround-push\n",
    )
    repo.write("app.py", "print(missing)\n")
    repo.git("add", "-A")
    environment = {"PATH": f"{venv / 'bin'}:/usr/bin:/bin", "PRE_COMMIT_HOME": str(tmp_path / "pc"),
                   "PIP_NO_COMPILE": "1"}  # fmt: skip

    done = repo.run(venv / "bin" / "pre-commit", "run", env=environment)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "Undefined name `missing` [ruff/F821]" in done.stdout
