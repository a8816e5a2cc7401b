"""A range of versions is narrower if it excludes a version that the other permits."""

from __future__ import annotations

import pytest

from wardround.context.surface.version_ranges import is_narrower


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (">=3.8", ">=3.10"),
        ("", ">=3.9"),
        (">=3.9", ">=3.9,<4"),
        (">=1,<3", ">=1,<2"),
        ("~=1.4", "~=1.5"),
        (">=1", "==1.2"),
        (">=1", ">1"),
    ],
)
def test_a_specifier_that_excludes_versions_is_narrower(base: str, head: str) -> None:
    assert is_narrower(base, head)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (">=3.10", ">=3.8"),
        (">=3.8", ">=3.8.0"),
        (">=1,<2", ">=1,<3"),
        ("~=1.4", ">=1.4,<2"),
        (">=1", ">=1,!=1.5"),
        (">=3.9", ""),
        ("==1.*", ">=1,<2"),
        (">=1", "not a range"),
    ],
)
def test_a_specifier_that_permits_as_much_is_not(base: str, head: str) -> None:
    assert not is_narrower(base, head)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (">=18", ">=20"),
        ("^18 || ^20", "^20"),
        ("^1.2.3", "~1.2.3"),
        ("^0.2.3", "^0.2.4"),
        ("*", ">=18"),
        ("1.x", "1.2.x"),
        ("1.2.3 - 2", "1.2.3 - 1"),
    ],
)
def test_a_range_of_npm_that_excludes_versions_is_narrower(base: str, head: str) -> None:
    assert is_narrower(base, head, npm=True)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("^18", "^18 || ^20"),
        ("^1.2", "1 || ^1.2"),
        (">= 18", ">=18.0.0"),
        ("~1.2.3", "^1.2.3"),
        ("^18", "workspace:*"),
        ("^18", "*"),
    ],
)
def test_a_range_of_npm_that_permits_as_much_is_not(base: str, head: str) -> None:
    assert not is_narrower(base, head, npm=True)
