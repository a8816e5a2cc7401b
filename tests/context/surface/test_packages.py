"""The published packages of a tree, and what their users import."""

from __future__ import annotations

import pytest

from tests.context.surface.differences import PYPROJECT
from wardround.context.surface.packages import line_of, node_packages, python_packages
from wardround.context.surface.sides import TextSide


def modules(*paths: str, manifest: str = "pyproject.toml", text: str = PYPROJECT) -> list[tuple[str, ...]]:
    side = TextSide({manifest: text, **dict.fromkeys(paths, "")})
    return [package.modules for package in python_packages(side, paths)]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("src/shop/__init__.py", "tests/__init__.py"), ("src/shop",)),
        (("shop/__init__.py", "docs/conf.py", "setup.py", "other/__init__.py"), ("shop",)),
        (("shop.py", "noxfile.py"), ("shop.py",)),
        (("src/store/__init__.py", "src/cart/__init__.py"), ("src/cart", "src/store")),
        (("src/shop/__init__.py", "src/_shop/__init__.py"), ("src/shop",)),
    ],
)
def test_users_import_the_packages_next_to_the_manifest_or_in_src(
    paths: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert modules(*paths) == [expected]


def test_the_nearest_manifest_above_a_file_counts() -> None:
    inner = PYPROJECT.replace("shop", "cart")
    side = TextSide(
        {"pyproject.toml": PYPROJECT, "libs/cart/pyproject.toml": inner, "libs/cart/cart/__init__.py": ""}
    )
    assert [item.name for item in python_packages(side, ["libs/cart/cart/__init__.py"])] == ["cart"]


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        ("setup.cfg", "[metadata]\nname = shop\n"),
        ("setup.py", 'from setuptools import setup\n\nsetup(\n    name="shop",\n)\n'),
        ("pyproject.toml", '[build-system]\nrequires = []\n[tool.poetry]\nname = "shop"\n'),
    ],
)
def test_other_build_tools_name_packages_too(manifest: str, text: str) -> None:
    assert modules("shop/__init__.py", manifest=manifest, text=text) == [("shop",)]


@pytest.mark.parametrize(
    "text", ["", "[project", '[project]\nname = "shop"\n', "[build-system]\nrequires = []\n"]
)
def test_a_manifest_without_build_metadata_publishes_nothing(text: str) -> None:
    assert modules("shop/__init__.py", text=text) == []


def test_packages_of_tests_and_examples_are_not_published() -> None:
    side = TextSide({"examples/a/package.json": '{"name": "a", "version": "1.0.0"}', "examples/a/x.js": ""})
    assert node_packages(side, ["examples/a/x.js"]) == []


def test_the_package_of_an_action_is_not_published() -> None:
    side = TextSide({"package.json": '{"name": "a", "version": "1.0.0"}', "action.yml": "", "src/x.ts": ""})
    assert node_packages(side, ["src/x.ts"]) == []


def test_the_line_of_words_is_that_of_the_last_in_their_order() -> None:
    assert line_of("a: 1\nb:\n  a: 2\n", "b", "a") == 3
    assert line_of("a: 1\n", "missing") == 1
