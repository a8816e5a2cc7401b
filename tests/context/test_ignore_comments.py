"""One table describes the ignore comments of tools; blanked copies and reports depend on the same rows."""

from __future__ import annotations

import re

import pytest

from wardround.context.added_ignores import without_ignore_comments
from wardround.context.ignore_comments import (
    FORMS,
    IGNORE,
    IGNORE_COMMENTS,
    KEYWORDS,
    REGION,
    REGION_END,
    IgnoreComment,
    reported_pattern,
)


def test_every_form_has_reported_comments_and_every_tool_a_name() -> None:
    assert all(reported_pattern(form).pattern for form in FORMS)
    assert len({comment.tool for comment in IGNORE_COMMENTS}) == len(IGNORE_COMMENTS)
    assert {form.files for form in FORMS} >= {of.files for one in IGNORE_COMMENTS for of, _ in one.reported}


@pytest.mark.parametrize("comment", IGNORE_COMMENTS, ids=lambda comment: str(comment.tool))
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
    assert IGNORE.search(line) is not None
    assert (REGION.search(line) is not None) is is_region


@pytest.mark.parametrize("line", ["/* eslint-enable */", "// biome-ignore-end lint", "# ruff: enable[F821]"])
def test_the_end_of_a_region_is_known(line: str) -> None:
    assert REGION_END.search(line) is not None


def test_a_text_can_be_read_without_them() -> None:
    assert without_ignore_comments("x = y  # noqa\nz = 'noqa'\n") == "x = y  \nz = 'noqa'\n"


@pytest.mark.parametrize("comment", IGNORE_COMMENTS, ids=lambda comment: str(comment.tool))
def test_the_cheap_test_knows_the_words_of_every_tool(comment: IgnoreComment) -> None:
    words = "|".join(map(re.escape, KEYWORDS))
    pattern = comment.blanked.lower().replace("\\b", "").replace("\\s+", " ")
    assert not pattern or re.search(words, pattern)
