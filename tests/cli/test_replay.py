"""``wardround replay`` and ``policy explain`` on records of real reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository

DECLINING = """
name: p
version: 1
tiers: {T1: auto-merge, T2: auto-merge, T3: declined, T4: declined, T5: declined}
"""


@pytest.fixture
def recorded(repo: GitRepository, tmp_path: Path) -> GitRepository:
    """A repository with a reviewed commit, and its record next to it."""
    repo.commit({"app.py": "x = 1\n", ".wardround.toml": "models = 'off'\n"})
    repo.commit({"app.py": "def f(x):\n    return x is 'a'\n"})
    done = repo.wardround("review", "--base", "HEAD~1", "--record", tmp_path / "r.intoto.jsonl")
    assert done.returncode == 0, done.stderr
    return repo


def test_a_verdict_is_derived_again_without_the_repository(recorded: GitRepository, tmp_path: Path) -> None:
    done = recorded.wardround("replay", tmp_path / "r.intoto.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}/r.intoto.jsonl: human-review (T3) follows from the evidence\n"


def test_the_same_commits_give_the_same_review(recorded: GitRepository, tmp_path: Path) -> None:
    done = recorded.wardround("replay", "--rerun", tmp_path / "r.intoto.jsonl")
    assert (done.returncode, done.stdout.splitlines()[1]) == (
        0,
        "the same review today agrees with the record",
    )


def test_a_review_with_another_configuration_drifts(recorded: GitRepository, tmp_path: Path) -> None:
    recorded.wardround(
        "review", "--base", "HEAD~1", "--skip", "tests", "--record", tmp_path / "s.intoto.jsonl"
    )
    text = (tmp_path / "s.intoto.jsonl").read_text()
    assert text != (tmp_path / "r.intoto.jsonl").read_text()
    done = recorded.wardround("replay", "--rerun", tmp_path / "s.intoto.jsonl")
    assert done.returncode == 0, done.stdout


def test_a_staged_change_cannot_be_reviewed_again(recorded: GitRepository, tmp_path: Path) -> None:
    recorded.stage({"app.py": "y = 1\n"})
    recorded.wardround("review", "--staged", "--record", tmp_path / "s.intoto.jsonl")
    done = recorded.wardround("replay", "--rerun", tmp_path / "s.intoto.jsonl")
    assert done.returncode == 2
    assert done.stderr == (
        "wardround: --rerun: the record is not of commits; only committed changes can be reviewed again\n"
    )


def test_a_repository_without_the_commits_is_named(recorded: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    recorded.git("init", "-q", tmp_path / "other")
    done = recorded.wardround("replay", "--rerun", "--repo", tmp_path / "other", tmp_path / "r.intoto.jsonl")
    assert done.returncode == 2
    assert "names no commit in" in done.stderr


@pytest.mark.parametrize("content", [b"", b"{}\n", b"\xff\n", b"[" * 5000])
def test_a_file_that_is_not_a_record_is_a_usage_error(
    repo: GitRepository, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "r").write_bytes(content)
    for command in (["replay"], ["policy", "explain"]):
        done = repo.wardround(*command, tmp_path / "r")
        assert (done.returncode, done.stdout) == (2, "")
        assert "is not the record of a review: " in done.stderr


def test_explain_shows_each_line_of_the_policy(recorded: GitRepository, tmp_path: Path) -> None:
    done = recorded.wardround("policy", "explain", tmp_path / "r.intoto.jsonl")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("default@sha256:")
    assert "  * tiers.T3: human-review: tier T3 gives human-review" in lines
    assert "  - rules.security-error: escalate: security has an error" in lines
    assert lines[-2:] == [
        "  not T1: semantic: 1 finding, up to warn",
        "  not T1: source is changed without a test",
    ]


def test_explain_shows_the_verdict_of_another_policy(recorded: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "p.yml").write_text(DECLINING)
    done = recorded.wardround(
        "policy", "explain", "--policy", tmp_path / "p.yml", tmp_path / "r.intoto.jsonl"
    )
    assert "verdict: declined (T3); * decides, - does not apply" in done.stdout.splitlines()


def test_a_declined_change_fails_the_review(recorded: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "p.yml").write_text(DECLINING)
    done = recorded.wardround("review", "--base", "HEAD~1", "--policy-floor", tmp_path / "p.yml")
    assert done.returncode == 1
    assert "verdict: declined (T3): semantic: 1 finding, up to warn" in done.stdout
