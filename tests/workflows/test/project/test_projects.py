from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from wardround.workflows.test.project.projects import (
    DetectedFramework,
    DetectedProject,
    Fact,
    detect_projects,
)

TESTS = "import unittest\n\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        pass\n"


def detected(files: Mapping[str, str]) -> tuple[DetectedProject, ...]:
    return detect_projects(list(files), files.get)


def only(files: Mapping[str, str]) -> DetectedProject:
    (found,) = detected(files)
    return found


def framework(project: DetectedProject, name: str) -> DetectedFramework:
    return next(item for item in project.frameworks if item.name == name)


@pytest.mark.parametrize(
    ("files", "manager", "command"),
    [
        ({"uv.lock": ""}, Fact("uv", "uv.lock"), ("uv", "run", "pytest")),
        ({"poetry.lock": ""}, Fact("poetry", "poetry.lock"), ("poetry", "run", "pytest")),
        ({"pdm.lock": ""}, Fact("pdm", "pdm.lock"), ("pdm", "run", "pytest")),
        ({"hatch.toml": ""}, Fact("hatch", "hatch.toml"), ("hatch", "run", "pytest")),
        ({"requirements-dev.txt": "x"}, Fact("pip", "requirements-dev.txt"), ("python", "-m", "pytest")),
        (
            {"pyproject.toml": "[tool.poetry]\nname = 'a'"},
            Fact("poetry", "pyproject.toml", "tool.poetry"),
            ("poetry", "run", "pytest"),
        ),
        (
            {"pyproject.toml": "[tool.hatch.envs.default]\nskip-install = true"},
            Fact("hatch", "pyproject.toml", "tool.hatch.envs"),
            ("hatch", "run", "pytest"),
        ),
        (
            {"pyproject.toml": "[build-system]\nrequires = ['hatchling']\n[tool.hatch.build]\na = 1"},
            Fact("pip", "pyproject.toml", "build-system"),
            ("python", "-m", "pytest"),
        ),
    ],
)
def test_a_python_manager_is_named_with_its_source(
    files: Mapping[str, str], manager: Fact, command: tuple[str, ...]
) -> None:
    project = only({"pytest.ini": "[pytest]\n", **files})

    assert project.managers == (manager,)
    assert framework(project, "pytest").command == command


@pytest.mark.parametrize(
    ("files", "source"),
    [
        (
            {"pyproject.toml": "[tool.pytest.ini_options]\na = 1"},
            ("pyproject.toml", "tool.pytest.ini_options"),
        ),
        ({"setup.cfg": "[tool:pytest]\na = 1\n"}, ("setup.cfg", "tool:pytest")),
        ({"tox.ini": "[pytest]\na = 1\n"}, ("tox.ini", "pytest")),
        ({"tox.ini": "[testenv]\ndeps =\n    pytest\n"}, ("tox.ini", "testenv")),
        (
            {"pyproject.toml": "[dependency-groups]\ndev = ['pytest>=8']"},
            ("pyproject.toml", "dependency-groups"),
        ),
        ({"setup.py": "", "tests/conftest.py": ""}, ("tests/conftest.py", "")),
        ({"requirements.txt": "pytest==8\n"}, ("requirements.txt", "")),
        ({"requirements/test.txt": "pytest\n", "setup.py": ""}, ("requirements/test.txt", "")),
        ({"setup.py": "setup(extras_require={'test': ['pytest>=7']})\n"}, ("setup.py", "")),
        ({"setup.cfg": "[options.extras_require]\ntest =\n    pytest\n"}, ("setup.cfg", "")),
        (
            {"pyproject.toml": '[tool.tox.env_run_base]\ncommands = [["pytest", "tests"]]\n'},
            ("pyproject.toml", "tool.tox"),
        ),
        (
            {"pyproject.toml": '[tool.tox]\nlegacy_tox_ini = """\ncommands =\n  {py} -m pytest\n"""\n'},
            ("pyproject.toml", "tool.tox"),
        ),
        (
            {"setup.py": "", "tests/test_a.py": "import pytest\nimport unittest\n"},
            ("tests/test_a.py", "import pytest"),
        ),
    ],
)
def test_pytest_is_found_by_its_configuration_or_as_a_dependency(
    files: Mapping[str, str], source: tuple[str, str]
) -> None:
    first = framework(only(files), "pytest").sources[0]

    assert (first.file, first.key) == source


def test_a_package_whose_name_begins_with_pytest_is_not_pytest() -> None:
    assert detected({"pyproject.toml": "[dependency-groups]\ndev = ['pytest-cov']"}) == ()


def test_unittest_is_found_by_an_import_where_nothing_names_pytest() -> None:
    project = only({"setup.py": "", "tests/test_it.py": TESTS})

    assert project.frameworks == (
        DetectedFramework(
            "unittest",
            (Fact("unittest", "tests/test_it.py", "import unittest"),),
            ("python", "-m", "unittest", "discover"),
            Fact("unittest", "tests/test_it.py", "import unittest"),
        ),
    )


