"""Announcements of a change to users: a changelog, the version, the commit message."""

from __future__ import annotations

import pytest

from tests.context.surface.differences import PYPROJECT, surface

BASE = {"src/shop/__init__.py": "def send(): ...\ndef get(): ...\n"}
HEAD = {"src/shop/__init__.py": "def get(): ...\n"}


def announced(files: dict[str, str], *messages: str, base: dict[str, str] | None = None) -> str | None:
    (found,) = surface({**BASE, **(base or {})}, {**HEAD, **files}, *messages).breaking
    return found.announced_by


@pytest.mark.parametrize(
    "path",
    [
        "CHANGELOG.md",
        "CHANGES.rst",
        "HISTORY.md",
        "NEWS",
        "docs/changelog.md",
        "changes/12.feature.rst",
        "newsfragments/12.removal",
        "changelog.d/12.md",
        "docs/upgrading.md",
    ],
)
def test_a_changelog_that_names_it_announces_it(path: str) -> None:
    assert announced({path: "- `send` was dropped\n"}) == path


def test_a_changelog_that_names_the_parameter_announces_it() -> None:
    files = {"src/shop/__init__.py": "def send(url): ...\n", "CHANGELOG.md": "- `send_all` is gone.\n"}
    base = {"src/shop/__init__.py": "def send(url, timeout): ...\n"}
    assert announced(files, base=base) is None
    assert announced(files | {"CHANGELOG.md": "- `timeout` is gone.\n"}, base=base) == "CHANGELOG.md"


def test_a_changelog_that_states_a_removal_announces_it() -> None:
    assert announced({"CHANGELOG.md": "- Removed deprecated functions.\n"}) == "CHANGELOG.md"


def test_a_changelog_about_something_else_does_not() -> None:
    assert announced({"CHANGELOG.md": "- Faster start.\n"}) is None


def test_the_heading_above_an_added_line_counts() -> None:
    base = {"CHANGELOG.md": "# 2\n\n## Removed\n\n- Old things.\n\n## Fixed\n\n- Bugs.\n"}
    removed = {"CHANGELOG.md": base["CHANGELOG.md"].replace("Old things.", "Old functions.")}
    fixed = {"CHANGELOG.md": base["CHANGELOG.md"].replace("Bugs.", "Errors.")}
    assert announced(removed, base=base) == "CHANGELOG.md"
    assert announced(fixed, base=base) is None


def test_a_changelog_names_the_version_of_python() -> None:
    head = {
        "pyproject.toml": PYPROJECT.replace(">=3.9", ">=3.10"),
        "CHANGELOG.md": "- Python 3.10 and newer.\n",
    }
    (found,) = surface({}, head).breaking
    assert (found.name, found.announced_by) == ("requires-python", "CHANGELOG.md")


def test_lines_that_the_changelog_had_before_do_not_count() -> None:
    base = {"CHANGELOG.md": "- `send` was dropped\n"}
    assert announced({"CHANGELOG.md": "- Faster.\n- `send` was dropped\n"}, base=base) is None


def test_the_changelog_of_another_package_does_not_count() -> None:
    files = {"web/package.json": "{}\n", "web/CHANGELOG.md": "- `send` was dropped\n"}
    assert announced(files) is None


def test_a_changeset_announces_by_its_level() -> None:
    major = "---\n'shop': major\n---\n\nNew client\n"
    assert announced({".changeset/a.md": major}) == ".changeset/a.md"
    assert announced({".changeset/a.md": major.replace("major", "minor")}) is None


@pytest.mark.parametrize(
    "message",
    ["feat!: one client", "refactor(api)!: one client", "feat: one client\n\nBREAKING CHANGE: use get"],
)
def test_a_commit_message_marked_as_breaking_announces_everything(message: str) -> None:
    assert announced({}, "fix: x", message) == "the commit message"


def test_any_other_message_does_not() -> None:
    assert announced({}, "feat: remove send", "Great! We win: more") is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("1.4.0", "2.0.0", "version 2.0 in pyproject.toml"),
        ("0.4.0", "0.5.0", "version 0.5 in pyproject.toml"),
        ("1.4.0", "1.5.0", None),
        ("0.4.0", "0.4.1", None),
    ],
)
def test_a_version_that_may_break_users_announces_it(before: str, after: str, expected: str | None) -> None:
    texts = [f'{PYPROJECT}version = "{version}"\n' for version in (before, after)]
    assert announced({"pyproject.toml": texts[1]}, base={"pyproject.toml": texts[0]}) == expected


def test_changes_that_break_nobody_need_no_announcement() -> None:
    found = surface(
        {"src/shop/__init__.py": "def send(a=1): ...\n"}, {"src/shop/__init__.py": "def send(a=2): ...\n"}
    )
    assert [(change.is_breaking, change.announced_by, change.is_unannounced) for change in found.changes] == [
        (False, None, False)
    ]
