"""The time of every regular expression of this project is proportional to the length of its input.

Those of ``LazyPattern`` and ``bounded`` limit each repeat that may read a part of a string twice. Nested
repeats are not limited; their time doubles with each round. For all others, worst-case strings are
constructed. Define a pattern that fails here with ``LazyPattern``, or ``bounded`` if a review builds it; one
that still fails matches the same string in two ways, as ``(a+)+`` does, and must be rewritten.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest

from tests.security.attacks import FEW_ROUNDS, depth_of_repeats, slow_attack
from tests.security.patterns import UsedPattern, every_pattern
from wardround.storage import regex_cache

_parser: Any = import_module("re._parser")
PACKAGES = (
    "src/wardround", "rules", "plugins/wardround_docker_ci", "plugins/wardround_python",
    "plugins/wardround_secrets", "plugins/wardround_sql", "plugins/wardround_tests",
    "plugins/wardround_typescript",
)  # fmt: skip


def _patterns(package: str, *, bounded: bool) -> list[UsedPattern]:
    found = (
        item
        for item in every_pattern()
        if item.position.startswith(f"{package}/") and item.bounded is bounded
    )
    return list({(item.text, item.flags, item.searched): item for item in found}.values())


def test_every_pattern_is_found() -> None:
    found = every_pattern()
    assert len(found) > 2_500
    assert {package for package in PACKAGES[2:] if _patterns(package, bounded=True)} == set(PACKAGES[2:])


@pytest.mark.parametrize("package", PACKAGES)
def test_no_bounded_pattern_doubles_its_time_with_each_round(package: str) -> None:
    slow = {}
    for pattern in _patterns(package, bounded=True):
        if depth_of_repeats(_parser.parse(pattern.text, pattern.flags)) > 1:
            created = regex_cache.CompiledPattern.of(pattern.text, pattern.flags, bounded=True).pattern(
                pattern.text
            )
            slow[pattern.position] = slow_attack(created, pattern.searched, FEW_ROUNDS)
    assert {position: text for position, text in slow.items() if text is not None} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_pattern_is_superlinear(package: str) -> None:
    slow = {
        pattern.position: slow_attack(re.compile(pattern.text, pattern.flags), pattern.searched)
        for pattern in _patterns(package, bounded=False)
    }
    assert {position: text for position, text in slow.items() if text is not None} == {}


@pytest.mark.parametrize("text", [r"(a+)+b", r"a*a*b", r"#.*noqa", r"\w+=", r"(?m)^\s*x", r"(a|aa)*b"])
def test_the_attacks_find_slow_patterns(text: str) -> None:
    pattern = re.compile(text)
    # A fast processor needs a longer text before the time can be measured.
    attack = slow_attack(pattern, searched=True) or slow_attack(pattern, True, rounds_tried=(20_000,))
    assert attack is not None


@pytest.mark.parametrize("text", [r"a*b", r"\bfoo\s*=", r"(?<!\w)\w+=", r"#[^#]*noqa", r"a{1,9}b"])
def test_the_attacks_find_nothing_in_linear_patterns(text: str) -> None:
    assert slow_attack(re.compile(text), searched=text != r"a*b") is None
