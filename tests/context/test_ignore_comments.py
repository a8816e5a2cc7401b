"""One table describes the ignore comments of tools; blanked copies and reports depend on the same rows."""

from __future__ import annotations

import re

import pytest

from wardround import host
from wardround.context.added_ignores import cut_ignore_comments
from wardround.tools.ignore_comments import ANY_FILE, CommentForm, IgnoreComment, IgnoreComments

LOADED = host.load()
COMMENTS = LOADED.ignore_comments
DECLARED = [
    comment
    for specialist in LOADED.specialists
    for declaring in (*specialist.tools, specialist)
    for comment in declaring.ignore_comments
]


def test_the_cached_declarations_are_those_of_all_tools() -> None:
    declared = IgnoreComments(DECLARED)
    assert (COMMENTS.ignore.pattern, COMMENTS.words) == (declared.ignore.pattern, declared.words)
    assert COMMENTS.forms == declared.forms


def test_forms_for_one_kind_of_files_come_first() -> None:
    python = CommentForm(("*.py",))
    comments = IgnoreComments(
        IgnoreComment(form.files[0], ("x",), ((form, "(x)"),)) for form in (ANY_FILE, python)
    )
    assert list(comments.forms) == [python, ANY_FILE]


def test_comments_without_words_are_rejected() -> None:
    with pytest.raises(ValueError, match="words is empty"):
        IgnoreComment(r"#\s*acme:off")


def test_no_tools_have_no_comments() -> None:
    none = IgnoreComments(())
    assert none.ignore.search("x = y  # noqa") is None
    assert cut_ignore_comments(none, "x  # noqa") == "x  # noqa"


@pytest.mark.parametrize("comment", DECLARED, ids=lambda comment: str(comment.words[0]))
def test_every_pattern_compiles(comment: object) -> None:
    for pattern in (getattr(comment, name) for name in ("blanked", "region", "region_end")):
        re.compile(pattern, re.IGNORECASE)


@pytest.mark.parametrize(
    ("line", "is_region"),
    [
        ("x = y  # noqa: F821", False),
        ("# ruff: noqa", True),
        ("x()  # TYPE: IGNORE", False),
        ("# pyright: basic", True),
        ("x()  # nosec", False),
        ("// eslint-disable-next-line", False),
        ("/* eslint-disable */", True),
        ("/* eslint eqeqeq: 0 */", True),
        ("// biome-ignore lint: why", False),
        ("// @ts-nocheck", True),
        ("-- squawk-ignore-file", True),
        ("-- sqlfluff:rules:off", True),
        ("# hadolint ignore=DL3008", False),
        ("# hadolint global ignore=DL3008", True),
        ("# check=skip=all", True),
        ("# shellcheck source=a disable=SC1", False),
        ("on: push # zizmor: ignore[x]", False),
        ("# checkov:skip=CKV_1", False),
        ("KEY=abc # gitleaks:allow", False),
    ],
)
def test_comments_of_each_tool_are_known(line: str, *, is_region: bool) -> None:
    assert COMMENTS.ignore.search(line) is not None
    assert (COMMENTS.region.search(line) is not None) is is_region


@pytest.mark.parametrize("line", ["/* eslint-enable */", "// biome-ignore-end lint", "# ruff: enable[F821]"])
def test_the_end_of_a_region_is_known(line: str) -> None:
    assert COMMENTS.region_end.search(line) is not None


def test_a_text_can_be_read_without_them() -> None:
    assert cut_ignore_comments(COMMENTS, "x = y  # noqa\nz = 'noqa'\n") == "x = y  \nz = 'noqa'\n"


@pytest.mark.parametrize("comment", DECLARED, ids=lambda comment: str(comment.words[0]))
def test_the_cheap_test_knows_the_words_of_every_tool(comment: IgnoreComment) -> None:
    words = "|".join(map(re.escape, comment.words))
    pattern = comment.blanked.lower().replace("\\b", "").replace("\\s+", " ")
    assert not pattern or re.search(words, pattern)
