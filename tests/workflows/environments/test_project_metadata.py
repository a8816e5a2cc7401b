"""The metadata of a project is read from its files without running them."""

from __future__ import annotations

import pytest

from wardround.workflows.environments.project_metadata import (
    ProjectMetadata,
    project_metadata,
    release_of,
)
from wardround.workflows.environments.tree_files import TreeFiles


def read(files: dict[str, str], folder: str = "", tag: str = "v1.4.0") -> ProjectMetadata | None:
    contents = {path: text.encode() for path, text in files.items()}
    return project_metadata(folder, TreeFiles(contents, contents.get), tag)


def test_a_stated_version_is_used_before_that_of_the_tag() -> None:
    found = read({"pyproject.toml": '[project]\nname = "shop"\nversion = "2.0"\ndescription = "Sells."\n'})

    assert found == ProjectMetadata("shop", "2.0", "Sells.")


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ('[tool.setuptools_scm]\nversion_file = "src/shop/_version.py"\n', "src/shop/_version.py"),
        ('[tool.setuptools_scm]\nwrite_to = "shop/built.py"\n', "shop/built.py"),
        ('[tool.hatch.build.hooks.vcs]\nversion-file = "shop/_v.py"\n', "shop/_v.py"),
        ('[tool.pdm.version]\nsource = "scm"\nwrite_to = "shop/v.txt"\n', "shop/v.txt"),
    ],
)
def test_the_file_that_a_build_writes_has_the_version_of_the_tag(settings: str, path: str) -> None:
    found = read(
        {"lib/pyproject.toml": '[project]\nname = "shop"\ndynamic = ["version"]\n' + settings}, "lib"
    )

    assert found == ProjectMetadata("shop", "1.4.0", generated=(f"lib/{path}",))


def test_the_call_in_setup_py_is_read_and_not_run() -> None:
    text = """\
from setuptools import setup
raise SystemExit
setup(
    name="shop",
    use_scm_version={"write_to": "shop/_version.py"},
    entry_points={"console_scripts": ["shop = shop.main:run"]},
    packages=find_packages(),
)
"""
    found = read({"setup.py": text})

    assert found == ProjectMetadata(
        "shop",
        "1.4.0",
        entry_points={"console_scripts": {"shop": "shop.main:run"}},
        generated=("shop/_version.py",),
    )


@pytest.mark.parametrize(
    "files",
    [
        {
            "pyproject.toml": '[project]\nname = "shop"\n[tool.hatch.version]\npath = "shop/v.py"\n',
            "shop/v.py": '__version__ = "3.1"\n',
        },
        {
            "setup.cfg": "[metadata]\nname = shop\nversion = attr: shop.__version__\n",
            "src/shop/__init__.py": '__version__: str = "3.1"\n',
        },
        {
            "pyproject.toml": '[project]\nname = "shop"\n'
            '[build-system]\nbuild-backend = "flit_core.buildapi"\n',
            "shop.py": '__version__ = "3.1"\n',
        },
        {"pyproject.toml": '[tool.poetry]\nname = "shop"\nversion = "3.1"\n'},
    ],
)
def test_the_version_is_read_from_where_a_build_reads_it(files: dict[str, str]) -> None:
    found = read(files)

    assert found is not None
    assert (found.name, found.version) == ("shop", "3.1")


def test_entry_points_and_scripts_of_a_project_are_read() -> None:
    found = read(
        {
            "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\nscripts = {shop = "shop:run"}\n'
            '[project.entry-points.pytest11]\nshop = "shop.plugin"\n'
        }
    )

    assert found is not None
    assert found.entry_points == {
        "console_scripts": {"shop": "shop:run"},
        "pytest11": {"shop": "shop.plugin"},
    }


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"pyproject.toml": "[project\n"},
        {"pyproject.toml": '[project]\nname = "../up"\n'},
        {"setup.py": "setup(name=name)\n"},
        {"setup.py": "setup(\n"},
        {"setup.cfg": "name = shop\n"},
    ],
)
def test_files_without_a_valid_name_have_no_metadata(files: dict[str, str]) -> None:
    assert read(files) is None


def test_a_file_outside_of_the_repository_is_not_written() -> None:
    settings = '[project]\nname = "shop"\nversion = "1/../2"\n[tool.setuptools_scm]\nwrite_to = "../x.py"\n'

    assert read({"pyproject.toml": settings}, tag="") == ProjectMetadata("shop", "0.0.0")


@pytest.mark.parametrize(
    ("tag", "version"), [("v1.2.3", "1.2.3"), ("shop-2.0rc1", "2.0rc1"), ("", "0.0.0"), ("latest", "0.0.0")]
)
def test_the_version_of_a_tag_is_its_release(tag: str, version: str) -> None:
    assert release_of(tag) == version
