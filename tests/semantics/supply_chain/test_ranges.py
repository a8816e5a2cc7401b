"""A range is wider only if it certainly allows each former version, and more."""

from __future__ import annotations

import pytest

from wardround.semantics.supply_chain.ranges import is_wider_range, satisfies_python


@pytest.mark.parametrize(
    ("ecosystem", "base", "head"),
    [
        ("pypi", ">=1,<2", ">=1,<3"),
        ("pypi", ">=1,<2", ""),
        ("pypi", "==1.4.*", ">=1.4"),
        ("pypi", "~=1.4.2", ">=1.4.2,<2"),
        ("pypi", "<=2.0", "<=2.0.1"),
        ("pypi", ">1.4", ">=1.4"),
        ("pypi", "^1.2", ">=1.2"),
        ("pypi", "~1.2.3", "^1.2.3"),
        ("pypi", ">=1,!=1.5", ">=1"),
        ("npm", "^1.2.0", ">=1.2.0"),
        ("npm", "~1.2.0", "^1.2.0"),
        ("npm", "^18", "^18 || ^19"),
        ("npm", "1.x", "*"),
        ("npm", ">= 1.2 < 2", ">=1"),
        ("docker", "3.12.1-slim", "3.12"),
    ],
)
def test_a_range_with_more_versions_is_wider(ecosystem: str, base: str, head: str) -> None:
    assert is_wider_range(ecosystem, base, head)
    assert not is_wider_range(ecosystem, head, base)


@pytest.mark.parametrize(
    ("ecosystem", "base", "head"),
    [
        ("pypi", ">=1,<2", ">=1.5,<3"),
        ("pypi", "^1.2", "^1.3"),
        ("pypi", "^1.2 || ^2", ">=1"),
        ("pypi", "~=1.4.2", "==1.4.*,>=1.4.2"),
        ("pypi", ">=1.0", ">=1.0.0"),
        ("npm", "^1.2.0", "^1.3.0"),
        ("npm", "^1.2.0", "^2.0.0"),
        ("npm", "latest", "*"),
        ("npm", "^1.0.0 || ", "not a range"),
        ("docker", "3.12-slim", "4-slim"),
    ],
)
def test_an_update_or_an_unknown_range_is_not_wider(ecosystem: str, base: str, head: str) -> None:
    assert not is_wider_range(ecosystem, base, head)


@pytest.mark.parametrize(
    ("requirement", "version", "expected"),
    [
        ("^0.2.3", "0.2.9", True),
        ("^0.2.3", "0.3.0", False),
        ("~1", "1.9", True),
        ("*", "1", True),
        ("1.2.3", "1.2.3", True),
        (">=1", "0.9", False),
        (">=1", "not a version", True),
        ("^1 || ^3", "2", True),
    ],
)
def test_only_a_version_that_is_certainly_outside_does_not_satisfy(
    requirement: str, version: str, expected: bool
) -> None:
    assert satisfies_python(requirement, version) is expected
