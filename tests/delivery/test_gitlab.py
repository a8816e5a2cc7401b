"""Particulars of GitLab: positions, drafts, statuses, approvals, auto-merge and merge trains."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.delivery.api_server import Fault, Reply
from tests.delivery.feedback.reviews_to_post import PostingTo, finding, report
from tests.delivery.github_api import ME, PERSON, TOKEN
from tests.delivery.gitlab_api import AUTHOR, BASE, BEN, PROJECT, REQUEST, START, GitlabApi
from tests.delivery.reviews_to_act_on import HEAD, reported, verified
from tests.delivery.test_client import StoppedClock
from wardround.delivery.acting.acting import Acting, Outcome
from wardround.delivery.acting.action_log import ActionLog
from wardround.delivery.acting.plan import ActSettings
from wardround.delivery.acting.verified_review import VerifiedReview
from wardround.delivery.code_hosts.client import ClientLimits
from wardround.delivery.code_hosts.errors import LostResponse, RefusedByHost
from wardround.delivery.code_hosts.gitlab.host import GitlabHost, open_gitlab
from wardround.delivery.code_hosts.model import (
    ChangeRequestReference,
    LineComment,
    MergeMethod,
    StatusConclusion,
    VerdictStatus,
)
from wardround.delivery.feedback.execution import FeedbackPost, PostSettings
from wardround.errors import UsageError

PUSHED, MERGE = "e" * 40, "d" * 40
FILE = "src/a.py"
CANCEL = f"POST {REQUEST}/cancel_merge_when_pipeline_succeeds"


@dataclass
class Gitlab:
    """A merge request on loopback."""

    api: GitlabApi
    url: str
    folder: Path
    clock: StoppedClock

    def host(self) -> GitlabHost:
        reference = ChangeRequestReference("gitlab", self.url, "acme/shop", 7)
        limits = ClientLimits(pause=0.0)
        return open_gitlab(reference, {"GITLAB_TOKEN": TOKEN}, limits, self.clock)

    def post(self, *findings: dict[str, Any]) -> None:
        with closing(self.host()) as host:
            settings = PostSettings(5, "", lambda path, before, after: None)
            FeedbackPost(host, report(*findings, head=self.api.head), settings).post()

    def publish(self, conclusion: StatusConclusion, title: str = "title") -> None:
        with closing(self.host()) as host:
            host.checks.publish(VerdictStatus("wardround", HEAD, conclusion, title, "summary"))

    def act(self, review: VerifiedReview, **settings: Any) -> Outcome:
        with closing(self.host()) as host:
            log = ActionLog(self.folder / "log", {})
            return Acting(host, review, ActSettings(**settings), log, lambda line: None).apply()

    @property
    def writes(self) -> list[str]:
        return [f"{call.method} {call.path}" for call in self.api.server.calls if call.method != "GET"]


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[Gitlab]:
    api = GitlabApi(HEAD, {FILE: range(1, 41)})
    with api.server.serve() as url:
        yield Gitlab(api, url, tmp_path, StoppedClock())


class TestFeedback:
    def test_a_position_names_the_lines_of_both_files(self, gitlab: Gitlab, repo: GitRepository) -> None:
        old, new = "a\nb\nc\nd\ne\nf\n", "a\nB\nb2\nc\nd\ne\nf\n"
        repo.commit({FILE: old})
        repo.commit({FILE: new})
        patch = repo.git("diff", "HEAD~1", "HEAD").partition("@@")
        gitlab.api.patches[FILE] = f"@@{patch[2]}"
        with closing(gitlab.host()) as host:
            assert host.feedback.hunks()[FILE] == (range(1, 7),)
            comments = [LineComment(FILE, 3, 3, "added"), LineComment(FILE, 5, 5, "unchanged")]
            host.feedback.post_review(HEAD, [*comments, LineComment(FILE, 2, 4, "range")])
        added, unchanged, lines = gitlab.api.positions
        common = {"position_type": "text", "base_sha": BASE, "start_sha": START, "head_sha": HEAD}
        common |= {"old_path": FILE, "new_path": FILE}
        assert added == common | {"new_line": 3}
        assert unchanged == common | {"new_line": 5, "old_line": 4}
        digest = hashlib.sha1(FILE.encode(), usedforsecurity=False).hexdigest()
        start = {"line_code": f"{digest}_3_2", "type": "new", "new_line": 2}
        end = {"line_code": f"{digest}_3_4", "type": "old", "new_line": 4, "old_line": 3}
        assert lines == common | {"new_line": 4, "old_line": 3, "line_range": {"start": start, "end": end}}

    def test_a_line_outside_of_the_diff_is_refused(self, gitlab: Gitlab) -> None:
        with closing(gitlab.host()) as host, pytest.raises(RefusedByHost, match="must be a valid line code"):
            host.feedback.post_review(HEAD, [LineComment(FILE, 55, 55, "far")])

    def test_a_commit_without_a_diff_is_refused(self, gitlab: Gitlab) -> None:
        with closing(gitlab.host()) as host, pytest.raises(RefusedByHost, match="run post again once it has"):
            host.feedback.post_review(PUSHED, [LineComment(FILE, 1, 1, "text")])

    def test_the_drafts_of_a_run_that_was_killed_are_replaced(self, gitlab: Gitlab) -> None:
        gitlab.api.drafts[5] = ("<!-- wardround:finding:0000000000000003 -->\nhalf", None)
        gitlab.post(finding(3))
        assert [thread.line for thread in gitlab.api.threads] == [3]
        assert (gitlab.api.drafts, gitlab.api.reviews) == ({}, 1)

    def test_the_drafts_of_a_person_with_the_same_token_stay_drafts(self, gitlab: Gitlab) -> None:
        gitlab.api.drafts[5] = ("I am not done yet", None)
        gitlab.api.server.faults.append(Fault("PUT", "publish", None, is_handled=True))
        gitlab.post(finding(3), finding(4))
        assert [thread.line for thread in gitlab.api.threads] == [3, 4]
        assert gitlab.api.drafts == {5: ("I am not done yet", None)}

    @pytest.mark.parametrize("is_handled", [True, False])
    def test_a_lost_draft_is_not_posted_twice(self, gitlab: Gitlab, is_handled: bool) -> None:
        gitlab.api.server.faults.append(Fault("POST", "draft_notes$", None, is_handled=is_handled))
        gitlab.post(finding(3), finding(4))
        assert [thread.line for thread in gitlab.api.threads] == [3, 4]
        assert gitlab.api.drafts == {}

    def test_what_was_deleted_meanwhile_is_no_error(self, gitlab: Gitlab) -> None:
        gitlab.post(finding(3))
        with closing(gitlab.host()) as host:
            (thread,), (summary,) = host.feedback.threads(), host.feedback.comments()
            gitlab.api.threads.clear()
            gitlab.api.comments.clear()
            host.feedback.resolve(thread)
            host.feedback.reopen(thread)
            host.feedback.delete_thread(thread)
            host.feedback.update_comment(summary, "text")
            host.feedback.delete_comment(summary)
        assert gitlab.api.comments == {}

    def test_a_thumbs_down_is_a_reaction(self, gitlab: Gitlab) -> None:
        gitlab.post(finding(3))
        gitlab.api.threads[0].dislikes.append(PERSON)
        with closing(gitlab.host()) as host:
            (thread,) = host.feedback.threads()
        assert [(name, account.name) for name, account in thread.reactions] == [("thumbsdown", "maria")]

    def test_no_line_of_a_comment_is_a_quick_action(self, gitlab: Gitlab) -> None:
        gitlab.post(finding(3, message="/merge", rationale="/approve", rule="/close"), finding(50))
        bodies = [gitlab.api.threads[0].body, *gitlab.api.summaries()]
        assert not [line for body in bodies for line in body.splitlines() if line.lstrip().startswith("/")]

    @pytest.mark.parametrize(
        "headers", [{"Retry-After": "40"}, {"RateLimit-Remaining": "0", "RateLimit-Reset": "{reset}"}]
    )
    def test_a_rate_limit_is_waited_for(self, gitlab: Gitlab, headers: dict[str, str]) -> None:
        reset = str(int(gitlab.clock.now()) + 40)
        reply = Reply(429, {}, {name: value.format(reset=reset) for name, value in headers.items()})
        gitlab.api.server.faults.append(Fault("POST", "draft_notes$", reply))
        before = gitlab.clock.now()
        gitlab.post(finding(3))
        assert 39 <= gitlab.clock.now() - before <= 41
        assert len(gitlab.api.threads) == 1

    def test_a_missing_token_says_which_one_is_needed(self) -> None:
        reference = ChangeRequestReference("gitlab", "https://gitlab.example/api/v4", "acme/shop", 7)
        with pytest.raises(UsageError, match=r"^GITLAB_TOKEN is not set; .*CI_JOB_TOKEN writes no comments"):
            open_gitlab(reference, {"CI_JOB_TOKEN": "x"})


class TestStatuses:
    @pytest.mark.parametrize(
        ("conclusion", "state"),
        [
            (StatusConclusion.SUCCESS, "success"),
            (StatusConclusion.NEUTRAL, "success"),
            (StatusConclusion.ACTION_REQUIRED, "pending"),
            (StatusConclusion.FAILURE, "failed"),
        ],
    )
    def test_each_conclusion_has_a_state(
        self, gitlab: Gitlab, conclusion: StatusConclusion, state: str
    ) -> None:
        gitlab.publish(conclusion)
        gitlab.publish(conclusion)
        (status,) = gitlab.api.statuses
        assert (status["status"], status["sha"], status["pipeline"]) == (state, HEAD, 70)

    def test_a_pending_status_gets_another_text(self, gitlab: Gitlab) -> None:
        gitlab.publish(StatusConclusion.ACTION_REQUIRED, "0 of 2 approvals")
        gitlab.publish(StatusConclusion.ACTION_REQUIRED, "1 of 2 approvals")
        gitlab.publish(StatusConclusion.SUCCESS, "2 of 2 approvals")
        newest = gitlab.api.statuses[-1]
        assert (newest["status"], newest["description"]) == ("success", "2 of 2 approvals")

    def test_a_merged_result_has_the_status_in_its_pipeline(self, gitlab: Gitlab) -> None:
        gitlab.api.pipeline, gitlab.api.merges[MERGE] = (72, MERGE), (BASE, HEAD)
        gitlab.publish(StatusConclusion.SUCCESS)
        assert [(status["sha"], status["pipeline"]) for status in gitlab.api.statuses] == [(MERGE, 72)]

    def test_the_pipeline_of_an_older_commit_is_not_used(self, gitlab: Gitlab) -> None:
        gitlab.api.pipeline, gitlab.api.merges[MERGE] = (72, MERGE), (BASE, PUSHED)
        gitlab.publish(StatusConclusion.SUCCESS)
        assert [(status["sha"], status["pipeline"]) for status in gitlab.api.statuses] == [(HEAD, None)]


class TestActing:
    def test_auto_merge_waits_for_the_rules_and_merges_the_reviewed_commit(self, gitlab: Gitlab) -> None:
        gitlab.api.other_rules_wait = True
        outcome = gitlab.act(verified(reported("auto-merge")))
        assert (outcome.refusals, gitlab.api.enabled_by) == ((), ME)
        gitlab.api.other_rules_wait = False
        gitlab.api.settle()
        assert gitlab.api.merged == HEAD

    @pytest.mark.parametrize("has_trains", [False, True])
    @pytest.mark.parametrize("race", range(5))
    def test_a_push_at_any_time_is_not_merged(self, gitlab: Gitlab, race: int, has_trains: bool) -> None:
        gitlab.api.other_rules_wait, gitlab.api.has_trains = True, has_trains
        requests = iter(range(100))

        def push(path: str) -> None:
            if next(requests) == race:
                gitlab.api.push(PUSHED)

        gitlab.api.before_write = push
        gitlab.act(verified(reported("auto-merge")), approve_as=ME["login"])
        gitlab.api.push(PUSHED)
        gitlab.api.other_rules_wait = False
        gitlab.api.settle()
        assert (gitlab.api.merged, gitlab.api.enabled_by, gitlab.api.approved) == ("", None, {})

    def test_a_merge_request_that_is_mergeable_is_merged_only_on_demand(self, gitlab: Gitlab) -> None:
        gitlab.act(verified(reported("auto-merge")))
        assert gitlab.api.merged == ""
        gitlab.api.server.faults.append(Fault("PUT", "merge$", None, is_handled=True))
        outcome = gitlab.act(verified(reported("auto-merge")), may_merge=True, method=MergeMethod.SQUASH)
        assert (gitlab.api.merged, gitlab.api.squash, outcome.refusals) == (HEAD, True, ())

    def test_a_method_that_the_project_does_not_use_is_refused(self, gitlab: Gitlab) -> None:
        gitlab.api.merge_method = "ff"
        outcome = gitlab.act(verified(reported("auto-merge")), may_merge=True, method=MergeMethod.MERGE)
        (refusal,) = outcome.refusals
        assert "the project merges by ff, not by merge" in refusal
        assert gitlab.api.merged == ""

    def test_a_train_takes_the_reviewed_commit_and_a_stricter_verdict_takes_it_out(
        self, gitlab: Gitlab
    ) -> None:
        gitlab.api.has_trains = gitlab.api.other_rules_wait = True
        gitlab.act(verified(reported("auto-merge")))
        assert (gitlab.api.enabled_by, gitlab.api.in_train) == (ME, True)
        gitlab.act(verified(reported("declined")))
        assert (gitlab.api.enabled_by, gitlab.api.statuses[-1]["status"]) == (None, "failed")
        assert CANCEL in gitlab.writes

    def test_auto_merge_that_gitlab_does_not_cancel_is_reported(self, gitlab: Gitlab) -> None:
        gitlab.api.other_rules_wait, gitlab.api.enabled_by = True, ME
        gitlab.api.server.faults.append(Fault("POST", "cancel_merge", Reply(201, {"status": "error"})))
        (refusal,) = gitlab.act(verified(reported("declined"))).refusals
        assert "GitLab did not cancel auto-merge" in refusal

    def test_the_approval_is_of_the_reviewed_commit_and_is_withdrawn(self, gitlab: Gitlab) -> None:
        gitlab.act(verified(reported("auto-approve")), approve_as=ME["login"])
        assert list(gitlab.api.approved) == [ME["id"]]
        with closing(gitlab.host()) as host, pytest.raises(RefusedByHost, match="does not match HEAD"):
            host.merging.approve(PUSHED, "")
        gitlab.act(verified(reported("escalate")), approve_as=ME["login"])
        assert gitlab.api.approved == {}

    @pytest.mark.parametrize(
        ("resets", "approved_at", "state"),
        [
            (True, None, "success"),
            (True, "2026-01-01T11:00:00Z", "pending"),
            (False, None, "pending"),
            (False, "2026-01-02T11:00:00Z", "success"),
            (False, "2026-01-01T11:00:00Z", "pending"),
        ],
        ids=["removed on a push", "not yet removed", "without a time", "after the push", "before the push"],
    )
    def test_an_approval_counts_if_it_is_of_the_last_commit(
        self, gitlab: Gitlab, resets: bool, approved_at: str | None, state: str
    ) -> None:
        gitlab.api.push(PUSHED)
        gitlab.api.resets_approvals, gitlab.api.approved = resets, {BEN["id"]: approved_at}
        gitlab.act(verified(reported("human-review", approvals=1, head=PUSHED)))
        assert gitlab.api.statuses[-1]["status"] == state

    def test_bots_and_the_author_do_not_count(self, gitlab: Gitlab) -> None:
        gitlab.api.approved = dict.fromkeys((ME["id"], AUTHOR["id"]), "2026-01-02T11:00:00Z")
        gitlab.act(verified(reported("human-review", approvals=1)))
        assert gitlab.api.statuses[-1]["status"] == "pending"

    def test_reviewers_are_added_to_those_that_are_there_and_groups_are_reported(
        self, gitlab: Gitlab
    ) -> None:
        gitlab.api.reviewers = [PERSON["id"]]
        review = verified(reported("human-review", approvals=1), people=("ben",), teams=("acme/security",))
        (refusal,) = gitlab.act(review).refusals
        assert gitlab.api.reviewers == [PERSON["id"], BEN["id"]]
        assert "GitLab requests no reviews of groups (acme/security)" in refusal
        (refusal,) = gitlab.act(verified(reported("human-review", approvals=1), people=("eve",))).refusals
        assert "GitLab has no user eve" in refusal

    def test_a_draft_is_not_merged(self, gitlab: Gitlab) -> None:
        gitlab.api.is_draft = True
        outcome = gitlab.act(verified(reported("auto-merge")))
        assert outcome.plan.notes == ("not merged: the change request is a draft",)
        assert gitlab.api.enabled_by is None

    def test_a_lost_response_is_known_as_one(self, gitlab: Gitlab) -> None:
        gitlab.api.server.faults.append(Fault("POST", "approve$", None))
        with closing(gitlab.host()) as host, pytest.raises(LostResponse):
            host.merging.approve(HEAD, "")

    def test_the_review_of_a_merged_result_is_that_of_the_last_commit(self, gitlab: Gitlab) -> None:
        gitlab.api.other_rules_wait = True
        gitlab.api.pipeline, gitlab.api.merges[MERGE] = (72, MERGE), (BASE, HEAD)
        gitlab.act(verified(reported("auto-merge", head=MERGE)))
        assert gitlab.api.enabled_by == ME
        assert f"POST {PROJECT}/statuses/{MERGE}" in gitlab.writes


def test_a_summary_in_which_somebody_replied_is_updated_in_place() -> None:
    api = GitlabApi(HEAD, {"src/a.py": range(1, 41)})
    with api.server.serve() as url:
        posting = PostingTo[GitlabApi]("gitlab", api, url)
        posting.post(report(finding(3)))
        api.answered.update(api.comments)
        posting.post(report())
    assert len(api.summaries()) == 1
    assert "no findings" in api.summaries()[0]
