"""The parts of files of settings that can affect the tests of a repository."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.workflows.test.tiny_project import FILES, TinyProject, recorded_project, tree
from wardround.workflows.test.plans.plan import Cause, TestPlan
from wardround.workflows.test.plans.selection import Target, plan_tests
from wardround.workflows.test.plans.settings_changes import OPTIONS, SettingsChange, settings_change

NOTHING = SettingsChange()
PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "shop"
version = "1.0"
description = "A shop"
requires-python = ">=3.9"
dependencies = ["attrs>=22"]
[dependency-groups]
lint = ["ruff==0.1"]
test = ["pytest>=8"]
[tool.ruff]
line-length = 100
[tool.pytest.ini_options]
addopts = "-q"
[tool.tox.env.lint]
commands = [["ruff", "check"]]
"""
SETUP = """\
from setuptools import setup

with open("README.md") as file:
    long_description = file.read()
version = "1.0"

setup(name="shop", version=version, long_description=long_description, packages=["shop"],
      classifiers=["Programming Language :: Python"], install_requires=["attrs"])
"""
CFG = """\
[metadata]
name = shop
version = 1.0
author = One
[options]
packages = find:
install_requires =
    attrs
[flake8]
max-line-length = 100
[tool:pytest]
addopts = -q
"""
TOX = """\
[tox]
envlist = py311
[testenv]
deps = pytest
commands = pytest {posargs}
setenv = A = 1
[testenv:lint]
deps = ruff
commands = ruff check
"""
LOCK = """\
version = 1
[[package]]
name = "attrs"
version = "22.1"
[[package]]
name = "shop"
version = "1.0"
source = { editable = "." }
"""
TEXTS = {"pyproject.toml": PYPROJECT, "setup.py": SETUP, "setup.cfg": CFG, "tox.ini": TOX, "uv.lock": LOCK,
         "requirements.txt": "attrs==22.1  # pinned\n-r other.txt\n",
         "noxfile.py": "import nox\n\ndef tests(session):\n    session.run('pytest')\n"}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> TinyProject:
    return recorded_project(tmp_path_factory.mktemp("shop"))


def edited(path: str, old: str, new: str) -> SettingsChange:
    assert TEXTS[path].count(old) == 1, (path, old)
    return settings_change(path, TEXTS[path], TEXTS[path].replace(old, new))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pyproject.toml", "A shop", "The shop"),
        ("pyproject.toml", ">=3.9", ">=3.10"),
        ("pyproject.toml", "ruff==0.1", "ruff==0.2"),
        ("pyproject.toml", '["ruff", "check"]', '["ruff", "format"]'),
        ("setup.py", "Programming Language :: Python", "Programming Language :: Python :: 3"),
        ("setup.cfg", "author = One", "author = Another"),
        ("tox.ini", "py311", "py311, py312"),
        ("tox.ini", "ruff check", "ruff format"),
        ("tox.ini", "pytest {posargs}", "pytest -v {posargs}"),
        ("uv.lock", 'version = "1.0"', 'version = "2.0"'),
        ("requirements.txt", "# pinned", "# for now"),
        ("noxfile.py", "def tests", "def unit"),
    ],
)
def test_settings_that_no_test_run_reads_have_no_effect(path: str, old: str, new: str) -> None:
    assert edited(path, old, new) == NOTHING


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("pyproject.toml", 'addopts = "-q"', 'addopts = "-x"'),
        ("pyproject.toml", "hatchling.build", "other.build"),
        ("pyproject.toml", "[tool.ruff]", "[tool.unknown]\na = 1\n[tool.ruff]"),
        ("pyproject.toml", "[tool.ruff]", "[tool.ruff"),
        ("setup.py", 'packages=["shop"]', 'packages=["shop", "other"]'),
        ("setup.py", "setup(name", "print()\nsetup(name"),
        ("setup.cfg", "addopts = -q", "addopts = -x"),
        ("setup.cfg", "find:", "shop"),
        ("tox.ini", "setenv = A = 1", "setenv = A = 2"),
        ("tox.ini", "pytest {posargs}", "make check"),
        ("noxfile.py", "'pytest'", "'make'"),
    ],
)
def test_other_settings_have_an_effect_on_every_test(path: str, old: str, new: str) -> None:
    assert edited(path, old, new).is_effective


