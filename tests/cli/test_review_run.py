"""The option ``--run``, from the command line to the record and its replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.run_reviews import SETTINGS, committed

ONLY = ["--only", "python", "--only", "tests"]
REVIEW = ["review", "--base", "HEAD~1", *ONLY]


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    committed(repo, settings=SETTINGS + "run = true\n")
    return repo


def parts_of(shop: GitRepository, *arguments: str | Path) -> set[str]:
    done = shop.wardround(*REVIEW, "--format", "json", *arguments)
    assert done.returncode in (0, 1, 4), done.stderr
    return set(json.loads(done.stdout).get("run", {}))


def test_the_option_names_what_runs(shop: GitRepository) -> None:
    assert parts_of(shop) == set()
    assert parts_of(shop, "--run=tests") == {"tests"}
    assert parts_of(shop, "--run") == {"tests", "behaviour"}


def test_the_configuration_of_the_base_runs_it_in_ci(shop: GitRepository) -> None:
    assert parts_of(shop, "--profile", "ci") == {"tests", "behaviour"}
    assert parts_of(shop, "--profile", "ci", "--run=none") == set()


def test_a_hook_never_runs_the_change(shop: GitRepository) -> None:
    shop.stage({"app.py": "a = 1\n"})
    done = shop.wardround("hook", "--format", "json")
    assert "run" not in json.loads(done.stdout)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--run=lint"], "--run lint: there is no part 'lint'; choose from tests, behaviour, none"),
        (["--sandbox", "docker"], "Invalid value for '--sandbox'"),
    ],
)
def test_a_wrong_option_is_a_usage_error(shop: GitRepository, arguments: list[str], message: str) -> None:
    done = shop.wardround(*REVIEW, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_wrong_setting_is_named_with_its_file(repo: GitRepository) -> None:
    repo.stage({".wardround.toml": "run = ['lint']\n"})
    done = repo.wardround("review")
    assert done.returncode == 2
    assert ".wardround.toml" in done.stderr
    assert "lint" in done.stderr


def test_what_cannot_run_is_inconclusive(shop: GitRepository) -> None:
    done = shop.wardround("review", "--worktree", *ONLY, "--run=tests", "--format", "json")
    report = json.loads(done.stdout)
    assert report["gate"]["outcome"] == "pass"  # nothing is changed, so that nothing has to run
    shop.write("app.py", "a = 1\n")
    done = shop.wardround("review", "--worktree", *ONLY, "--run=tests", "--format", "json")
    report = json.loads(done.stdout)
    assert report["gate"]["outcome"] == "inconclusive"
    assert report["run"]["tests"]["state"] == "refused"
    assert done.returncode == 0


def test_a_replay_needs_no_sandbox_and_a_rerun_runs_only_on_request(
    shop: GitRepository, tmp_path: Path
) -> None:
    record = tmp_path / "r.intoto.jsonl"
    parts_of(shop, "--run", "--record", record)
    replayed = shop.wardround("replay", record, cwd=tmp_path)
    assert (replayed.returncode, replayed.stderr) == (0, "")
    again = shop.wardround("replay", "--rerun", record)
    assert again.stdout.endswith("the same review today agrees with the record\n")
    refused = shop.wardround("replay", "--run", record)
    assert refused.returncode == 2
    assert "--run needs --rerun" in refused.stderr


def test_policy_explain_names_the_line_about_the_run(shop: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "r.intoto.jsonl"
    parts_of(shop, "--record", record)
    policy = tmp_path / "covered.yml"
    policy.write_text(
        "schema: wardround.policy/1\nname: covered\nversion: 1\n"
        "tiers: {T1: auto-merge, T2: auto-merge, T3: auto-merge, T4: auto-merge, T5: auto-merge}\n"
        "rules:\n- {id: ran, when: run.lines_uncovered > 0, because: changed lines are covered}\n"
    )
    done = shop.wardround("policy", "explain", record, "--policy", policy)
    assert "* rules.ran: human-review: changed lines are covered (assumed, since the condition failed" in (
        done.stdout
    )
