"""Files that configure how tests run, by kind."""

from __future__ import annotations

import enum

PYTHON_SETTINGS = frozenset(
    {"pyproject.toml", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg",
     ".coveragerc", "noxfile.py"}
)  # fmt: skip
SCRIPT_SETTINGS = frozenset({"jest", "vitest", "vite", "karma", "playwright", "cypress", "mocharc", "nycrc"})
RECIPES = frozenset(
    {"makefile", "gnumakefile", "justfile", "taskfile.yml", "taskfile.yaml", ".gitlab-ci.yml", "jenkinsfile",
     ".travis.yml", "azure-pipelines.yml"}
)  # fmt: skip
RECIPE_FOLDERS = (".github/workflows/", ".github/actions/", ".circleci/", "scripts/", "ci/", ".ci/")
SET_UP_NAMES = frozenset({"setuptests", "setup-tests", "test-setup", "testsetup", "setupjest", "setupvitest"})
"""Lower-case names of files that script test runners load before the tests."""


class HarnessKind(enum.Enum):
    """Kind of test configuration."""

    PYTHON = "settings of Python's test tools"
    SCRIPT = "settings of a script test runner"
    CONFTEST = "fixtures and hooks of pytest"
    RECIPE = "steps of CI or of a task runner"
    COVERAGE = "coverage thresholds"


def kind_of(path: str) -> HarnessKind | None:
    """Return the kind of test configuration in a file; None if it has none."""
    name = path.rpartition("/")[2]
    if name == "conftest.py" or name.lower().partition(".")[0] in SET_UP_NAMES:
        return HarnessKind.CONFTEST
    if name in PYTHON_SETTINGS:
        return HarnessKind.PYTHON
    if name == "package.json" or name.lstrip(".").partition(".")[0] in SCRIPT_SETTINGS:
        return HarnessKind.SCRIPT
    if name.lower() in RECIPES or path.startswith(RECIPE_FOLDERS):
        return HarnessKind.RECIPE
    return HarnessKind.COVERAGE if name.lstrip(".") in ("codecov.yml", "codecov.yaml") else None