def test_tox_and_nox_are_found_by_their_files() -> None:
    project = only({"tox.ini": "[testenv]\ncommands = true\n", "noxfile.py": ""})

    assert [(item.name, item.command) for item in project.frameworks] == [
        ("tox", ("tox",)),
        ("nox", ("nox",)),
    ]


def test_members_of_a_uv_workspace_name_the_key_that_lists_them() -> None:
    top = "[tool.uv.workspace]\nmembers = ['packages/*']\nexclude = ['packages/old']\n"
    member = "[tool.pytest.ini_options]\na = 1\n"

    found = detected({
        "pyproject.toml": top, "uv.lock": "",
        "packages/a/pyproject.toml": member, "packages/old/pyproject.toml": member,
        "packages/a/deep/pyproject.toml": member,
    })  # fmt: skip

    key = Fact("uv", "pyproject.toml", "tool.uv.workspace.members")
    assert {item.root: item.workspace for item in found} == {
        "packages/a": key, "packages/a/deep": None, "packages/old": None
    }  # fmt: skip
    assert found[0].manager == "uv"


@pytest.mark.parametrize(
    ("files", "manager", "command"),
    [
        ({"package-lock.json": "{}"}, "npm", ("npx", "--no-install", "vitest", "run")),
        ({"pnpm-lock.yaml": ""}, "pnpm", ("pnpm", "exec", "vitest", "run")),
        ({"yarn.lock": ""}, "yarn", ("yarn", "run", "vitest", "run")),
        ({"bun.lock": ""}, "bun", ("bunx", "--no-install", "vitest", "run")),
    ],
)
def test_a_script_manager_is_named_by_its_lock_file(
    files: Mapping[str, str], manager: str, command: tuple[str, ...]
) -> None:
    project = only({"package.json": '{"devDependencies": {"vitest": "^3"}}', **files})

    assert (project.manager, framework(project, "vitest").command) == (manager, command)


@pytest.mark.parametrize(
    ("script", "name"), [("vitest --run", "vitest"), ("jest", "jest"), ("node --test test/", "node:test")]
)
def test_a_test_script_is_the_command(script: str, name: str) -> None:
    package = json.dumps({"packageManager": "pnpm@9.1.0", "scripts": {"test": script}})

    found = framework(only({"package.json": package}), name)

    assert found.command == ("pnpm", "run", "test")
    assert found.command_source is not None
    assert (found.command_source.file, found.command_source.key) == ("package.json", "scripts.test")


def test_playwright_is_listed_without_a_command() -> None:
    project = only({"package.json": "{}", "playwright.config.ts": "", "package-lock.json": "{}"})

    assert [(item.name, item.command, item.is_listed_only) for item in project.frameworks] == [
        ("playwright", (), True)
    ]


def test_without_a_known_manager_a_framework_has_no_command() -> None:
    assert framework(only({"package.json": '{"devDependencies": {"jest": "1"}}'}), "jest").command == ()


@pytest.mark.parametrize(
    ("files", "key"),
    [
        ({"package.json": '{"workspaces": ["packages/*"]}', "yarn.lock": ""}, "workspaces"),
        (
            {"package.json": '{"workspaces": {"packages": ["packages/**"]}}', "yarn.lock": ""},
            "workspaces.packages",
        ),
        (
            {"package.json": "{}", "pnpm-workspace.yaml": "packages: ['packages/*']\n", "pnpm-lock.yaml": ""},
            "packages",
        ),
    ],
)
def test_members_of_a_script_workspace_use_the_manager_of_its_top(files: Mapping[str, str], key: str) -> None:
    project = only({**files, "packages/a/package.json": '{"scripts": {"test": "vitest"}}'})

    assert project.root == "packages/a"
    assert project.workspace is not None
    assert project.workspace.key == key
    assert project.manager in ("yarn", "pnpm")


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "pytest"},
        {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
        {"node_modules/a/package.json": '{"devDependencies": {"jest": "1"}}'},
        {"pyproject.toml": "[tool.pytest"},
        {"package.json": "[" * 100_000},
        {"pyproject.toml": "a = " + "[" * 100_000},
        {"tox.ini": "]\x00["},
        {"package.json": '{"workspaces": 3, "scripts": ["test"], "devDependencies": "jest"}'},
        {"package.json": "{}", "pnpm-workspace.yaml": "packages: &a [*a]\n"},
        {"pyproject.toml": "[tool.uv.workspace]\nmembers = ['" + "*a" * 2000 + "']\n"},
    ],
    ids=range(11),
)
def test_files_that_name_no_tests_or_cannot_be_read_have_no_project(files: Mapping[str, str]) -> None:
    assert detected(files) == ()
