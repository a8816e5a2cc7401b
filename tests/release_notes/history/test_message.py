"""Messages of commits taken apart."""

from __future__ import annotations

import pytest

from wardround.release_notes.history.message import read_message


@pytest.mark.parametrize(
    ("text", "title", "pull_request"),
    [
        (
            "Merge pull request #12 from owner/branch\n\nKeep the order of rows",
            "Keep the order of rows",
            "#12",
        ),
        ("Merge branch 'x' into 'main'\n\nKeep rows\n\nSee merge request group/shop!7", "Keep rows", "!7"),
        ("Merged PR 31: Keep rows", "Keep rows", "#31"),
        ("Merged in fix (pull request #4)\n\nKeep rows", "Keep rows", "#4"),
        ("Merge #8\n\n8: Keep rows r=ann a=bob", "Keep rows", "#8"),
        ("Auto merge of #9 - ann:fix, r=bob\n\nKeep rows", "Keep rows", "#9"),
        ("Keep rows (#3)", "Keep rows", "#3"),
        ("Keep rows (#3) (#5)", "Keep rows", "#5"),
        ("Keep the order of a very… (#3)\n\n…long list of rows", "Keep the order of a very… ", "#3"),
        ("Keep rows", "Keep rows", ""),
    ],
)
def test_the_title_is_that_of_the_pull_request(text: str, title: str, pull_request: str) -> None:
    message = read_message(text)
    assert (message.title, message.pull_request) == (title.strip(), pull_request)


@pytest.mark.parametrize(
    "text",
    ["Merge branch 'main' into fix", "Merge remote-tracking branch 'origin/8.1.x'", "Merge tag 'v1' into x"],
)
def test_a_merge_of_a_branch_states_nothing(text: str) -> None:
    message = read_message(text)
    assert message.is_branch_merge
    assert message.title == ""


def test_a_merge_without_a_title_is_still_one_of_a_pull_request() -> None:
    message = read_message("Merge pull request #12 from owner/branch")
    assert (message.title, message.pull_request, message.is_pull_request_merge) == ("", "#12", True)


def test_footers_are_references_and_no_part_of_the_body() -> None:
    message = read_message(
        "fix: Keep rows (#12)\n\nRows were sorted.\n\nCloses: #3\nRefs: SHOP-7\nSigned-off-by: A <a@b.c>",
        "owner/shop",
    )
    assert message.references == ("#12", "#3", "SHOP-7")
    assert message.body == "Rows were sorted."


def test_addresses_and_references_of_the_own_repository_are_short() -> None:
    text = "Keep rows\n\nFixes https://github.com/Owner/Shop/issues/3\nCloses other/shop#4"
    assert read_message(text, "owner/shop").references == ("#3", "other/shop#4")


def test_a_breaking_footer_may_have_several_lines() -> None:
    text = "feat: x\n\nBREAKING CHANGE: call add\nwith a name.\n\nCloses #3"
    assert read_message(text).breaking == "call add with a name."


def test_reverts_and_cherry_picks_name_their_commits() -> None:
    text = f'Revert "x"\n\nThis reverts commit {"a" * 40}.\n(cherry picked from commit {"b" * 40})'
    message = read_message(text)
    assert (message.reverted, message.picked) == (("a" * 40,), ("b" * 40,))


def test_records_are_those_of_the_trailers() -> None:
    digest = "0" * 64
    assert read_message(f"x\n\nWardround-Record: sha256:{digest}").records == (digest,)
