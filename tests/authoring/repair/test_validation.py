"""Candidates are judged by the failing tests, then by the passing ones that run their function."""

from __future__ import annotations

import pytest

from tests.authoring.repair.small_project import project
from tests.conftest import GitRepository
from wardround.authoring.repair.model import CandidateResult

CODE = """\
def price(net, rate):
    if net < 0:
        return 0
    return net + rate


def label(text):
    return text.lower()
"""
TESTS = """\
from prices import label, price


def test_a_price_has_a_rate():
    assert price(10, 3) == 30


def test_a_large_price_has_a_rate():
    assert price(100, 3) == 300


def test_a_negative_price_is_none():
    assert price(-1, 2) == 0


def test_a_label_is_small():
    assert label("A") == "a"
"""
RATE = "tests/test_prices.py::test_a_price_has_a_rate"
LARGE = "tests/test_prices.py::test_a_large_price_has_a_rate"


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_a_candidate_without_a_failing_test_is_plausible(repo: GitRepository, isolation: str) -> None:
    files = {"prices.py": CODE, "tests/test_prices.py": TESTS, "pytest.ini": "[pytest]\npythonpath = .\n"}
    small = project(repo, files, RATE, LARGE, isolation=isolation)
    observation = small.observed()
    assert observation.problem == ""

    found = small.validated(
        observation,
        ("net + rate", "net * rate"),
        ("net + rate", "net - rate"),
        ("net + rate", "30"),
        ("if net < 0:\n        return 0\n    return net + rate", "return net * rate"),
        ("net + rate", "net *"),
        ("text.lower()", "text"),
    )

    assert found.problem == ""
    assert found.results == (
        CandidateResult(0, "", 3),
        CandidateResult(2, LARGE, 1, "AssertionError"),
        CandidateResult(3, "tests/test_prices.py::test_a_negative_price_is_none", 2, "AssertionError"),
    )
    assert (found.tried, found.reimported, found.unstable) == (6, 0, ())
