"""Statements about dependencies, from the contents of manifests and lock files."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.release_notes.histories import notes_of, texts, the_statement
from wardround.release_notes.model import NoteKind

PROJECT = """\
[project]
name = "shop"
dependencies = [{}]
"""
LOCK = """\
version = 1

[[package]]
name = "httpx"
version = "{}"
"""


def _project(*dependencies: str) -> str:
    return PROJECT.format(", ".join(f'"{dependency}"' for dependency in dependencies))


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit(
        {"pyproject.toml": _project("httpx>=0.26", "idna"), "uv.lock": LOCK.format("0.26.0")}, "Initial"
    )
    repo.git("tag", "v1")
    return repo


def test_several_updates_of_a_package_are_one_statement(shop: GitRepository) -> None:
    first = shop.commit({"pyproject.toml": _project("httpx>=0.27", "idna")}, "Bump httpx from 0.26 to 0.27")
    second = shop.commit({"pyproject.toml": _project("httpx>=0.28", "idna")}, "Update")
    statement = the_statement(notes_of(shop.root), "Require `httpx` `>=0.28`; it was `>=0.26`")
    assert (statement.kind, statement.commits) == (NoteKind.DEPENDENCIES, (first, second))


def test_packages_appear_and_vanish(shop: GitRepository) -> None:
    shop.commit({"pyproject.toml": _project("httpx>=0.26", "anyio", "attrs>=23")}, "Change requirements")
    assert texts(notes_of(shop.root), NoteKind.DEPENDENCIES) == [
        "No longer require `idna`", "Require `anyio`", "Require `attrs` `>=23`",
    ]  # fmt: skip


def test_a_requirement_that_returns_to_the_old_range_is_not_stated(shop: GitRepository) -> None:
    shop.commit({"pyproject.toml": _project("httpx>=0.27", "idna")}, "Bump httpx")
    shop.commit({"pyproject.toml": _project("httpx>=0.26", "idna")}, "Allow httpx 0.26 again")
    assert texts(notes_of(shop.root), NoteKind.DEPENDENCIES) == []


def test_a_requirement_that_only_moves_to_another_manifest_is_not_stated(shop: GitRepository) -> None:
    shop.commit({"setup.py": 'setup(install_requires=["attrs>=23"])\n'}, "Add a script")
    shop.git("tag", "v2")
    shop.git("rm", "--quiet", "setup.py")
    shop.commit({"pyproject.toml": _project("httpx>=0.26", "idna", "attrs>=23")}, "Move metadata")
    assert texts(notes_of(shop.root, "v2..HEAD"), NoteKind.DEPENDENCIES) == []


def test_a_locked_version_counts_where_the_manifest_requires_the_package(shop: GitRepository) -> None:
    update = shop.commit({"uv.lock": LOCK.format("0.28.1")}, "Lock")
    statement = the_statement(notes_of(shop.root), "Update `httpx` from `0.26.0` to `0.28.1`")
    assert (statement.kind, statement.commits) == (NoteKind.DEPENDENCIES, (update,))


def test_packages_for_development_are_internal(shop: GitRepository) -> None:
    groups = '\n[dependency-groups]\ndev = ["pytest>=8"]\n'
    shop.commit({"pyproject.toml": _project("httpx>=0.26", "idna") + groups}, "Bump pytest")
    assert texts(notes_of(shop.root), NoteKind.INTERNAL) == ["Require `pytest` `>=8`"]


def test_the_base_image_of_a_distribution_is_internal(shop: GitRepository) -> None:
    shop.commit({"Dockerfile": "FROM python:3.10-alpine\n"}, "Add an image")
    shop.git("tag", "v2")
    shop.commit({"Dockerfile": "FROM python:3.11-alpine\n"}, "Update the image")
    assert texts(notes_of(shop.root, "v2..HEAD"), NoteKind.DEPENDENCIES) == []


def test_an_extra_of_poetry_for_the_documentation_is_internal(repo: GitRepository) -> None:
    poetry = '[tool.poetry]\nname = "shop"\n'
    repo.commit({"pyproject.toml": poetry}, "Initial")
    repo.git("tag", "v1")
    names = ("sphinx_theme", "orjson")
    optional = "\n".join(f'{name} = {{ version = "*", optional = true }}' for name in names)
    extras = '[tool.poetry.extras]\ndocs = ["sphinx_theme"]\nfast = ["orjson"]\n'
    text = f"{poetry}[tool.poetry.dependencies]\n{optional}\n{extras}"
    repo.commit({"pyproject.toml": text}, "Add extras")
    assert texts(notes_of(repo.root), NoteKind.DEPENDENCIES) == ["Require `orjson`"]


def test_the_range_of_an_extra_for_tests_is_not_mixed_with_that_of_users(repo: GitRepository) -> None:
    extras = '[project.optional-dependencies]\norjson = ["orjson>={}"]\ntest = [{}]\n'
    repo.commit({"pyproject.toml": _project() + extras.format("3.5", '"orjson~=3.8"')}, "Initial")
    repo.git("tag", "v1")
    repo.commit({"pyproject.toml": _project() + extras.format("3.6", '"pytest"')}, "Change")
    assert texts(notes_of(repo.root), NoteKind.DEPENDENCIES) == ["Require `orjson` `>=3.6`; it was `>=3.5`"]


def test_a_list_of_requirements_counts_only_without_a_distribution(repo: GitRepository) -> None:
    repo.commit({"requirements.txt": "httpx==0.26.0\n", "app.py": "x = 1\n"}, "Initial")
    repo.git("tag", "v1")
    repo.commit({"requirements.txt": "httpx==0.28.0\n"}, "Bump httpx")
    assert texts(notes_of(repo.root), NoteKind.DEPENDENCIES) == ["Update `httpx` from `0.26.0` to `0.28.0`"]
    repo.commit({"pyproject.toml": _project("httpx>=0.26")}, "Add metadata")
    assert texts(notes_of(repo.root), NoteKind.INTERNAL) == [
        "Add metadata", "Update `httpx` from `0.26.0` to `0.28.0`",
    ]  # fmt: skip


def test_packages_of_the_repository_and_of_examples_are_no_dependencies(repo: GitRepository) -> None:
    def files(version: str) -> dict[str, str]:
        requirement = f'{{"dependencies": {{"@shop/cart": "^{version}", "left": "^1.0.0"}}}}\n'
        cart = '{"name": "@shop/cart"}\n'
        return {
            "packages/cart/package.json": cart,
            "web/package.json": requirement,
            "examples/a/package.json": requirement,
        }

    repo.commit(files("1.0.0"), "Initial")
    repo.git("tag", "v1")
    changed = files("1.1.0")
    changed["examples/a/package.json"] = changed["examples/a/package.json"].replace("^1.0.0", "^2.0.0")
    repo.commit(changed, "Bump all")
    assert texts(notes_of(repo.root), NoteKind.DEPENDENCIES) == []
