"""``wardround environment`` and the lines of ``doctor`` as a user meets them."""

from __future__ import annotations

import os
import sys
import venv

from tests.conftest import GitRepository
from tests.workflows.environments.conftest import program

FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\n[project]\nname = 'demo'\nversion = '1'\n",
    "tests/conftest.py": "",
}


def test_the_active_environment_is_shown(repo: GitRepository) -> None:
    repo.commit(FILES)

    done = repo.wardround("environment", "show", ".", env={"VIRTUAL_ENV": sys.prefix})

    version = ".".join(map(str, sys.version_info[:3]))
    source = "the variable VIRTUAL_ENV, which is the environment of wardround itself"
    assert (done.returncode, done.stdout) == (0, f".: Python {version}, {source}\n"), done.stderr


def test_the_environment_of_the_project_is_used_although_that_of_wardround_is_active(
    repo: GitRepository,
) -> None:
    repo.commit(FILES | {".gitignore": ".venv\n"})
    venv.create(repo.root / ".venv", symlinks=True)

    done = repo.wardround("environment", "show", ".", env={"VIRTUAL_ENV": sys.prefix})

    assert done.stdout.endswith(", the folder .venv\n"), done.stderr


def test_a_missing_environment_is_inconclusive_and_names_the_command(repo: GitRepository) -> None:
    repo.commit(FILES)

    done = repo.wardround("environment", "show", ".", env={"VIRTUAL_ENV": ""})

    assert done.returncode == 4
    assert done.stderr.endswith("or create .venv with its packages, or run wardround environment build\n")


def test_a_build_that_cannot_be_done_is_one_sentence_for_each_project(repo: GitRepository) -> None:
    repo.commit(FILES | {"web/package.json": '{"scripts": {"test": "node --test"}}'})
    path = os.pathsep.join((program("node"), program("git")))

    done = repo.wardround("environment", "build", env={"PATH": path, "UV_OFFLINE": "1"})

    assert done.returncode == 4
    assert "wardround: web: web has no lock file of npm, pnpm, yarn or bun; commit one" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_repository_without_tests_is_a_usage_error(repo: GitRepository) -> None:
    repo.commit({"README.md": "text"})

    done = repo.wardround("environment", "build")

    assert (done.returncode, done.stderr) == (
        2,
        "wardround: no project with tests was found in the repository\n",
    )


def test_a_head_cannot_change_its_own_sandbox(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.stage({".wardround.toml": "[sandbox]\npython = '/nonexistent'\n"})

    done = repo.wardround("environment", "show", ".", env={"VIRTUAL_ENV": sys.prefix})

    assert "the variable VIRTUAL_ENV" in done.stdout


def test_a_branch_cannot_add_the_places_of_its_packages(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.git("update-ref", "refs/remotes/origin/HEAD", "HEAD")
    settings = "[sandbox]\ngit-sources = ['https://git.example/known/']\n"
    line = "leaf @ git+https://git.example/known/leaf\n"
    repo.commit({".wardround.toml": settings, "requirements.txt": line})

    done = repo.wardround("environment", "build")

    assert done.returncode == 4
    assert "from git (git+https://git.example/known/leaf), not from a registry" in done.stderr


def test_doctor_names_the_environment_of_each_project(repo: GitRepository) -> None:
    repo.commit(FILES)

    done = repo.wardround("doctor", env={"VIRTUAL_ENV": ""})

    section = done.stdout.partition("\nenvironments of tests\n")[2]
    assert section.startswith(f"  .: none: {repo.root} has no Python environment; activate one")
