"""Detection of regular expressions of exponential time."""

from __future__ import annotations

import pytest

from wardround.languages.regex_dos import is_slow


@pytest.mark.parametrize(
    "pattern",
    [r"^(a+)+$", r"^(a*)*b", r"^(\w+\s?)+$", r"^(a|aa)+$", r"^(\d|\w)+$", r"^([\w-]+\.?)+$",
    r"^((a+)b?)*c$", r"^(?:x*)+y",
     r"^(?<n>[a-z]+)*\d$", r"^(.*,?)+$", r"^([^a]+|\s+)+b", r"^(\w+){2,}x"],
)  # fmt: skip
def test_slow(pattern: str) -> None:
    assert is_slow(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"^a+$", r"^(\d+,)*\d+$", r"^[a-z0-9]+(?:-[a-z0-9]+)*$", r"^(\w+\s)*$", r"(a+)+", r"^([^,]+,)+x$",
    r"^(\d{1,3}\.){3}\d+$",
     r"^(?:ab?)+c", r"(?:a|b)+c", "^(", "[", "(?", "\\", "", r"^(,,{2})+$"],
)  # fmt: skip
def test_not_slow(pattern: str) -> None:
    assert not is_slow(pattern)
