"""A missing tool is reported with its installation for this environment: pip, or the hook's own lines."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from wardround_docker_ci.tools import shellcheck
from wardround_docker_ci.tools.shellcheck import SHELLCHECK_IN_WORKFLOWS

from tests.plugins.docker_ci.conftest import Reviewed, reviewed  # noqa: F401  (a fixture)
from wardround import host
from wardround.tools import install_hints
from wardround.tools.install_hints import extra_in_hint, hint_for_extras, install_hint
from wardround.tools.tool import install_line

ROOT = Path(__file__).parent.parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
MADE_BY = {
    "pre-commit": "/home/me/.cache/pre-commit/repo8jhy6309/py_env-python3.11",
    "prek": "/home/me/.cache/prek/hooks/python-6ZZ96TYZPgViwaMq2K4N",
}
WORKFLOW = ".github/workflows/build.yml"
STEPS = "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n"


@pytest.fixture(params=MADE_BY)
def runner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The program that made the environment wardround runs in, and runs its hook now."""
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setattr(sys, "prefix", MADE_BY[request.param])
    name: str = request.param
    return name


@pytest.mark.parametrize("extra", ["docker-ci", "web", "secrets", "sql", "ci"])
def test_a_hook_is_reported_its_own_line_for_an_extra(runner: str, extra: str) -> None:
    hint = install_hint(install_line(extra))
    assert hint == f"give the hook additional_dependencies: ['wardround[{extra}]']"
    assert yaml.safe_load(hint.partition("give the hook ")[2]) == {
        "additional_dependencies": [f"wardround[{extra}]"]
    }
    assert extra_in_hint(hint) == extra


def test_one_line_of_a_hook_names_the_missing_extras_and_those_it_has(
    runner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install_hints, "_installed_extras", lambda: iter(["web"]))
    expected = "give the hook additional_dependencies: ['wardround[docker-ci,sql,web]']"
    assert hint_for_extras({"sql", "docker-ci"}) == expected


def test_one_line_of_pip_names_the_missing_extras() -> None:
    assert hint_for_extras({"web", "docker-ci"}) == "pip install 'wardround[docker-ci,web]'"


def test_extras_with_every_pinned_tool_are_installed_ones() -> None:
    found = set(install_hints._installed_extras())
    assert {"web", "docker-ci", "sql"} <= found
    assert found.isdisjoint({"iac", "tickets", "records"})


def test_a_line_of_another_installer_has_no_extra() -> None:
    assert extra_in_hint("npm install --save-dev eslint") is None


def test_a_hook_that_lacks_what_comes_with_us_is_made_again(runner: str) -> None:
    assert install_hint(install_line()) == f"{runner} clean recreates the hook's environment"


def test_a_line_of_somebody_else_stays(runner: str) -> None:
    assert install_hint("npm install --save-dev eslint") == "npm install --save-dev eslint"


@pytest.mark.parametrize("prefix", ["/home/me/project/.venv", "/usr", "/home/me/hooks/venv"])
def test_a_hook_that_runs_in_the_users_own_environment_is_reported_of_pip(
    monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setattr(sys, "prefix", prefix)
    assert install_hint(install_line("web")) == "pip install 'wardround[web]'"


@pytest.mark.parametrize("made_by", MADE_BY)
def test_a_hooks_environment_started_manually_is_reported_of_pip(
    monkeypatch: pytest.MonkeyPatch, made_by: str
) -> None:
    monkeypatch.setattr(sys, "prefix", MADE_BY[made_by])
    assert install_hint(install_line("web")) == "pip install 'wardround[web]'"


def test_a_review_reports_it(runner: str, reviewed: Reviewed, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(shellcheck, "find_actionlint", lambda root: None)

    done = reviewed({WORKFLOW: STEPS}, SHELLCHECK_IN_WORKFLOWS)

    (missing,) = done.unreviewed
    reported = "give the hook additional_dependencies: ['wardround[docker-ci]']"
    assert missing.reason == f"actionlint is not installed; {reported}"


def test_every_tool_of_ours_is_had_by_a_line_of_the_hook(runner: str) -> None:
    lines = {tool.install for s in host.load().specialists for tool in s.tools if "pip" in tool.install}
    extras = {extra_in_hint(line) for line in lines} - {None}
    assert extras <= EXTRAS.keys()
    assert len(extras) > 3
    assert all("pip" not in install_hint(line) for line in lines)
