"""``wardround test`` in an environment that has the dependencies of a project and not the project."""

from __future__ import annotations

import json
import sys
import sysconfig

import pytest

from tests.conftest import GitRepository

PROJECT = """\
[project]
name = "corner-shop"
dynamic = ["version"]
[project.scripts]
corner = "corner:main"
[project.entry-points.pytest11]
corner = "corner.plugin"
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[tool.setuptools_scm]
version_file = "src/corner/_version.py"
[tool.pytest.ini_options]
"""
FILES = {
    "pyproject.toml": PROJECT,
    "src/corner/__init__.py": """\
from importlib.metadata import version as installed

from corner._version import __version_tuple__, version


def versions():
    from corner.scm.version import version as inner

    return version, installed("corner-shop"), inner
""",
    "src/corner/scm/__init__.py": "",
    "src/corner/plugin.py": "import pytest\n\n\n@pytest.fixture\ndef price():\n    return 3\n",
    "tests/test_corner.py": """\
import subprocess
import sys

import corner


def test_versions():
    assert corner.versions() == ("2.1.0", "2.1.0", "0.0.0")


def test_versions_in_another_process():
    code = "import corner; print(corner.version, corner.installed('corner-shop'))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "2.1.0 2.1.0\\n"


def test_the_fixture_of_its_own_plugin(price):
    assert price == 3
""",
}


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit(FILES)
    repo.git("tag", "v2.1.0")
    repo.commit(
        {
            "src/corner/__init__.py": FILES["src/corner/__init__.py"].replace(
                "return version", "return  version"
            )
        }
    )
    return repo


def test_version_files_and_metadata_are_supplied_and_reported(shop: GitRepository) -> None:
    done = shop.wardround("test", "--target", "all", "--base", "HEAD~1", env={"VIRTUAL_ENV": sys.prefix})

    assert (done.returncode, done.stderr) == (0, "")
    assert "\n3 passed in " in done.stdout
    run = json.loads(shop.read("artifacts/wardround/test-report.json"))["runs"][0]
    assert run["environment"]["supplied"] == [
        "the metadata of corner-shop 2.1.0, which is not installed",
        "src/corner/_version.py with version 2.1.0, as a build would write it",
        "the module corner.scm.version with version 0.0.0, as the tree has none",
    ]
    assert "  supplied: the metadata of corner-shop 2.1.0, which is not installed\n" in done.stdout
    assert shop.git("status", "--short") == ""


def test_mutants_are_tried_with_them(shop: GitRepository) -> None:
    changed = FILES["src/corner/__init__.py"].replace("return version,", "return str(version),")
    shop.commit({"src/corner/__init__.py": changed})

    done = shop.wardround(
        "test", "--target", "all", "--mutate", "60", "--base", "HEAD~1", env={"VIRTUAL_ENV": sys.prefix}
    )

    assert done.returncode == 0, done.stdout
    assert "the tests noticed 1 of 1 small edits of the changed lines\n" in done.stdout


def test_a_module_that_was_compiled_in_the_work_tree_is_supplied(repo: GitRepository) -> None:
    name = f"_fast{sysconfig.get_config_var('EXT_SUFFIX')}"
    files = {
        "fast/_fast.c": "int x;\n",
        ".gitignore": "*.so\n",
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }
    test = "import fast\n\n\ndef test_value():\n    from fast import _fast\n"
    repo.commit({**files, "fast/__init__.py": "", "tests/test_fast.py": test})
    repo.commit({"fast/__init__.py": "VALUE = 1\n"})

    before = repo.wardround("test", "--base", "HEAD~1", env={"VIRTUAL_ENV": sys.prefix})
    (repo.root / "fast" / name).write_bytes(b"no library")
    after = repo.wardround("test", "--base", "HEAD~1", env={"VIRTUAL_ENV": sys.prefix})

    assert before.returncode == 4
    assert (
        "fast._fast is compiled from fast/_fast.c and was not built; build it in the work tree"
        in before.stdout
    )
    assert f"supplied: compiled modules of the work tree: fast/{name}\n" in after.stdout
    assert "ImportError: " in after.stdout
