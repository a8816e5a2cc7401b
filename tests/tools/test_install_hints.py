"""A missing tool is reported with its installation for this environment: pip, or the hook's own lines."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from wardround_docker_ci.tools import shellcheck
from wardround_docker_ci.tools.shellcheck import SHELLCHECK_IN_WORKFLOWS
from wardround_sql.tools.sqlfluff import SQLFLUFF

from tests.plugins.docker_ci.conftest import Reviewed, reviewed  # noqa: F401  (a fixture)
from wardround import host
from wardround.tools.install_hints import HOOKS, install_hint
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


def test_a_hook_is_reported_the_ids_that_bring_an_extra(runner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install_hint(install_line("docker-ci")) == "use the hook id wardround-docker-ci or wardround-all"
    monkeypatch.setenv("PRE_COMMIT_REMOTE_NAME", "origin")
    assert install_hint(install_line("web")) == "use the hook id wardround-push-web or wardround-push-all"


def test_a_hook_is_reported_the_packages_of_an_extra_without_an_id(runner: str) -> None:
    hint = install_hint(SQLFLUFF.install)
    assert all(requirement.partition(">")[0] in hint for requirement in EXTRAS["sql"])
    assert hint.startswith("give the hook additional_dependencies: [")
    assert hint.endswith("], which replace those of its id")


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
    reported = "use the hook id wardround-docker-ci or wardround-all"
    assert missing.reason == f"actionlint is not installed; {reported}"


def test_the_hooks_named_are_those_that_bring_every_package_of_an_extra() -> None:
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    contributed = {hook["id"]: set(hook.get("additional_dependencies", ())) for hook in offered}
    ids = [id_ for id_ in contributed if not id_.startswith("wardround-push")]
    bringing = {
        extra: tuple(id_ for id_ in ids if set(EXTRAS[extra]) <= contributed[id_]) for extra in EXTRAS
    }
    assert {extra: found for extra, found in bringing.items() if found} == HOOKS
    for found in HOOKS.values():
        for id_ in found:
            assert contributed[id_.replace("-", "-push-", 1)] == contributed[id_]


def test_every_tool_of_ours_is_had_by_a_hook_or_by_packages_its_extra_names(runner: str) -> None:
    lines = {tool.install for s in host.load().specialists for tool in s.tools if "pip" in tool.install}
    assert len(lines) > len(HOOKS)
    for line in lines:
        assert "pip" not in install_hint(line)
        assert "[]" not in install_hint(line)
