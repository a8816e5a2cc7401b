"""A package with a location in a manifest or a lock file is never installed from a registry instead."""

from __future__ import annotations

import pytest

from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.python_sources import declared_requirements, python_sources
from wardround.workflows.environments.registries import Registries, require_registry
from wardround.workflows.environments.requirements import LocalProject, Requirements
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import DetectedProject

PROJECT = '[project]\nname = "demo"\nversion = "1"\ndependencies = ["leaf"]\n'
SOURCES = f"{PROJECT}[tool.uv.sources]\n"
POETRY = '[tool.poetry]\nname = "demo"\npackage-mode = false\n[tool.poetry.dependencies]\nleaf = {}\n'
LOCKED = '[[package]]\nname = "leaf"\nversion = "1.0"\n'
GIT = "leaf @ git+https://github.com/other/leaf"


def requirements(files: dict[str, str]) -> Requirements:
    tree = TreeFiles(files, lambda path: files[path].encode() if path in files else None)
    return declared_requirements(python_sources(DetectedProject("", "python"), tree), tree)


@pytest.mark.parametrize(
    ("files", "constraint"),
    [
        (
            {
                "pyproject.toml": POETRY.format("'^1'"),
                "poetry.lock": f'{LOCKED}[package.source]\ntype = "git"\nurl = "https://github.com/other/leaf"\n'
                'reference = "main"\nresolved_reference = "0123"\n',
            },
            f"{GIT}@0123",
        ),
        (
            {
                "pyproject.toml": POETRY.format("'^1'"),
                "poetry.lock": f'{LOCKED}[package.source]\ntype = "url"\nurl = "https://evil.example/leaf.whl"\n',
            },
            "leaf @ https://evil.example/leaf.whl",
        ),
        (
            {
                "pyproject.toml": PROJECT,
                "pdm.lock": f'{LOCKED}git = "https://github.com/other/leaf"\nrevision = "0123"\n',
            },
            f"{GIT}@0123",
        ),
        (
            {"pyproject.toml": PROJECT, "pdm.lock": f'{LOCKED}url = "https://evil.example/leaf.whl"\n'},
            "leaf @ https://evil.example/leaf.whl",
        ),
        ({"pyproject.toml": POETRY.format("{git = 'git@github.com:other/leaf', rev = 'v1'}")},
         "leaf @ git@github.com:other/leaf@v1"),
        ({"pyproject.toml": POETRY.format("[{git = 'https://github.com/other/leaf', markers = 'a'}]")}, GIT),
        ({"pyproject.toml": SOURCES + "leaf = {git = 'https://github.com/other/leaf'}\n"}, GIT),
        ({"pyproject.toml": SOURCES + "leaf = {url = 'https://evil.example/leaf.whl'}\n"},
         "leaf @ https://evil.example/leaf.whl"),
    ],
)  # fmt: skip
def test_it_is_rejected_with_the_reason(files: dict[str, str], constraint: str) -> None:
    found = requirements(files).constraints

    assert found == (constraint,)
    with pytest.raises(EnvironmentUnavailable, match=r"from git|on no registry"):
        require_registry(found[0], "the lock file", Registries(frozenset()))


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": POETRY.format("{path = 'leaf', develop = true}")},
        {"pyproject.toml": PROJECT, "pdm.lock": f'{LOCKED}path = "./leaf"\n'},
        {"pyproject.toml": SOURCES + "leaf = {path = 'leaf'}\n"},
        {
            "pyproject.toml": POETRY.format("'^1'"),
            "poetry.lock": f'{LOCKED}[package.source]\ntype = "directory"\nurl = "leaf"\n',
        },
    ],
)
def test_a_project_of_the_repository_is_built_and_one_outside_is_rejected(files: dict[str, str]) -> None:
    assert requirements(files | {"leaf/pyproject.toml": ""}).projects == (LocalProject("leaf"),)
    with pytest.raises(EnvironmentUnavailable, match="which is no project of the repository"):
        requirements(files)
