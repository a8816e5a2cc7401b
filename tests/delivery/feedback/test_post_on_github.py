"""A pull request of GitHub over pushes: what people do with comments, and what the host refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.delivery.api_server import Reply
from tests.delivery.feedback.reviews_to_post import GithubPosting, finding, report
from tests.delivery.github_api import ME, Request
from wardround.errors import UsageError


@pytest.fixture
def posting(github: GithubPosting) -> GithubPosting:
    return github


def lines(posting: GithubPosting) -> Sequence[int]:
    return [thread.line for thread in posting.api.threads]


def test_an_idle_push_changes_only_the_commit_in_the_summary(posting: GithubPosting) -> None:
    posting.post(report(finding(3)))
    (before,) = posting.api.summaries()
    posting.api.head = "e" * 40
    posting.post(report(finding(3), head=posting.api.head))
    (after,) = posting.api.summaries()
    assert after.replace("eeeeeeeeeeee", "aaaaaaaaaaaa") == before
    assert (posting.api.reviews, len(posting.api.threads)) == (1, 1)


def test_a_thread_that_a_person_reopened_is_not_resolved_again(posting: GithubPosting) -> None:
    posting.post(report(finding(3)))
    posting.post(report())
    posting.api.threads[0].resolver = None
    for _ in range(2):
        posting.post(report())
        assert posting.api.threads[0].resolver is None


def test_a_deleted_summary_is_made_again_once(posting: GithubPosting) -> None:
    posting.post(report(finding(3)))
    posting.api.comments.clear()
    posting.post(report(finding(3)))
    posting.post(report(finding(3)))
    assert len(posting.api.summaries()) == 1
    assert len(posting.api.threads) == 1


def test_a_comment_that_is_deleted_while_it_is_written_is_no_error(posting: GithubPosting) -> None:
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


def test_a_force_push_is_reviewed_as_any_other(posting: GithubPosting) -> None:
    posting.post(report(finding(3), finding(4)))
    posting.api.head = "f" * 40
    posting.api.changed = {"src/a.py": range(20, 41)}
    posting.post(report(finding(3), finding(30), head="f" * 40))
    assert lines(posting) == [3, 4, 30]
    assert [thread.resolver for thread in posting.api.threads] == [None, ME, None]


def test_a_renamed_file_keeps_its_thread(posting: GithubPosting) -> None:
    posting.post(report(finding(3)))
    posting.api.changed = {"src/b.py": range(1, 41)}
    posting.post(report(finding(3, file="src/b.py")))
    assert [(thread.path, thread.resolver) for thread in posting.api.threads] == [("src/a.py", None)]


def test_a_merged_pull_request_gets_nothing(posting: GithubPosting) -> None:
    posting.api.state, posting.api.merged = "closed", True
    assert posting.post(report(finding(3))).skipped == "change request 7 is merged"
    assert posting.api.writes == 0


def test_a_line_that_the_host_rejects_does_not_stop_the_others(posting: GithubPosting) -> None:
    posting.api.rejected_lines = {4}
    result = posting.post(report(finding(3), finding(4), finding(5)))
    assert lines(posting) == [3, 5]
    assert result.rejected == 1
    (summary,) = posting.api.summaries()
    assert "**On lines that take no comment** (1)" in summary


def test_a_token_that_may_not_resolve_still_writes_the_summary(posting: GithubPosting) -> None:
    posting.post(report(finding(3)))
    posting.api.can_resolve = False
    result = posting.post(report())
    assert result.refused == 1
    assert "no findings" in posting.api.summaries()[0]
    posting.api.can_resolve = True
    posting.post(report())
    assert posting.api.threads[0].resolver == ME


def test_existing_and_suppressed_findings_are_not_posted(posting: GithubPosting) -> None:
    posting.post(report(finding(3, status="existing"), finding(4, status="suppressed")))
    assert lines(posting) == []
    assert "no findings" in posting.api.summaries()[0]


def test_a_suggestion_needs_a_text_that_parses_and_lines_of_the_diff(posting: GithubPosting) -> None:
    def fix(line: int, replacement: str) -> dict[str, Any]:
        edit = {"file": "src/a.py", "line": line, "column": 1, "end_line": line, "end_column": 8}
        return {"description": "", "safe": True, "edits": [{**edit, "replacement": replacement}]}

    found = [finding(3, suggested_fix=fix(3, "broken(")), finding(4, suggested_fix=fix(45, "other"))]
    found.append(finding(5, suggested_fix=fix(5, "x" * 20_000)))
    posting.post(report(*found), unproven=lambda path, before, after: "broken" if "(" in after else None)
    assert ["suggestion" in thread.body for thread in posting.api.threads] == [False] * 3


class TestAccount:
    def test_a_token_that_graphql_does_not_name_is_named_by_rest(self, posting: GithubPosting) -> None:
        posting.api.viewer, posting.api.user = None, ME
        posting.post(report(finding(3)))
        posting.post(report(finding(3)))
        assert len(posting.api.threads) == 1

    def test_without_a_name_nothing_is_written(self, posting: GithubPosting) -> None:
        posting.api.viewer = None
        with pytest.raises(UsageError, match="set WARDROUND_ACCOUNT_ID to the id"):
            posting.post(report(finding(3)))
        assert posting.api.writes == 0

    def test_the_environment_names_it(self, posting: GithubPosting) -> None:
        posting.api.viewer = None
        named = {"WARDROUND_ACCOUNT_ID": str(ME["id"])}
        posting.post(report(finding(3)), environ=named)
        posting.post(report(finding(3)), environ=named)
        assert (len(posting.api.threads), len(posting.api.summaries())) == (1, 1)

    def test_a_malformed_number_is_an_error(self, posting: GithubPosting) -> None:
        with pytest.raises(UsageError, match="WARDROUND_ACCOUNT_ID is not a number"):
            posting.post(report(), environ={"WARDROUND_ACCOUNT_ID": "me"})


def test_a_reply_beyond_the_first_page_of_a_thread_keeps_it(posting: GithubPosting) -> None:
    posting.post(report(finding(3)))
    for number in range(49):
        posting.api.reply(posting.api.threads[0], f"note {number}", ME)
    posting.api.reply(posting.api.threads[0], "I disagree")
    posting.post(report())
    assert posting.api.threads[0].resolver is None
