"""Changelogs of real repositories against the commits and the notes of their releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wardround.change.repository import Repository
from wardround.context.surface.model import SurfaceKind
from wardround.errors import UsageError
from wardround.release_notes.changelog.changelog_check import problems_of
from wardround.release_notes.changelog.changelog_evidence import RangeEvidence
from wardround.release_notes.changelog.changelog_source import ChangelogSource
from wardround.release_notes.model import (
    BreakingForm,
    NoteKind,
    ReleaseNotes,
    Statement,
    SuggestedVersion,
    VersionPart,
)

if TYPE_CHECKING:
    from tests.conftest import GitRepository

FIRST = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["requests>=2.0", "attrs>=22"]\n',
    "shop.py": "def add(item):\n    return item\n",
    "unchanged.py": "def untouched():\n    pass\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n- First\n",
}
SECOND = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["requests>=2.5", "attrs>=22"]\n',
    "shop.py": "def add(item, max_count=1):\n    return item\n\n\ndef remove(item): ...\n",
}


def released(repo: GitRepository, *entries: str) -> GitRepository:
    """Commit two versions of a package, the second with the entries in its changelog."""
    repo.commit(FIRST)
    repo.git("tag", "v1.0.0")
    lines = "".join(f"- {entry}\n" for entry in entries)
    changelog = FIRST["CHANGELOG.md"].replace("## 1.0.0", f"## Unreleased\n\n{lines}\n## 1.0.0")
    repo.commit({**SECOND, "CHANGELOG.md": changelog}, "Add a limit (#12)")
    return repo


def notes(*statements: Statement) -> ReleaseNotes:
    version = SuggestedVersion("1.0.0", "1.1.0", VersionPart.MINOR, "it adds")
    return ReleaseNotes(
        base="v1.0.0", base_commit="a" * 40, head="HEAD", head_commit="b" * 40, date="2026-01-02",
        version=version, commits=(), statements=statements,
    )  # fmt: skip


def problems(repo: GitRepository, *statements: Statement, path: str = "CHANGELOG.md") -> list[str]:
    with Repository(repo.root) as repository:
        base, head = repository.commit("v1.0.0"), repository.commit("HEAD")
        section = ChangelogSource(repository, base, head).section(path, "")
        assert section is not None
        evidence = RangeEvidence(repository, repository.between(base, head), repository.messages(base, head))
        return [problem.text for problem in problems_of(section, notes(*statements), evidence)]


def test_an_entry_whose_names_are_in_the_changed_files_is_confirmed(repo: GitRepository) -> None:
    released(
        repo, "`add()` takes `max_count`", "Add `--max-count`, `shop.remove` and `maxCount`", "Add `sums`"
    )
    assert problems(repo) == [
        "CHANGELOG.md:7: `sums` is in no file or message of v1.0.0..HEAD; correct the name, or remove the "
        "entry"
    ]


def test_a_name_that_only_an_unchanged_file_has_is_no_evidence(repo: GitRepository) -> None:
    released(repo, "Fix `untouched`")
    assert [text.partition(";")[0] for text in problems(repo)] == [
        "CHANGELOG.md:5: `untouched` is in no file or message of v1.0.0..HEAD"
    ]


def test_a_version_that_no_commit_raises_is_reported(repo: GitRepository) -> None:
    released(repo, "Require `requests` 2.5", "Require attrs >= 23.1", "Require pytest >= 9.0")
    assert [text.partition(";")[0] for text in problems(repo)] == [
        "CHANGELOG.md:6: no commit of v1.0.0..HEAD changes the required version of attrs"
    ]


def breaking(symbol: str) -> Statement:
    form = BreakingForm(SurfaceKind.PYTHON_API, symbol, f"{symbol}(item)", "", "", "shop.py", 1)
    return Statement(NoteKind.BREAKING, f"`{symbol}` is removed", ("c" * 40,), breaking=form)


def test_a_breaking_change_that_the_changelog_omits_is_reported(repo: GitRepository) -> None:
    released(repo, "Remove `shop.remove`, which nobody used")
    assert problems(repo, breaking("shop.remove")) == []
    assert problems(repo, breaking("shop.add")) == [
        "CHANGELOG.md:3: omits the breaking change of cccccccccc: `shop.add` is removed; add an entry"
    ]


@pytest.mark.parametrize(
    "entry", ["Something (#12)", "Customers can limit the count of items", "Now `max_count` exists"]
)
def test_an_entry_covers_a_feature_by_its_pull_request_its_words_or_its_names(
    repo: GitRepository, entry: str
) -> None:
    released(repo, entry)
    feature = Statement(
        NoteKind.FEATURE, "Limit the count of items with `max_count`", ("c" * 40,), "", ("#12",)
    )
    assert problems(repo, feature) == []


def test_an_omitted_feature_is_reported_and_an_omitted_fix_is_not(repo: GitRepository) -> None:
    released(repo, "Something else")
    feature = Statement(NoteKind.FEATURE, "Limit the count of items", ("c" * 40,), "", ("#12",))
    fix = Statement(NoteKind.FIX, "Correct the count", ("c" * 40,))
    assert [text.partition(" of")[0] for text in problems(repo, feature, fix)] == [
        "CHANGELOG.md:3: omits the feature"
    ]


def test_the_files_on_disk_are_checked_if_the_head_is_checked_out(repo: GitRepository) -> None:
    released(repo, "Fix `add`")
    repo.write("CHANGELOG.md", "## 1.1.0\n\n- Fix `addition`\n\n## 1.0.0\n\n- First\n")
    assert [text.partition(" is")[0] for text in problems(repo)] == ["CHANGELOG.md:3: `addition`"]


def test_a_folder_of_fragments_is_checked_file_by_file(repo: GitRepository) -> None:
    released(repo, "Fix `add`")
    repo.write("news/12.feature", "Add `max_count`\n")
    repo.write("news/13.bugfix.md", "Fix `nothing`\n")
    repo.write("news/README.md", "Use `towncrier`\n")
    assert [text.partition(" is")[0] for text in problems(repo, path="news")] == [
        "news/13.bugfix.md:1: `nothing`"
    ]


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("absent.md", None, "absent.md does not exist at "),
        ("empty.md", "# Changelog\n", "empty.md has no heading with a version"),
        ("binary.md", b"\xff\xfe\x00", "binary.md is not UTF-8"),
    ],
)
def test_a_file_that_is_no_changelog_is_an_error(
    repo: GitRepository, path: str, content: str | bytes | None, message: str
) -> None:
    released(repo, "Fix `add`")
    if content is not None:
        repo.write(path, content)
    with pytest.raises(UsageError, match=message):
        problems(repo, path=path)


def test_the_section_of_the_version_of_the_head_is_preferred(repo: GitRepository) -> None:
    released(repo, "Fix `add`")
    repo.write("CHANGELOG.md", "## Unreleased\n\n- New\n\n## 1.1.0\n\n- Fix `add`\n\n## 1.0.0\n\n- First\n")
    with Repository(repo.root) as repository:
        source = ChangelogSource(repository, repository.commit("v1.0.0"), repository.commit("HEAD"))
        tagged, untagged = source.section("CHANGELOG.md", "1.1.0"), source.section("CHANGELOG.md", "")
        assert tagged is not None
        assert untagged is not None
        assert (tagged.title, untagged.title) == ("1.1.0", "Unreleased")


def test_a_changelog_without_a_section_for_the_range_has_none(repo: GitRepository) -> None:
    repo.commit(FIRST)
    repo.git("tag", "v1.0.0")
    repo.commit(SECOND)
    with Repository(repo.root) as repository:
        source = ChangelogSource(repository, repository.commit("v1.0.0"), repository.commit("HEAD"))
        assert source.section("CHANGELOG.md", "") is None
