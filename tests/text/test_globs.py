"""Glob patterns of any shape have the same meaning as in the standard library."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.text.globs import covers, matches, matches_any_case, matches_ignore_pattern, matches_whole

_TEXT = st.text(alphabet="ab./", max_size=8)


def _is_plain(pattern: str) -> bool:
    """Return True for a pattern without ``**/``, which the standard library does not support."""
    return "**/" not in pattern


@given(
    _TEXT,
    st.text(alphabet="ab./*?", max_size=6).map("{}/".format).filter(_is_plain),
)
def test_a_pattern_with_a_slash_is_about_the_complete_path(path: str, pattern: str) -> None:
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
        ("changes/1.sql", "**/changes/*.sql", True),
        ("a/changes/1.sql", "**/changes/*.sql", True),
        ("exchanges/1.sql", "**/changes/*.sql", False),
        ("a/b.py", "a/**/**/b.py", True),
        ("ab.py", "a**/b.py", False),
        ("b.py", "**/" * 40 + "b.py", True),
        ("x/b.py", "x/**/" * 40 + "b.py", False),
    ],
)
def test_usual_patterns(path: str, pattern: str, fits: bool) -> None:
    assert matches(path, [pattern]) is fits


@given(_TEXT, st.text(alphabet="ab./*?[]", max_size=6).filter(_is_plain))
def test_the_complete_text_is_matched_as_the_standard_library_does(text: str, pattern: str) -> None:
    assert matches_whole(text, [pattern]) == fnmatch.fnmatchcase(text, pattern)


@pytest.mark.parametrize(
    ("path", "pattern", "is_covered"),
    [
        ("vendor/a/b.py", "vendor", True),
        ("vendor/a/b.py", "vendor/", True),
        ("src/vendor/b.py", "vendor/", True),
        ("src/vendor/b.py", "src/vendor", True),
        ("src/vendored/b.py", "src/vendor", False),
        ("src/app.py", "*.py", True),
        ("src/a.min.js/x", "*.min.js", True),
        ("lib/src/vendor/b.py", "src/vendor", False),
        ("lib/src/vendor/b.py", "*/src/vendor", True),
        ("src/app.py", "App.py", False),
        ("src/app.py", "", False),
        ("y.gen.py", "**/*.gen.py", True),
        ("a/b/y.gen.py", "**/*.gen.py", True),
        ("vendor/x.py", "**/vendor", True),
        ("src/gen/x.py", "src/**/gen/", True),
        ("src/a/b/gen/x.py", "src/**/gen/", True),
        ("srcgen/x.py", "src/**/gen/", False),
    ],
)
def test_a_pattern_covers_what_is_below_a_folder(path: str, pattern: str, is_covered: bool) -> None:
    assert covers(path, [pattern]) is is_covered


@pytest.mark.parametrize(
    ("path", "pattern", "is_ignored"),
    [
        ("tests/data/a.py", "tests/data", True),
        ("tests/data/a.py", "/tests/data/**", True),
        ("tests/data/a.py", "./tests/data/*", True),
        ("lib/tests/data/a.py", "tests/data", True),
        ("lib/data/a.py", "**/data", True),
        ("lib/data/a.py", "data/", True),
        ("lib/database/a.py", "data", False),
        ("lib/data/a.py", "!data", False),
        ("lib/data/a.py", "# data", False),
        ("lib/data/a.py", "", False),
        ("lib/data/a.py", "lib/**/data", True),
    ],
)
def test_lines_of_ignore_files(path: str, pattern: str, is_ignored: bool) -> None:
    assert matches_ignore_pattern(path, pattern) is is_ignored


def test_names_of_any_case() -> None:
    assert matches_any_case("src/RUN.PY", ("*.py",))
    assert not matches_any_case("src/RUN.PYX", ("*.py",))
