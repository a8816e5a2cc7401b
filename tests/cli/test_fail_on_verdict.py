"""The exit status follows the verdicts that an option or the configuration names, and is never milder."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository

POLICY = """\
schema: wardround.policy/1
name: team
version: 1
tiers: {{T1: {0}, T2: {0}, T3: {0}, T4: {0}, T5: {0}}}
"""
LFS_POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
SETTINGS = "policy = 'review.yml'\n"


def commit_change(repo: GitRepository, verdict: str, settings: str = SETTINGS) -> None:
    """Commit a policy that always gives a verdict, and a change without findings."""
    repo.commit({".wardround.toml": settings, "review.yml": POLICY.format(verdict), "a.md": "A text.\n"})
    repo.commit({"a.md": "A longer text.\n"})


@pytest.mark.parametrize(
    ("verdict", "option", "status"),
    [
        ("human-review", "", 0),
        ("human-review", "declined", 0),
        ("human-review", "escalate", 0),
        ("human-review", "human-review", 1),
        ("escalate", "human-review", 1),
        ("escalate", "declined, escalate", 1),
        ("auto-approve", "human-review", 0),
        ("declined", "escalate", 1),
        ("declined", "", 1),
    ],
)
def test_a_verdict_fails_if_it_or_a_milder_one_is_named(
    repo: GitRepository, verdict: str, option: str, status: int
) -> None:
    commit_change(repo, verdict)

    done = repo.wardround("review", "--base", "HEAD~1", "--fail-on-verdict", option)

    assert done.returncode == status
    named = " and ".join(name.strip() for name in option.split(",") if name.strip() not in ("", "declined"))
    line = f"wardround: the verdict {verdict} blocks: fail-on-verdict names {named}"
    assert (line in done.stderr.splitlines()) == (status == 1 and verdict != "declined")


def test_the_configuration_counts_in_ci_and_the_option_cannot_take_from_it(repo: GitRepository) -> None:
    commit_change(repo, "human-review", SETTINGS + "fail-on-verdict = ['human-review']\n")
    review = ("review", "--base", "HEAD~1", "--only", "text")
    assert repo.wardround(*review).returncode == 0
    assert repo.wardround(*review, "--profile", "ci", "--fail-on-verdict", "declined").returncode == 1


def test_the_verdict_of_a_staged_change_blocks_the_hook_that_asks_for_it(repo: GitRepository) -> None:
    repo.commit({"a.md": "A text.\n"})
    repo.stage({"a.py": "def f(): return 1\n"})
    assert repo.wardround("hook").returncode == 0
    done = repo.wardround("hook", "--fail-on-verdict", "human-review")
    assert (done.returncode, "verdict: human-review (" in done.stdout) == (1, True)


def test_a_review_that_lacks_a_result_keeps_its_own_status(repo: GitRepository) -> None:
    commit_change(repo, "escalate")
    repo.commit({"data.py": LFS_POINTER})
    review = ("review", "--base", "HEAD~1", "--fail-on-verdict", "escalate")
    assert repo.wardround(*review, "--profile", "ci").returncode == 4
    assert repo.wardround(*review).returncode == 1  # at commit an inconclusive review passes


def test_an_unknown_verdict_is_a_usage_error(repo: GitRepository) -> None:
    commit_change(repo, "escalate")
    done = repo.wardround("review", "--base", "HEAD~1", "--fail-on-verdict", "auto-merge")
    assert done.returncode == 2
    assert done.stderr == (
        "wardround: --fail-on-verdict auto-merge: choose from human-review, escalate, declined\n"
    )