@pytest.mark.parametrize(
    ("path", "old", "new", "package"),
    [
        ("pyproject.toml", "pytest>=8", "pytest>=9", "pytest"),
        ("pyproject.toml", "attrs>=22", "attrs>=23", "attrs"),
        ("setup.py", '["attrs"]', '["attrs", "six"]', "six"),
        ("setup.cfg", "    attrs", "    attrs>1", "attrs"),
        ("tox.ini", "deps = pytest", "deps = pytest>8", "pytest"),
        ("uv.lock", "22.1", "23.1", "attrs"),
        ("requirements.txt", "22.1", "23.1", "attrs"),
        ("requirements.txt", "-r other.txt", "-r another.txt", OPTIONS),
    ],
)
def test_changed_requirements_are_known_by_package(path: str, old: str, new: str, package: str) -> None:
    assert edited(path, old, new) == SettingsChange(packages=frozenset({package}))


@pytest.mark.parametrize(
    ("path", "old", "new", "module"),
    [
        ("pyproject.toml", 'version = "1.0"', 'version = "1.1"', "importlib.metadata"),
        ("setup.py", 'version = "1.0"', 'version = "1.1"', "importlib.metadata"),
        ("setup.cfg", "version = 1.0", "version = 1.1", "pkg_resources"),
        ("pyproject.toml", "line-length = 100", "line-length = 90", "ruff"),
        ("setup.cfg", "max-line-length = 100", "max-line-length = 90", "flake8"),
    ],
)
def test_versions_and_linters_affect_code_that_imports_a_module(
    path: str, old: str, new: str, module: str
) -> None:
    found = edited(path, old, new)

    assert module in found.modules
    assert (found.is_effective, found.packages) == (False, frozenset())


def test_an_unreadable_version_of_a_file_has_an_effect() -> None:
    assert settings_change("pyproject.toml", None, PYPROJECT).is_effective


def planned(
    project: TinyProject,
    path: str,
    before: str,
    after: str,
    *installed: str,
    recorded: dict[str, str] | None = None,
) -> TestPlan:
    """Plan a change of one file since a base that has it."""
    base = tree({**FILES, path: before})
    others = {**project.recording.others, path: base.blobs[path]}
    recording = replace(project.recording, others=others, installed=recorded or {})
    head = tree({**FILES, path: after})
    return plan_tests([recording], head, Target(), base=base, installed=lambda: dict.fromkeys(installed, "1"))


def test_a_changed_description_selects_nothing_and_the_plan_notes_it(project: TinyProject) -> None:
    plan = planned(project, "pyproject.toml", PYPROJECT, PYPROJECT.replace("A shop", "The shop"))

    assert {item.cause for item in plan.selected} == {Cause.STARTS_PROCESS}
    assert plan.notes == ("pyproject.toml changed in parts that a run of the tests does not read.",)


def test_a_locked_package_that_is_not_installed_selects_nothing(project: TinyProject) -> None:
    plan = planned(project, "uv.lock", LOCK, LOCK.replace("22.1", "23.1"), "pytest")

    assert {item.cause for item in plan.selected} == {Cause.STARTS_PROCESS}


def test_a_locked_package_that_is_installed_selects_all_tests(project: TinyProject) -> None:
    plan = planned(project, "uv.lock", LOCK, LOCK.replace("22.1", "23.1"), "attrs")

    assert plan.omitted == ()
    assert "attrs, which is installed" in plan.selected[0].reason


def test_a_file_that_is_recorded_in_a_version_that_is_lost_selects_all_tests(project: TinyProject) -> None:
    head = tree({**FILES, "pyproject.toml": PYPROJECT})

    assert plan_tests([project.recording], head, Target()).omitted == ()


def test_a_changed_requirement_selects_nothing_in_the_environment_of_the_recorded_run(
    project: TinyProject,
) -> None:
    after = LOCK.replace("22.1", "23.1")

    plan = planned(project, "uv.lock", LOCK, after, "attrs", recorded={"attrs": "1"})

    assert {item.cause for item in plan.selected} == {Cause.STARTS_PROCESS}


@pytest.mark.parametrize("recorded", [{"attrs": "2"}, {"attrs": "1", "six": "1"}, {"six": "1"}])
def test_another_package_in_the_environment_selects_all_tests(
    project: TinyProject, recorded: dict[str, str]
) -> None:
    plan = planned(project, "README.md", "a", "b", "attrs", recorded=recorded)

    assert plan.omitted == ()
    assert "the environment has" in plan.selected[0].reason
