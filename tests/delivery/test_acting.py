"""Acting on a pull request of GitHub: one test per verdict, and everything that must not happen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.delivery.api_server import Fault, Reply
from tests.delivery.github_merge_api import (
    AUTHOR,
    BEN,
    BOT,
    CHECK,
    CHLOE,
    HEAD,
    OTHER_APP,
    PUSHED,
    STRANGER,
    TEST_MERGE,
    GithubApi,
    PullRequest,
)
from tests.delivery.reviews_to_act_on import Actor, reported, verified
from wardround.delivery.code_hosts.errors import HostError
from wardround.delivery.code_hosts.model import MergeMethod

ENABLE, DISABLE = "enablePullRequestAutoMerge", "disablePullRequestAutoMerge"
PATH = "/repos/acme/shop"
CREATE_CHECK = f"POST {PATH}/check-runs"
APPROVE = f"POST {PATH}/pulls/7/reviews"
REQUEST = f"POST {PATH}/pulls/7/requested_reviewers"


@pytest.fixture
def pull() -> PullRequest:
    return PullRequest()


@pytest.fixture
def api(pull: PullRequest) -> GithubApi:
    return GithubApi(pull)


@pytest.fixture
def actor(api: GithubApi, tmp_path: Path) -> Iterator[Actor]:
    with api.serve() as url:
        yield Actor(api, url, tmp_path)


def conclusions(pull: PullRequest) -> list[tuple[str, str]]:
    """The check runs with their commit and conclusion."""
    return [(run["head_sha"], run["conclusion"]) for run in pull.checks]


class TestVerdicts:
    def test_auto_merge_is_enabled_before_the_check_lets_the_host_merge(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        outcome = actor.apply(verified(reported("auto-merge")))
        assert actor.api.writes == [ENABLE, CREATE_CHECK]
        assert (outcome.refusals, conclusions(pull), pull.merged) == ((), [(HEAD, "success")], HEAD)

    def test_auto_merge_waits_for_the_other_rules_of_the_branch(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.other_rules_wait = True
        actor.apply(verified(reported("auto-merge")))
        assert (pull.enabled_by, pull.merged) == (BOT, "")
        pull.other_rules_wait = False
        pull.settle()
        assert pull.merged == HEAD

    def test_auto_approve_approves_exactly_the_reviewed_commit(self, actor: Actor, pull: PullRequest) -> None:
        actor.apply(verified(reported("auto-approve")), approve_as="Wardround-Bot")
        assert actor.api.writes == [APPROVE, CREATE_CHECK]
        assert [(review["commit_id"], review["state"]) for review in pull.reviews] == [(HEAD, "APPROVED")]
        assert (conclusions(pull), pull.merged, pull.enabled_by) == ([(HEAD, "success")], "", None)

    @pytest.mark.parametrize("verdict", ["human-review", "escalate"])
    def test_a_verdict_for_people_requests_the_reviews_that_the_policy_names(
        self, actor: Actor, pull: PullRequest, verdict: str
    ) -> None:
        review = verified(reported(verdict, approvals=2), people=("ben", "chloe", "Ada"), teams=("acme/sec",))
        actor.apply(review)
        assert actor.api.writes == [CREATE_CHECK, REQUEST, REQUEST, REQUEST]
        assert (pull.people, pull.teams) == (["ben", "chloe"], ["sec"])
        assert conclusions(pull) == [(HEAD, "action_required")]
        assert pull.checks[0]["output"]["title"] == f"{verdict} (T3): 0 of 2 approvals of this commit"

    def test_reviewers_that_no_rule_names_are_left_to_people(self, actor: Actor, pull: PullRequest) -> None:
        review = verified(reported("human-review", approvals=3), people=("ben", "Ada"))
        expected = "the applying rules of the policy name too few reviewers: request {} more yourself"
        assert actor.plan(review).notes == (expected.format(2),)
        pull.review(CHLOE)
        assert actor.plan(review).notes == (expected.format(1),)

    def test_the_check_succeeds_once_enough_people_have_approved(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        review = verified(reported("human-review", approvals=2), people=("ben",))
        for member, expected in ((BEN, "action_required"), (CHLOE, "success")):
            pull.review(member)
            actor.apply(review)
            assert conclusions(pull) == [(HEAD, expected)]
        assert "Approved by" in pull.checks[0]["output"]["summary"]
        assert pull.people == []

    @pytest.mark.parametrize(
        ("verdict", "gate", "conclusion"),
        [
            ("declined", "pass", "failure"),
            ("auto-merge", "blocked", "failure"),
            ("auto-merge", "inconclusive", "action_required"),
            ("human-review", "inconclusive", "action_required"),
        ],
    )
    def test_everything_is_withdrawn_where_nothing_may_be_merged(
        self, actor: Actor, pull: PullRequest, verdict: str, gate: str, conclusion: str
    ) -> None:
        pull.enabled_by = BOT
        pull.review(BOT)
        pull.review(BEN)
        actor.apply(verified(reported(verdict, gate=gate), people=("chloe",)), approve_as="wardround-bot")
        dismissal = f"PUT {PATH}/pulls/7/reviews/1/dismissals"
        assert actor.api.writes == [DISABLE, dismissal, CREATE_CHECK]
        assert [review["state"] for review in pull.reviews] == ["DISMISSED", "APPROVED"]
        assert (conclusions(pull), pull.enabled_by, pull.merged) == ([(HEAD, conclusion)], None, "")

    def test_a_stricter_verdict_on_the_same_commit_withdraws_the_milder_one(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.other_rules_wait = True
        actor.apply(verified(reported("auto-merge")), approve_as="wardround-bot")
        assert (pull.enabled_by, pull.reviews[0]["state"]) == (BOT, "APPROVED")
        actor.apply(verified(reported("auto-approve")), approve_as="wardround-bot")
        assert (pull.enabled_by, pull.reviews[0]["state"]) == (None, "APPROVED")
        actor.apply(verified(reported("escalate")), approve_as="wardround-bot")
        assert [review["state"] for review in pull.reviews] == ["DISMISSED"]
        assert conclusions(pull) == [(HEAD, "action_required")]


class TestApprovals:
    @pytest.mark.parametrize(
        "approve",
        [
            lambda pull: pull.review(AUTHOR),
            lambda pull: pull.review(BOT),
            lambda pull: pull.review(STRANGER),
            lambda pull: pull.review(BEN, commit="d" * 40),
            lambda pull: pull.review(BEN, "COMMENTED"),
            lambda pull: (pull.review(BEN), pull.review(BEN, "CHANGES_REQUESTED")),
            lambda pull: (pull.review(BEN), pull.review(BEN, "DISMISSED")),
        ],
        ids=["author", "bot", "stranger", "older commit", "comment", "changes requested", "dismissed"],
    )
    def test_an_approval_that_does_not_count(
        self, actor: Actor, pull: PullRequest, approve: Callable[[PullRequest], Any]
    ) -> None:
        approve(pull)
        actor.apply(verified(reported("human-review")))
        assert conclusions(pull) == [(HEAD, "action_required")]

    def test_a_person_counts_once(self, actor: Actor, pull: PullRequest) -> None:
        pull.review(BEN)
        pull.review(BEN)
        actor.apply(verified(reported("escalate", approvals=2)))
        assert pull.checks[0]["output"]["title"] == "escalate (T3): 1 of 2 approvals of this commit"

    def test_a_token_of_the_author_or_of_another_account_approves_nothing(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        review = verified(reported("auto-approve"))
        assert actor.plan(review, approve_as="ben").notes == (
            "not approved: the token is that of wardround-bot, not of ben",
        )
        assert actor.plan(review).notes == ("not approved: --approve-as names no account",)
        pull.account = AUTHOR
        plan = actor.plan(review, approve_as="Ada")
        assert plan.notes == ("not approved: Ada is the author of the change request",)
        assert [action.name for action in plan.actions] == ["publish-check"]

    def test_auto_merge_waits_for_the_approvals_that_a_rule_demands(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        review = verified(reported("auto-merge", approvals=1))
        actor.apply(review)
        assert (conclusions(pull), pull.enabled_by) == ([(HEAD, "action_required")], None)
        pull.review(BEN)
        actor.apply(review)
        assert pull.merged == HEAD


class TestDryRun:
    def test_a_dry_run_writes_nothing_and_lists_the_actions_in_their_order(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.review(BOT, commit="d" * 40)
        plan = actor.plan(verified(reported("auto-merge")), approve_as="wardround-bot")
        assert [action.text for action in plan.actions] == [
            "withdraw approvals (the change request): the verdict is auto-merge (T3)",
            "enable auto merge (the change request at aaaaaaaaaaaa): the verdict is auto-merge (T3)",
            "approve (the change request at aaaaaaaaaaaa): the verdict is auto-merge (T3) by team@sha256:2",
            "publish check (wardround: success at aaaaaaaaaaaa): auto-merge (T3): no approval is required",
        ]
        assert (actor.api.writes, actor.log.exists()) == ([], False)
        assert {call.method for call in actor.api.server.calls if call.path != "/graphql"} == {"GET"}

    def test_a_closed_pull_request_is_left_alone(self, actor: Actor, pull: PullRequest) -> None:
        pull.is_closed = True
        outcome = actor.apply(verified(reported("auto-merge")))
        assert outcome.plan.notes == ("the change request is closed: nothing is done",)
        assert actor.api.writes == []

    def test_a_draft_gets_a_check_and_nothing_else(self, actor: Actor, pull: PullRequest) -> None:
        pull.is_draft = True
        actor.apply(verified(reported("auto-merge")), approve_as="wardround-bot")
        actor.apply(verified(reported("human-review"), people=("ben",)))
        assert (set(actor.api.writes), len(pull.checks)) == ({CREATE_CHECK, f"PATCH {PATH}/check-runs/1"}, 1)


class TestOtherCommits:
    def test_the_test_merge_of_the_head_counts_as_the_head(self, actor: Actor, pull: PullRequest) -> None:
        actor.apply(verified(reported("auto-merge", head=TEST_MERGE)))
        assert (conclusions(pull), pull.merged) == ([(HEAD, "success")], HEAD)

    def test_a_test_merge_of_an_older_head_does_not(self, actor: Actor, pull: PullRequest) -> None:
        pull.head = PUSHED
        outcome = actor.apply(verified(reported("auto-merge", head=TEST_MERGE)))
        assert (outcome.plan.is_obsolete, actor.api.writes) == (True, [])

    def test_a_push_withdraws_what_was_enabled_for_the_older_commit(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.other_rules_wait = True
        review = verified(reported("auto-merge"))
        actor.apply(review, approve_as="wardround-bot")
        pull.push()
        outcome = actor.apply(review, approve_as="wardround-bot")
        assert outcome.plan.notes == (
            "the reviewed commit is aaaaaaaaaaaa, and the head of the change request is eeeeeeeeeeee: what "
            "was enabled is withdrawn; review that commit",
        )
        assert (pull.enabled_by, [review["state"] for review in pull.reviews]) == (None, ["DISMISSED"])
        assert conclusions(pull) == [(HEAD, "success")]  # the new head has no check

    def test_approvals_and_dismissals_mention_nobody(self, actor: Actor, pull: PullRequest) -> None:
        report = reported("auto-approve")
        named = replace(report, verdict=replace(report.verdict, policy="cc @acme/everybody"))
        actor.apply(verified(named), approve_as="wardround-bot")
        pull.target = "@acme/everybody"
        actor.apply(verified(named), approve_as="wardround-bot")
        assert len(pull.texts) == 2
        assert not any("@" in text for text in pull.texts)

    def test_a_late_run_for_an_older_commit_keeps_the_approval_of_the_head(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.push()
        pull.review(BOT)
        actor.apply(verified(reported("auto-approve")), approve_as="wardround-bot")
        assert [review["state"] for review in pull.reviews] == ["APPROVED"]

    def test_what_a_person_enabled_is_left_alone(self, actor: Actor, pull: PullRequest) -> None:
        pull.enabled_by = BEN
        actor.apply(verified(reported("declined")))
        assert (pull.enabled_by, conclusions(pull)) == (BEN, [(HEAD, "failure")])

    def test_a_review_for_another_branch_is_not_acted_on(self, actor: Actor, pull: PullRequest) -> None:
        pull.other_rules_wait = True
        actor.apply(verified(reported("auto-merge")))
        pull.target = "release"
        outcome = actor.apply(verified(reported("auto-merge")))
        assert outcome.plan.notes[0].startswith("the review is of a change into main, not into release")
        assert (pull.enabled_by, conclusions(pull)) == (None, [(HEAD, "action_required")])


class TestMechanisms:
    def test_without_a_rule_that_requires_the_check_nothing_is_merged_later(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.required_checks, pull.other_rules_wait = (), True
        outcome = actor.apply(verified(reported("auto-merge")), may_merge=True)
        assert outcome.plan.notes[0].startswith("not merged: the branch main does not require the check")
        assert (actor.api.writes, pull.merged) == ([CREATE_CHECK], "")

    @pytest.mark.parametrize("queue_first", [True, False])
    def test_a_merge_queue_gets_the_reviewed_commit(
        self, actor: Actor, pull: PullRequest, *, queue_first: bool
    ) -> None:
        pull.has_queue, pull.auto_merge_allowed = True, queue_first
        actor.apply(verified(reported("auto-merge")))
        assert actor.api.writes == ([ENABLE, CREATE_CHECK] if queue_first else [CREATE_CHECK, "enqueue"])
        assert pull.merged == HEAD

    def test_a_pull_request_is_taken_out_of_the_queue(self, actor: Actor, pull: PullRequest) -> None:
        pull.has_queue, pull.queued_by = True, BOT
        actor.apply(verified(reported("declined")))
        assert (actor.api.writes[0], pull.queued_by) == ("dequeue", None)

    @pytest.mark.parametrize("is_ready", [True, False])
    def test_a_direct_merge_needs_the_option(
        self, actor: Actor, pull: PullRequest, *, is_ready: bool
    ) -> None:
        review = verified(reported("auto-merge"))
        pull.auto_merge_allowed = False
        if is_ready:
            pull.auto_merge_allowed = True
            pull.checks.append(
                {"id": 1, "name": CHECK, "head_sha": HEAD, "status": "completed", "conclusion": "success"}
            )
        reason = "all rules are satisfied" if is_ready else "the repository does not permit auto-merge"
        outcome = actor.apply(review)
        assert outcome.plan.notes[0].startswith(f"not merged: {reason}")
        assert pull.merged == ""
        actor.apply(review, may_merge=True, method=MergeMethod.REBASE)
        assert (pull.merged, actor.api.writes[-1]) == (HEAD, f"PUT {PATH}/pulls/7/merge")
        assert actor.api.server.calls[-1].path != f"{PATH}/pulls/7/merge"  # the head is read again

    def test_nothing_is_merged_with_the_rights_of_an_administrator(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.auto_merge_allowed, pull.permission, pull.can_bypass = False, "ADMIN", True
        outcome = actor.apply(verified(reported("auto-merge")), may_merge=True)
        assert outcome.plan.notes[0].startswith("not merged: the account is an administrator")
        assert pull.merged == ""

    def test_a_right_to_bypass_rules_is_not_used(self, actor: Actor, pull: PullRequest) -> None:
        pull.auto_merge_allowed, pull.can_bypass, pull.other_rules_wait = False, True, True
        outcome = actor.apply(verified(reported("auto-merge")), may_merge=True)
        assert outcome.refusals == (
            "merge: GitHub does not report that the rules of the branch are satisfied",
        )
        assert (pull.merged, pull.bypassed) == ("", False)


class TestChecks:
    def test_an_idle_run_writes_nothing_again(self, actor: Actor, pull: PullRequest) -> None:
        review = verified(reported("human-review"), people=("ben",), teams=("acme/Sec",))
        for _ in range(3):
            actor.apply(review)
        assert actor.api.writes == [CREATE_CHECK, REQUEST, REQUEST]

    def test_check_runs_of_jobs_and_of_other_apps_are_left_alone(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        job = {"id": 1, "app": {"id": 1}, "name": CHECK, "head_sha": HEAD, "status": "completed",
               "conclusion": "success", "output": {}}  # fmt: skip
        pull.checks += [dict(job), {**job, "id": 2, "app": {"id": OTHER_APP}, "external_id": "wardround"}]
        actor.apply(verified(reported("declined")))
        actor.apply(verified(reported("human-review")))
        assert [run["conclusion"] for run in pull.checks] == ["success", "success", "action_required"]

    def test_a_personal_token_publishes_a_commit_status_if_that_is_requested(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.can_create_checks = False
        refused = actor.apply(verified(reported("human-review")))
        assert len(refused.refusals) == 1
        assert "with a personal token give --commit-status" in refused.refusals[0]
        for review in (reported("human-review"), reported("human-review"), reported("declined")):
            actor.apply(verified(review), as_commit_status=True)
        assert [status["state"] for status in pull.statuses] == ["pending", "failure"]

    def test_text_of_the_change_is_no_markup_of_the_summary(self, actor: Actor, pull: PullRequest) -> None:
        review = reported("human-review")
        hostile = "<img src=x> @acme/everyone #1 [a](https://b) ![c](d)"
        review = replace(review, verdict=replace(review.verdict, reasons=(hostile, *["r" * 5000] * 300)))
        actor.apply(verified(review))
        summary = pull.checks[0]["output"]["summary"]
        assert not any(mark in summary for mark in ("<img", "@acme", "](", "https://"))
        assert (len(summary) < 65_535, "and 281 more" in summary) == (True, True)


class TestFailures:
    @pytest.mark.parametrize("is_handled", [True, False], ids=["response lost", "request lost"])
    def test_a_lost_response_writes_nothing_twice(
        self, actor: Actor, pull: PullRequest, *, is_handled: bool
    ) -> None:
        pull.other_rules_wait = True
        server = actor.api.server
        server.faults += [
            Fault("POST", "/check-runs$", is_handled=is_handled),
            Fault("POST", "/reviews$", is_handled=is_handled),
        ]
        actor.apply(verified(reported("auto-merge")), approve_as="wardround-bot")
        assert sorted(actor.api.writes) == sorted([ENABLE, APPROVE, CREATE_CHECK])
        assert (len(pull.checks), len(pull.reviews)) == (1, 1)
        events = [json.loads(line)["event"] for line in actor.log.read_text().splitlines()]
        assert events.count("lost") == 2

    def test_a_rate_limit_is_waited_for(self, actor: Actor, pull: PullRequest) -> None:
        limited = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "limited"}]}
        reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(actor.clock.now()) + 30)}
        actor.api.server.faults += [
            Fault("POST", "/graphql$", Reply(200, limited, reset)),
            Fault("POST", "/check-runs$", Reply(403, {"message": "secondary rate limit"})),
        ]
        actor.apply(verified(reported("auto-merge")))
        assert (pull.merged, [wait for wait in actor.clock.waits if wait > 1]) == (HEAD, [30.0, 60.0])

    def test_a_refused_action_does_not_stop_the_others(self, actor: Actor, pull: PullRequest) -> None:
        outcome = actor.apply(verified(reported("human-review"), people=("nobody", "ben")))
        assert outcome.refusals == (
            "request-reviews: GitHub returned 422 for POST /repos/acme/shop/pulls/7/requested_reviewers: "
            "Reviews may only be requested from collaborators. nobody is not one.",
        )
        assert (conclusions(pull), pull.people) == ([(HEAD, "action_required")], ["ben"])

    def test_a_missing_permission_is_a_refusal(self, actor: Actor, pull: PullRequest) -> None:
        pull.other_rules_wait = True
        message = "Resource not accessible by integration"
        forbidden = Reply(200, {"data": None, "errors": [{"type": "FORBIDDEN", "message": message}]})
        graphql = iter(range(9))
        actor.api.server.before = lambda method, path: (
            forbidden if path == "/graphql" and next(graphql) == 3 else None  # the mutation
        )
        outcome = actor.apply(verified(reported("auto-merge")))
        expected = f"GitHub refused a request of its GraphQL interface: {message}"
        assert (outcome.refusals, actor.api.writes) == ((f"enable-auto-merge: {expected}",), [CREATE_CHECK])

    def test_a_host_that_fails_ends_the_run_and_another_run_continues(
        self, actor: Actor, pull: PullRequest
    ) -> None:
        pull.other_rules_wait = True
        fault = Fault("GET", "/check-runs$", Reply(502), times=99)
        actor.api.server.faults.append(fault)
        with pytest.raises(HostError, match="failed with status 502"):
            actor.apply(verified(reported("auto-merge")))
        fault.times = 0
        actor.apply(verified(reported("auto-merge")))
        assert actor.api.writes == [ENABLE, CREATE_CHECK]


def test_the_log_has_each_action_before_and_after_it(actor: Actor, pull: PullRequest) -> None:
    actor.log.write_text('{"event": "begin", "cut')
    pull.other_rules_wait = True
    actor.apply(verified(reported("auto-merge")))
    lines = [json.loads(line) for line in actor.log.read_text().splitlines()[1:]]
    assert [(line["event"], line["action"]) for line in lines] == [
        ("begin", "enable-auto-merge"),
        ("done", "enable-auto-merge"),
        ("begin", "publish-check"),
        ("done", "publish-check"),
    ]
    assert {(line["commit"], line["record"], line["change_request"]) for line in lines} == {
        (HEAD, verified(reported()).record, "acme/shop#7")
    }
    assert lines[3]["target"] == "wardround: success"


MECHANISMS = ("auto-merge", "queue", "merge")
RACES = [(mechanism, moment) for mechanism in MECHANISMS for moment in range(7)]


def use(pull: PullRequest, mechanism: str) -> None:
    """Let the repository offer only one mechanism."""
    pull.has_queue, pull.auto_merge_allowed = mechanism == "queue", mechanism == "auto-merge"


@pytest.mark.parametrize(("mechanism", "moment"), RACES, ids=[f"{name}-{n}" for name, n in RACES])
def test_a_push_at_any_moment_merges_no_other_commit(
    actor: Actor, pull: PullRequest, mechanism: str, moment: int
) -> None:
    """The push comes after so many requests."""
    use(pull, mechanism)
    requests = iter(range(100))

    def push(name: str) -> None:
        if next(requests) == moment:
            pull.push()

    actor.api.after_read = actor.api.before_write = push
    outcome = actor.apply(verified(reported("auto-merge")), may_merge=True, approve_as="wardround-bot")
    pull.push()
    assert pull.merged in ("", HEAD)
    if outcome.plan.is_obsolete:
        assert (pull.enabled_by, pull.queued_by, pull.merged) == (None, None, "")
        assert not [review for review in pull.reviews if review["state"] == "APPROVED"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("moment", ["at the first request", "at the request"])
def test_a_pushed_commit_that_the_host_would_merge_is_not_merged(
    actor: Actor, pull: PullRequest, mechanism: str, moment: str
) -> None:
    """The pushed commit has the required check: only the commit that a request names prevents its merge."""
    use(pull, mechanism)
    pull.checks.append({"id": 1, "name": CHECK, "head_sha": PUSHED, "status": "completed",
                        "conclusion": "success"})  # fmt: skip
    merging = {"auto-merge": ENABLE, "queue": "enqueue", "merge": f"PUT {PATH}/pulls/7/merge"}[mechanism]
    is_first = iter([True])

    def push(name: str) -> None:
        if (name == merging) if moment == "at the request" else next(is_first, False):
            pull.push()

    actor.api.before_write = push
    outcome = actor.apply(verified(reported("auto-merge")), may_merge=True, approve_as="wardround-bot")
    assert (pull.merged, outcome.plan.is_obsolete) == ("", True)
    assert (pull.enabled_by, pull.queued_by) == (None, None)
