"""Paths that git ignores, by the ignore files of a repository."""

from __future__ import annotations

import pytest

from wardround.config.ignore_files import is_ignored


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c.ts", True),
        ("/c.ts", False),
        ("b/", True),
        ("b/c.ts", False),
        ("a/b/c.ts", True),
        ("a/**/c.ts", True),
        ("a/**", True),
        ("a/*/c.[tj]s", True),
        ("a/*/c.[!t]s", False),
        ("**/b", True),
        ("*", True),
        ("c.t?", True),
        ("c.ts/", False),
        ("# c.ts\n\n", False),
        ("*.ts\n!c.ts", False),
        ("a\n!c.ts", True),
        ("[z-a]", False),
        ("c.[!]", False),
    ],
)
def test_lines_mean_what_they_mean_to_git(text: str, expected: bool) -> None:
    assert is_ignored("a/b/c.ts", {".gitignore": text}.get) is expected


def test_pattern_is_relative_to_the_folder_of_its_file() -> None:
    assert is_ignored("a/b/c.ts", {"a/.gitignore": "/b/c.ts"}.get)
    assert not is_ignored("a/b/c.ts", {"a/.gitignore": "/c.ts"}.get)
    assert not is_ignored("a/b/c.ts", {".gitignore": "c.ts", "a/.gitignore": "!c.ts"}.get)


def test_suffix_alone_can_be_excluded() -> None:
    assert is_ignored("a/c.ts", {".gitignore": "*.ts"}.get)
    assert not is_ignored("a/c.ts", {".gitignore": "*.ts"}.get, by_suffix=False)
