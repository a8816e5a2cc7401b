"""A review on a pull request: what is posted, what stays, and that nothing is written twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.delivery.api_server import Fault, Reply
from tests.delivery.feedback.reviews_to_post import HEAD, MERGE, Posting, finding, report
from tests.delivery.github_api import ME, PERSON, Request
from wardround.delivery.code_hosts.errors import HostError
from wardround.errors import UsageError


def lines(posting: Posting) -> Sequence[int]:
    return [thread.line for thread in posting.api.threads]


def test_a_first_post_is_one_review_and_one_summary(posting: Posting) -> None:
    result = posting.post(report(finding(3), finding(9, "error"), finding(55)))
    assert posting.api.reviews == 1
    assert lines(posting) == [9, 3]
    assert posting.api.threads[0].body.startswith(
        "<!-- wardround:finding:0000000000000009 -->\n**Error:** message 9\n\nWhy it matters.\n\n"
    )
    (summary,) = posting.api.summaries()
    assert "human-review" in summary
    assert "src&#47;a&#46;py&#58;55" in summary
    assert [f.line for f in result.plan.elsewhere] == [55]


def test_the_comments_beyond_the_limit_are_counted_in_the_summary(posting: Posting) -> None:
    posting.post(report(*(finding(line) for line in range(1, 9))))
    assert len(posting.api.threads) == 5
    (summary,) = posting.api.summaries()
    assert "3 more findings on lines of the diff: held back" in summary


def test_five_idle_pushes_keep_one_summary_and_add_no_comment(posting: Posting) -> None:
    found = [finding(line) for line in range(1, 9)]
    for push in range(5):
        posting.api.head = f"{push:040x}"
        posting.post(report(*found, head=posting.api.head))
    assert len(posting.api.summaries()) == 1
    assert (posting.api.reviews, len(posting.api.threads)) == (1, 5)


def test_posting_the_same_again_writes_nothing(posting: Posting) -> None:
    posting.post(report(finding(3)))
    before = posting.api.writes
    posting.post(report(finding(3)))
    assert posting.api.writes == before


def test_a_fix_resolves_the_thread_and_a_reply_keeps_it(posting: Posting) -> None:
    posting.post(report(finding(3), finding(4)))
    posting.api.reply(posting.api.threads[1], "Is that so?")
    posting.post(report())
    assert [thread.resolver for thread in posting.api.threads] == [ME, None]
    posting.post(report(finding(3)))
    assert posting.api.threads[0].resolver is None  # the finding is back
    assert len(posting.api.threads) == 2


def test_a_thread_that_a_person_resolved_is_left_alone(posting: Posting) -> None:
    posting.post(report(finding(3)))
    posting.api.threads[0].resolver = PERSON
    posting.post(report(finding(3)))
    assert posting.api.threads[0].resolver == PERSON
    assert len(posting.api.threads) == 1


def test_a_marker_in_the_comment_of_somebody_else_has_no_meaning(posting: Posting) -> None:
    posting.api.comments[1] = ("<!-- wardround:summary -->\nmine", PERSON)
    posting.post(report(finding(3)))
    posting.api.threads[0].comments[0] = (*posting.api.threads[0].comments[0][:2], PERSON)
    posting.post(report())
    assert posting.api.comments[1] == ("<!-- wardround:summary -->\nmine", PERSON)
    assert posting.api.threads[0].resolver is None


def test_an_older_commit_and_a_closed_pull_request_get_nothing(posting: Posting) -> None:
    assert "the last commit is aaaaaaaaaaaa" in posting.post(report(finding(3), head="c" * 40)).skipped
    posting.api.state = "closed"
    assert posting.post(report(finding(3))).skipped == "change request 7 is closed"
    assert posting.api.writes == 0


@pytest.mark.parametrize("path", ["reviews", "issues/7/comments"])
@pytest.mark.parametrize("is_handled", [True, False])
def test_a_lost_response_writes_nothing_twice(posting: Posting, path: str, is_handled: bool) -> None:
    posting.api.server.faults.append(Fault("POST", path, None, is_handled=is_handled))
    posting.post(report(finding(3)))
    assert (len(posting.api.threads), len(posting.api.summaries())) == (1, 1)


def test_what_another_run_wrote_at_the_same_time_is_deleted(posting: Posting) -> None:
    posting.post(report(finding(3)))
    twin = posting.api.threads[0]
    posting.api.threads.append(type(twin)("T999", twin.path, twin.line, [(999, twin.body, ME)]))
    posting.api.comments[1000] = (posting.api.summaries()[0], ME)
    posting.post(report(finding(3)))
    assert [thread.id for thread in posting.api.threads] == [twin.id]
    assert len(posting.api.summaries()) == 1


def test_a_host_that_fails_for_long_is_an_error_and_the_next_run_continues(posting: Posting) -> None:
    posting.api.server.faults.append(Fault("POST", "issues/7/comments", Reply(503), times=50))
    with pytest.raises(HostError):
        posting.post(report(finding(3)))
    posting.api.server.faults.clear()
    posting.post(report(finding(3)))
    assert (len(posting.api.threads), len(posting.api.summaries())) == (1, 1)


def test_a_fix_becomes_a_suggestion_where_it_applies(posting: Posting) -> None:
    edit = {
        "file": "src/a.py",
        "line": 3,
        "column": 1,
        "end_line": 3,
        "end_column": 8,
        "replacement": "other",
    }
    fix = {"description": "rename it", "safe": False, "edits": [edit]}
    far = {**edit, "line": 99, "end_line": 99}
    posting.post(
        report(
            finding(3, suggested_fix=fix),
            finding(4, suggested_fix={**fix, "edits": [far]}),
        )
    )
    bodies = [thread.body for thread in posting.api.threads]
    assert "```suggestion\nother = 3\n```" in bodies[0]
    assert "suggestion" not in bodies[1]


def test_a_review_of_the_merge_that_ci_checks_out_is_posted_on_the_head(posting: Posting) -> None:
    posting.api.merges[MERGE] = ("b" * 40, HEAD)
    posting.post(report(finding(3), head=MERGE))
    assert lines(posting) == [3]


def test_lines_of_a_file_that_the_merge_changed_are_only_in_the_summary(posting: Posting) -> None:
    posting.api.merges[MERGE] = ("b" * 40, HEAD)
    posting.api.texts[MERGE] = "other = 1\n" + posting.api.texts[HEAD]
    result = posting.post(report(finding(4), head=MERGE))
    assert lines(posting) == []
    assert [found.line for found in result.plan.elsewhere] == [4]


def test_a_merge_of_an_older_head_is_not_posted(posting: Posting) -> None:
    posting.api.merges[MERGE] = ("b" * 40, "e" * 40)
    assert posting.post(report(finding(3), head=MERGE)).skipped


def test_an_idle_push_changes_only_the_commit_in_the_summary(posting: Posting) -> None:
    posting.post(report(finding(3)))
    (before,) = posting.api.summaries()
    posting.api.head = "e" * 40
    posting.post(report(finding(3), head=posting.api.head))
    (after,) = posting.api.summaries()
    assert after.replace("eeeeeeeeeeee", "aaaaaaaaaaaa") == before
    assert (posting.api.reviews, len(posting.api.threads)) == (1, 1)


def test_a_thread_that_a_person_reopened_is_not_resolved_again(posting: Posting) -> None:
    posting.post(report(finding(3)))
    posting.post(report())
    posting.api.threads[0].resolver = None
    for _ in range(2):
        posting.post(report())
        assert posting.api.threads[0].resolver is None


def test_a_deleted_summary_is_made_again_once(posting: Posting) -> None:
    posting.post(report(finding(3)))
    posting.api.comments.clear()
    posting.post(report(finding(3)))
    posting.post(report(finding(3)))
    assert len(posting.api.summaries()) == 1
    assert len(posting.api.threads) == 1


def test_a_comment_that_is_deleted_while_it_is_written_is_no_error(posting: Posting) -> None:
    posting.post(report(finding(3)))
    gone = Reply(200, {"data": None, "errors": [{"type": "NOT_FOUND", "message": "Could not resolve"}]})

    def around(request: Request, handle: Callable[[], Reply | None]) -> Reply | None:
        if not request.is_write:
            return handle()
        posting.api.threads.clear()
        return gone if b"mutation" in request.content else handle()

    posting.api.server.around = around
    posting.post(report())
    assert len(posting.api.summaries()) == 1


def test_a_force_push_is_reviewed_as_any_other(posting: Posting) -> None:
    posting.post(report(finding(3), finding(4)))
    posting.api.head = "f" * 40
    posting.api.changed = {"src/a.py": range(20, 41)}
    posting.post(report(finding(3), finding(30), head="f" * 40))
    assert lines(posting) == [3, 4, 30]
    assert [thread.resolver for thread in posting.api.threads] == [None, ME, None]


def test_a_renamed_file_keeps_its_thread(posting: Posting) -> None:
    posting.post(report(finding(3)))
    posting.api.changed = {"src/b.py": range(1, 41)}
    posting.post(report(finding(3, file="src/b.py")))
    assert [(thread.path, thread.resolver) for thread in posting.api.threads] == [("src/a.py", None)]


def test_a_merged_pull_request_gets_nothing(posting: Posting) -> None:
    posting.api.state, posting.api.merged = "closed", True
    assert posting.post(report(finding(3))).skipped == "change request 7 is merged"
    assert posting.api.writes == 0


def test_a_line_that_the_host_rejects_does_not_stop_the_others(posting: Posting) -> None:
    posting.api.rejected_lines = {4}
    result = posting.post(report(finding(3), finding(4), finding(5)))
    assert lines(posting) == [3, 5]
    assert result.rejected == 1
    (summary,) = posting.api.summaries()
    assert "**Outside of the diff** (1)" in summary


def test_a_token_that_may_not_resolve_still_writes_the_summary(posting: Posting) -> None:
    posting.post(report(finding(3)))
    posting.api.can_resolve = False
    result = posting.post(report())
    assert result.refused == 1
    assert "no findings" in posting.api.summaries()[0]
    posting.api.can_resolve = True
    posting.post(report())
    assert posting.api.threads[0].resolver == ME


def test_existing_and_suppressed_findings_are_not_posted(posting: Posting) -> None:
    posting.post(report(finding(3, status="existing"), finding(4, status="suppressed")))
    assert lines(posting) == []
    assert "no findings" in posting.api.summaries()[0]


def test_a_suggestion_needs_a_text_that_parses_and_lines_of_the_diff(posting: Posting) -> None:
    def fix(line: int, replacement: str) -> dict[str, Any]:
        edit = {"file": "src/a.py", "line": line, "column": 1, "end_line": line, "end_column": 8}
        return {"description": "", "safe": True, "edits": [{**edit, "replacement": replacement}]}

    found = [finding(3, suggested_fix=fix(3, "broken(")), finding(4, suggested_fix=fix(45, "other"))]
    found.append(finding(5, suggested_fix=fix(5, "x" * 20_000)))
    posting.post(report(*found), complaint=lambda path, text: "broken" if "(" in text else None)
    assert ["suggestion" in thread.body for thread in posting.api.threads] == [False] * 3


class TestAccount:
    def test_a_token_that_graphql_does_not_name_is_named_by_rest(self, posting: Posting) -> None:
        posting.api.viewer, posting.api.user = None, ME
        posting.post(report(finding(3)))
        posting.post(report(finding(3)))
        assert len(posting.api.threads) == 1

    def test_without_a_name_nothing_is_written(self, posting: Posting) -> None:
        posting.api.viewer = None
        with pytest.raises(UsageError, match="set WARDROUND_ACCOUNT_ID to the id"):
            posting.post(report(finding(3)))
        assert posting.api.writes == 0

    def test_the_environment_names_it(self, posting: Posting) -> None:
        posting.api.viewer = None
        named = {"WARDROUND_ACCOUNT_ID": str(ME["id"])}
        posting.post(report(finding(3)), environ=named)
        posting.post(report(finding(3)), environ=named)
        assert (len(posting.api.threads), len(posting.api.summaries())) == (1, 1)

    def test_a_malformed_number_is_an_error(self, posting: Posting) -> None:
        with pytest.raises(UsageError, match="WARDROUND_ACCOUNT_ID is not a number"):
            posting.post(report(), environ={"WARDROUND_ACCOUNT_ID": "me"})
