"""A condition limits a context only if it is the entire condition that GitHub evaluates."""

from __future__ import annotations

import pytest
from wardround_docker_ci.models.github_conditions import is_limited


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("github.head_ref == 'a'", True),
        ("${{ github.head_ref == 'a' || github.head_ref == 'b' }}", True),
        ("github.head_ref == 'a' && always()", True),
        ("github.head_ref == 'a' || always()", False),
        ("github.base_ref == 'a'", False),
        ("${{ always() }} && github.head_ref == 'a'", False),
        ("${{ github.head_ref == 'a' }}\n", False),
        ("${{ always() }} && ${{ github.head_ref == 'a' }}", False),
        ("${{ true }} || github.head_ref == 'a' && ${{ true }}", False),
    ],
)
def test_texts_around_an_expression_are_always_true(condition: str, expected: bool) -> None:
    assert is_limited("github.head_ref", condition) is expected
