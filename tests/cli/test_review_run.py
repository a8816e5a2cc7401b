"""The option ``--run``, from the command line to the record and its replay."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.run_reviews import PORTS, PORTS_AFTER, SETTINGS, committed
from wardround.cli.run_options import parse_run

ONLY = ["--only", "python", "--only", "tests"]
PYTEST = "[tool.pytest.ini_options]\npythonpath = ['.']\n"
PORT_TESTS = """\
from app import parse_port


def test_port():
    assert parse_port("80") == 80


def test_empty():
    assert parse_port("") is None


def test_broken():
    assert parse_port("80") == "broken"
"""
REVIEW = ["review", "--base", "HEAD~1", *ONLY]


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    committed(repo, settings=SETTINGS + "run = true\n")
    return repo


def parts_of(shop: GitRepository, *arguments: str | Path) -> set[str]:
    done = shop.wardround(*REVIEW, "--format", "json", *arguments)
    assert done.returncode in (0, 1, 4), done.stderr
    return set(json.loads(done.stdout).get("run", {})) - {"counts"}


def test_the_option_names_what_runs(shop: GitRepository) -> None:
    assert parts_of(shop) == set()
    assert parts_of(shop, "--run=tests") == {"tests"}
    assert parts_of(shop, "--run") == {"tests", "behaviour"}


@pytest.fixture
def ports(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """A change that breaks a test, next to a test that was broken before, in the environment of this test."""
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    repo.commit({"app.py": PORTS, "test_app.py": PORT_TESTS, "pyproject.toml": PYTEST})
    repo.write("app.py", PORTS_AFTER)
    repo.git("commit", "--quiet", "--all", "--message", "refactor: simplify ports")
    return repo


def test_the_change_really_runs(ports: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "r.intoto.jsonl"
    done = ports.wardround(*REVIEW, "--run=all", "--format", "json", "--record", record)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    found = {(item["rule"], item["line"]): item["message"] for item in report["findings"]}
    assert found["run/failed-test", 6].startswith(
        "test_app.py::test_empty fails; it passed before the change"
    )
    assert "parse_port('') returned None; it raises ValueError(" in found["run/unstated-behaviour", 4]
    tests = {item["id"]: (item["outcome"], item["base"]) for item in report["run"]["tests"]["tests"]}
    assert tests["test_app.py::test_broken"] == ("failed", "failed")
    assert tests["test_app.py::test_port"] == ("passed", None)
    counts = report["run"]["counts"]["tests"]
    assert (counts["state"], counts["isolated"]) == ("complete", True)
    written = record.read_bytes()
    payload = base64.b64decode(json.loads(written.splitlines()[0])["payload"]).decode()
    assert str(ports.root) not in payload
    assert sys.prefix not in payload
    replayed = ports.wardround("replay", record, cwd=tmp_path)
    assert (replayed.returncode, replayed.stderr) == (0, "")
    again = ports.wardround("replay", "--rerun", "--run", record)
    assert again.stdout.endswith("the same review today agrees with the record\n")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, None),
        ("all", ("tests", "behaviour")),
        ("none", ()),
        ("behaviour, tests", ("tests", "behaviour")),
        ("mutations", ("tests", "mutations")),
    ],
)
def test_the_parts_are_in_order_and_mutations_need_the_tests(
    text: str | None, parts: tuple[str, ...] | None
) -> None:
    assert parse_run(text) == parts


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
        (
            ["--run=lint"],
            "--run lint: the part 'lint' is unknown; choose from tests, behaviour, mutations, none",
        ),
        (["--sandbox", "chroot"], "Invalid value for '--sandbox'"),
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
    assert report["run"]["tests"]["conditions"]["state"] == "refused"
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
