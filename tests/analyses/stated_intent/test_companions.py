"""Files that usually change together are a reading list: few, existing, and supported by several commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from wardround.analyses.stated_intent.companions import MOST_LISTED, companions
from wardround.retrieval.commit_signals import CommitIndex


def past(*commits: Sequence[str]) -> list[CommitIndex]:
    return [CommitIndex({}, tuple(paths)) for paths in commits]


def listed(commits: Sequence[CommitIndex], *changed: str, missing: Collection[str] = ()) -> list[str]:
    return [note.file for note in companions(changed, commits, lambda path: path not in missing)]


def test_a_file_that_was_mostly_changed_with_a_changed_file_is_listed_with_the_evidence() -> None:
    commits = past(*[("api/schema.py", "web/types.ts")] * 6, ("api/schema.py",))
    (note,) = companions(("api/schema.py",), commits, lambda path: True)

    assert note.file == "web/types.ts"
    assert note.reason == "6 of 7 earlier commits that changed api/schema.py changed it too"


def test_a_file_that_the_change_has_is_not_listed() -> None:
    assert listed(past(*[("a.py", "b.py")] * 6), "a.py", "b.py") == []


def test_few_or_mixed_commits_are_no_evidence() -> None:
    assert listed(past(*[("a.py", "b.py")] * 3), "a.py") == []
    assert listed(past(*[("a.py", "b.py")] * 6, *[("a.py",)] * 6), "a.py") == []


def test_recent_commits_count_more() -> None:
    together, apart = [("a.py", "b.py")] * 6, [("a.py",)] * 6
    between = [("other.py",)] * 600

    assert listed(past(*together, *between, *apart), "a.py") == ["b.py"]
    assert listed(past(*apart, *between, *together), "a.py") == []


def test_a_file_that_is_removed_or_written_by_a_tool_is_not_listed() -> None:
    commits = past(*[("package.json", "pnpm-lock.yaml", "old.ts", "docs/setup.md")] * 6)

    assert listed(commits, "package.json", missing={"old.ts"}) == ["docs/setup.md"]


def test_the_list_is_short_and_in_order() -> None:
    commits = past(
        *[("a.py", *(f"m{number}.py" for number in range(9)))] * 6, *[("a.py", "z.py", "m3.py")] * 6
    )

    assert listed(commits, "a.py") == ["m3.py"]
    assert (
        len(listed(past(*[("a.py", *(f"m{number}.py" for number in range(9)))] * 6), "a.py")) == MOST_LISTED
    )
