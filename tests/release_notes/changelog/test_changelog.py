"""The sections and entries of changelogs in the forms that people write."""

from __future__ import annotations

import pytest

from wardround.release_notes.changelog.changelog import ChangelogSection, fragment, sections_of

MARKDOWN = """\
# Changelog

Some words about 1.0 of the format.

## [Unreleased]

## [v1.2.0](https://example.org/compare) - 2026-01-02

### Added

- Add `Cart.limit`
  on two lines
  - a nested entry
- Another

```
- not an entry
```

### Python 3.8 support

* Dropped

## 1.1.0

- Old
"""
RESTRUCTURED = """\
Changes
=======

Version 2.1.0
-------------

Released 2026-01-02

Fixed
~~~~~

-   Fix :class:`~shop.Cart`
    on two lines.

    In two paragraphs.
-   Second

Version 2.0.0
-------------

Words without a list.

A second paragraph.
"""


def entries_of(section: ChangelogSection) -> list[tuple[int, str, str]]:
    return [(entry.line, entry.heading, entry.text) for entry in section.entries]


def test_the_entries_of_a_markdown_section_have_their_lines_and_groups() -> None:
    unreleased, release, old = sections_of("CHANGELOG.md", MARKDOWN)
    assert (unreleased.version, unreleased.entries, unreleased.line) == ("", (), 5)
    assert (release.version, release.line) == ("1.2.0", 7)
    assert entries_of(release) == [
        (11, "Added", "Add `Cart.limit` on two lines"),
        (13, "Added", "a nested entry"),
        (14, "Added", "Another"),
        (22, "Python 3.8 support", "Dropped"),
    ]
    assert old.version == "1.1.0"


def test_the_entries_of_a_restructuredtext_section_have_their_lines_and_groups() -> None:
    release, old = sections_of("CHANGES.rst", RESTRUCTURED)
    assert (release.version, release.line, release.title) == ("2.1.0", 4, "Version 2.1.0")
    assert entries_of(release) == [
        (12, "Fixed", "Fix :class:`~shop.Cart` on two lines. In two paragraphs."),
        (16, "Fixed", "Second"),
    ]
    assert [text for _, _, text in entries_of(old)] == ["Words without a list.", "A second paragraph."]


@pytest.mark.parametrize(
    ("heading", "version"),
    [
        ("## 1.2.0", "1.2.0"),
        ("# v0.20.0 (Unreleased)", ""),
        ("## [1.2.0-rc.1] (2026-01-02)", "1.2.0-rc.1"),
        ("### Version 1.2 - the one with tests", "1.2"),
        ("**1.2.3** (2026-01-02)", "1.2.3"),
        ("## shop-core 1.2.0", "1.2.0"),
        ("## Unreleased changes", ""),
        ("## Next release", ""),
        ("1.5.0.dev0 (2026-mm-dd)\n-----------------------", "1.5.0.dev0"),
    ],
)
def test_a_heading_names_a_version_or_what_is_not_released(heading: str, version: str) -> None:
    (section,) = sections_of("NEWS", f"{heading}\n\n- Entry\n")
    assert (section.version, len(section.entries)) == (version, 1)


@pytest.mark.parametrize("heading", ["## Development", "## Python 3.8 support", "## Added", "## 12 things"])
def test_a_heading_of_a_group_begins_no_section(heading: str) -> None:
    (section,) = sections_of("CHANGELOG.md", f"## 1.0.0\n\n{heading}\n\n- Entry\n")
    assert [entry.heading for entry in section.entries] == [heading.strip("# ")]


def test_comments_are_no_entries() -> None:
    text = "## 1.0.0\n\n<!-- - hidden -->\n<!--\n- hidden too\n-->\n- Entry\n"
    (section,) = sections_of("CHANGELOG.md", text)
    assert [entry.text for entry in section.entries] == ["Entry"]


def test_a_changelog_without_versions_has_no_sections() -> None:
    assert sections_of("CHANGELOG.md", "# Changes\n\n- Entry\n") == []


def test_a_changeset_is_an_entry_without_its_front_matter() -> None:
    entry = fragment(".changeset/calm-cats.md", '---\n"shop": minor\n---\n\nAdd `limit`\nto carts\n')
    assert (entry.line, entry.text) == (4, "Add `limit` to carts")
    assert fragment("news/12.feature", "Add it\n").text == "Add it"
