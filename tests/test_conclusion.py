"""The conclusion of a review is derived for those who read it, and always where a policy can decline."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import GitRepository
from tests.security.verdicts.scene import quick_host
from wardround import review
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.context.ticket.model import Ticket
from wardround.errors import ConfigError
from wardround.policy.verdict import Tier, VerdictName
from wardround.reports import json, text
from wardround.review import run_review
from wardround.review_result import ReviewResult
from wardround.session import ReviewSession
from wardround.tools.tool import Profile

DECLINING = """\
schema: wardround.policy/1
name: closed
version: 1
description: Nothing is approved.
tiers: {T1: declined, T2: declined, T3: declined, T4: declined, T5: declined}
"""


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to derive a conclusion."""

    def fail(*arguments: object) -> None:
        raise AssertionError("the policy was read")

    monkeypatch.setattr(review, "_open_conclusion", fail)


def staged(
    repo: GitRepository,
    then: Callable[[ReviewResult], object],
    request: ReviewRequest | None = None,
    settings: str = "",
) -> ReviewResult:
    """Review a staged change, and use the result while the repository is open."""
    policy = {"closed.yml": DECLINING}
    repo.commit({"shop.py": "PRICE = 1\n", ".wardround.toml": f"models = 'off'\n{settings}", **policy})
    repo.stage({"shop.py": "PRICE = 2\n"})
    with Repository(repo.root) as repository:
        change = repository.staged_change()
        source = GitChangeSource(repository, change)
        expected = request or ReviewRequest()
        with ReviewSession(source, quick_host(), expected, may_defer=True) as session:
            done = run_review(session)
        then(done)
        return done


@pytest.mark.parametrize("policy", ["default", "advisory"])
@pytest.mark.usefixtures("refused")
def test_a_commit_is_decided_and_printed_without_a_policy(repo: GitRepository, policy: str) -> None:
    printed: list[str] = []
    done = staged(repo, lambda one: printed.append(text.render(one)), settings=f"policy = '{policy}'\n")
    assert done.exit_status == 0
    assert printed[0].startswith("wardround: pass - no findings, 1 file")


def test_a_report_for_programs_has_the_verdict_of_a_commit(repo: GitRepository) -> None:
    printed: list[str] = []
    done = staged(repo, lambda one: printed.append(json.render(one)))
    assert done.conclusion.verdict.name is VerdictName.HUMAN_REVIEW
    assert '"name": "human-review"' in printed[0]


@pytest.mark.parametrize(
    ("request_", "settings"),
    [
        (ReviewRequest(), "policy = 'strict'\n"),
        (ReviewRequest(verbose=True), ""),
        (ReviewRequest(profile=Profile.CI), ""),
        (ReviewRequest(ticket=Ticket("KEY-1", "Prices", "file")), ""),
    ],
)
@pytest.mark.usefixtures("refused")
def test_other_reviews_read_the_policy(repo: GitRepository, request_: ReviewRequest, settings: str) -> None:
    with pytest.raises(AssertionError, match="the policy was read"):
        staged(repo, text.render, request_, settings)


def test_a_policy_of_the_repository_declines_a_commit(repo: GitRepository) -> None:
    printed: list[str] = []
    done = staged(repo, lambda one: printed.append(text.render(one)), settings="policy = 'closed.yml'\n")
    assert done.exit_status == 1
    assert "verdict: declined (" in printed[0]
    assert done.conclusion.verdict.tier in Tier


def test_a_missing_policy_is_an_error_of_a_commit(repo: GitRepository) -> None:
    with pytest.raises(ConfigError, match=r"policy: none\.yml does not exist"):
        staged(repo, text.render, settings="policy = 'none.yml'\n")
