"""Extras and packages of tests are read from ``setup.cfg`` and ``setup.py`` without running them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from wardround.workflows.environments.python_sources import declared_requirements, python_sources
from wardround.workflows.environments.requirements import LocalProject
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import DetectedProject

CONFIGURATION = """
[options]
tests_require =
    mock>=5
[options.extras_require]
test =
    pytest
docs =
    sphinx
"""
PROGRAM = """
from setuptools import setup
EXTRAS = {"dev": ["pytest"], "docs": []}
raise SystemExit("a program that must not run")
setup(name="demo", extras_require=EXTRAS, tests_require=["mock>=5"])
"""


def files_of(contents: Mapping[str, str]) -> TreeFiles:
    return TreeFiles(contents, lambda path: contents[path].encode())


@pytest.mark.parametrize(
    ("contents", "extra", "source"),
    [
        ({"setup.py": "", "setup.cfg": CONFIGURATION}, "test", "setup.cfg"),
        ({"setup.py": PROGRAM}, "dev", "setup.py"),
        ({"setup.py": PROGRAM, "pyproject.toml": "[tool.black]"}, "dev", "setup.py"),
    ],
)
def test_extras_for_tests_are_required(contents: dict[str, str], extra: str, source: str) -> None:
    files = files_of(contents)
    sources = python_sources(DetectedProject("", "python"), files)

    found = declared_requirements(sources, files)

    assert (found.projects, found.lines) == ((LocalProject("", (extra,)),), ("mock>=5",))
    assert sources.description == source


@pytest.mark.parametrize("text", ["def (", "[broken", "setup(extras_require=make(), tests_require=5)", "\0"])
def test_files_that_cannot_be_read_name_nothing(text: str) -> None:
    files = files_of({"setup.py": text, "setup.cfg": text})

    found = declared_requirements(python_sources(DetectedProject("", "python"), files), files)

    assert (found.projects, found.lines) == ((LocalProject(""),), ())
