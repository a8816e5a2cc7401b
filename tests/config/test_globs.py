"""Glob patterns mean what they mean to the standard library, whatever shape they have."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.config.globs import matches

_TEXT = st.text(alphabet="ab./", max_size=8)


@given(_TEXT, st.text(alphabet="ab./*?", max_size=6).filter(lambda pattern: "/" in pattern))
def test_a_pattern_with_a_slash_is_about_the_whole_path(path: str, pattern: str) -> None:
    assert matches(path, [pattern]) == fnmatch.fnmatchcase(path, pattern)


@given(st.text(alphabet="ab.", max_size=8), st.text(alphabet="ab.*?[]", max_size=6))
def test_any_other_is_about_the_name(name: str, pattern: str) -> None:
    assert matches(f"folder/{name}", [pattern]) == fnmatch.fnmatchcase(name, pattern)


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("a/.github/workflows/x.yml", "*/.github/workflows/*.yml", True),
        (".github/workflows/x.yml", "*/.github/workflows/*.yml", False),
        ("src/tests/a/b.py", "*/tests/*.py", True),
        ("src/testsb.py", "*/tests/*.py", False),
        ("test_.py", "test_*.py", True),
        ("test.py", "test_*.py", False),
    ],
)
def test_usual_patterns(path: str, pattern: str, fits: bool) -> None:
    assert matches(path, [pattern]) is fits
