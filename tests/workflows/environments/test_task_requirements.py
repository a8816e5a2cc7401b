"""The packages of the tests are read from tox and nox if there is no lock file."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.workflows.environments.python_sources import declared_requirements, key_inputs, python_sources
from wardround.workflows.environments.requirements import LocalProject, Requirements
from wardround.workflows.environments.task_requirements import task_requirements
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import DetectedProject

TOX = """\
[testenv]
deps =
    pytest>=8
    -rrequirements/tests.txt
    py27: mock
    {env:OTHER}
extras = fast
commands = pytest {posargs}
[testenv:lint]
deps = ruff
commands = ruff check
"""
NOX = """\
import nox

@nox.session(python=["3.11"])
def tests(session):
    session.install("pytest", "responses==0.1", *OTHERS)
    session.install("-r", "more.txt", "-c", "limits.txt")
    session.install("-e", ".[cli]")
    session.run("pytest", *session.posargs)

@nox.session
def lint(session):
    session.install("ruff")
    session.run("ruff", "check")
"""


def files(texts: Mapping[str, str]) -> TreeFiles:
    return TreeFiles(texts, lambda path: texts[path].encode() if path in texts else None)


def test_tox_states_the_packages_of_environments_that_run_tests() -> None:
    found = task_requirements("", files({"tox.ini": TOX, "requirements/tests.txt": "attrs\n"}))

    assert found == Requirements(lines=("pytest>=8", "attrs"), projects=(LocalProject("", ("fast",)),))


def test_settings_of_tox_in_pyproject_are_read() -> None:
    text = '[tool.tox.env_run_base]\ndeps = ["pytest"]\ncommands = [["pytest"]]\n'

    assert task_requirements("", files({"pyproject.toml": text})).lines == ("pytest",)


def test_nox_states_the_packages_of_sessions_that_run_tests() -> None:
    found = task_requirements("", files({"noxfile.py": NOX, "more.txt": "six\n"}))

    assert found == Requirements(
        lines=("pytest", "responses==0.1", "six"), projects=(LocalProject("", ("cli",)),)
    )


def test_files_that_do_not_parse_state_nothing() -> None:
    assert task_requirements("", files({"tox.ini": "deps", "noxfile.py": "def"})) == Requirements()


def test_a_project_without_a_lock_file_gets_the_packages_of_its_tasks() -> None:
    tree = files({"tox.ini": "[testenv]\ndeps = pytest\ncommands = pytest\n"})

    sources = python_sources(DetectedProject("", "python"), tree)

    assert declared_requirements(sources, tree).lines == ("pytest",)
    assert "tox" in sources.description
    assert "tox.ini" in dict(key_inputs(sources, tree))


def test_a_lock_file_has_precedence_over_tasks() -> None:
    tree = files({"tox.ini": TOX, "poetry.lock": "", "pyproject.toml": ""})

    sources = python_sources(DetectedProject("", "python"), tree)

    assert not sources.has_tasks
    assert declared_requirements(sources, tree).lines == ()
