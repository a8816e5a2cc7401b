"""A review on a pull request: what is posted, what stays, and that nothing is written twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.delivery.api_server import Fault, Reply
from tests.delivery.feedback.reviews_to_post import HEAD, MERGE, Posting, finding, report
from tests.delivery.github_api import ME, PERSON
from wardround.delivery.code_hosts.errors import HostError


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


def test_a_finding_that_is_folded_is_counted_in_the_summary_and_keeps_its_thread(posting: Posting) -> None:
    folded = {"worth": 0.1, "wrong": 0.1, "derivation": "", "folded": True}
    posting.post(report(finding(3), finding(4, estimate=folded)))
    assert lines(posting) == [3]
    assert "1 folded as less useful: in [the complete report]" in posting.api.summaries()[0]
    posting.post(report(finding(3, estimate=folded)))
    assert posting.api.threads[0].resolver is None


def test_five_idle_pushes_keep_one_summary_and_add_no_comment(posting: Posting) -> None:
    found = [finding(line) for line in range(1, 9)]
    for push in range(5):
        posting.api.head = f"{push:040x}"
        posting.post(report(*found, head=posting.api.head))
    assert len(posting.api.summaries()) == 1
    assert (posting.api.reviews, len(posting.api.threads)) == (1, 5)


def test_a_draft_gets_the_same_comments(posting: Posting) -> None:
    posting.api.is_draft = True
    posting.post(report(finding(3)))
    assert (lines(posting), len(posting.api.summaries())) == ([3], 1)


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


@pytest.mark.parametrize("kind", ["posts_of_a_review", "comments_path"])
@pytest.mark.parametrize("is_handled", [True, False])
def test_a_lost_response_writes_nothing_twice(posting: Posting, kind: str, is_handled: bool) -> None:
    posting.api.server.faults.append(Fault("POST", getattr(posting.api, kind), None, is_handled=is_handled))
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
    posting.api.server.faults.append(Fault("POST", posting.api.comments_path, Reply(503), times=50))
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
    language = {"github": "suggestion", "gitlab": "suggestion:-0+0"}[posting.host]
    assert f"```{language}\nother = 3\n```" in bodies[0]
    assert "suggestion" not in bodies[1]


@pytest.mark.parametrize(
    ("hunks", "has_suggestion"),
    [((range(1, 41),), True), ((range(1, 4), range(4, 41)), False), ((range(1, 4), range(5, 41)), False)],
    ids=["one hunk", "adjacent hunks", "a gap"],
)
def test_a_suggestion_for_several_lines_is_in_one_hunk(
    posting: Posting, hunks: tuple[range, ...], has_suggestion: bool
) -> None:
    posting.api.changed = {"src/a.py": hunks}
    edit = {"file": "src/a.py", "line": 3, "column": 1, "end_line": 5, "end_column": 8, "replacement": "a"}
    fix = {"description": "", "safe": True, "edits": [edit]}
    result = posting.post(report(finding(3, suggested_fix=fix)))
    (thread,) = posting.api.threads
    assert ("a = 5\n```" in thread.body) is has_suggestion
    assert (thread.line, result.rejected) == (5 if has_suggestion else 3, 0)


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
