"""Completion in shells, as each shell requests it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.conftest import SCRIPTS, GitRepository
from wardround import host
from wardround.cli import completion
from wardround.cli.commands import cli

EXPLAIN = click.Context(click.Command("explain"))
PARAMETER = click.Argument(["rule"])


def completions(words: str, cache: Path, shell: str = "bash") -> list[str]:
    """Return the completions of the last word, as the script of a shell gets them."""
    count = len(words.split(" ")) - 1
    last = words.rpartition(" ")[2]
    environment = {
        "PATH": f"{SCRIPTS}:/usr/bin:/bin", "XDG_CACHE_HOME": str(cache), "HOME": str(cache),
        "_WARDROUND_COMPLETE": f"{shell}_complete", "COMP_WORDS": words,
        "COMP_CWORD": last if shell == "fish" else str(count),
    }  # fmt: skip
    argv = [sys.executable, "-m", "wardround"]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, cwd=cache)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_bash_completes_a_command_through_its_own_script(repo: GitRepository) -> None:
    script = (
        'eval "$(_WARDROUND_COMPLETE=bash_source wardround)"\n'
        "COMP_WORDS=(wardround rel); COMP_CWORD=1\n"
        '_wardround_completion wardround; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = repo.run("bash", "-c", script, env={"PATH": f"{SCRIPTS}:/usr/bin:/bin"})
    assert done.stdout.splitlines() == ["related", "release-notes"], done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("wardround review --fail", ["plain,--fail-level", "plain,--fail-on-verdict"]),
        ("wardround review --fail-level w", ["plain,warn"]),
        ("wardround review --only s", ["plain,secrets", "plain,sql", "plain,supply-chain"]),
        ("wardround hook --format sa", ["plain,sarif"]),
        ("wardround policy c", ["plain,check"]),
    ],
)
def test_options_and_values_are_completed(words: str, expected: list[str], tmp_path: Path) -> None:
    assert completions(words, tmp_path) == expected


def test_zsh_and_fish_get_the_help_of_an_option(tmp_path: Path) -> None:
    assert completions("wardround rules --pa", tmp_path, "zsh")[:2] == ["plain", "--pages"]
    assert completions("wardround rules --pa", tmp_path, "fish")[0].startswith(
        "plain,--pages\tWrite one Markdown"
    )


class TestRules:
    @pytest.fixture(autouse=True)
    def cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        return tmp_path

    def test_an_id_is_completed_by_its_beginning(self) -> None:
        found = completion.complete_rules(EXPLAIN, PARAMETER, "python/PY30")
        assert "python/PY301" in found
        assert all(rule.startswith("python/PY30") for rule in found)

    def test_a_code_without_its_tool_is_completed_as_explain_takes_it(self) -> None:
        assert "PY301" in completion.complete_rules(EXPLAIN, PARAMETER, "PY30")
        assert completion.complete_rules(EXPLAIN, PARAMETER, "none/") == []

    def test_the_second_completion_loads_no_rule(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = completion.complete_rules(EXPLAIN, PARAMETER, "sql/")
        monkeypatch.setattr(host, "load", lambda: pytest.fail("rules are loaded"))
        assert completion.complete_rules(EXPLAIN, PARAMETER, "sql/") == first


def test_an_unknown_shell_is_a_usage_error_and_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(completion.VARIABLE, "tcsh_source")
    with pytest.raises(
        click.UsageError, match="'tcsh_source' is unknown; use bash_source, zsh_source or fish"
    ):
        completion.respond(cli)


def test_the_variable_cannot_replace_a_review(repo: GitRepository) -> None:
    repo.stage({"app.py": "print(missing)\n"})
    done = repo.wardround("review", "--staged", env={completion.VARIABLE: "bash_source"})
    assert done.returncode == 1
    assert "Undefined name `missing`" in done.stdout
