"""A defect of a real repository is found, edited, validated and selected."""

from __future__ import annotations

import itertools
import os
import sys

from tests.authoring.repair.small_project import project
from tests.conftest import GitRepository
from wardround.authoring.repair.candidates import candidates_of
from wardround.authoring.repair.failing_source import failing_source
from wardround.authoring.repair.failure_kind import FailureKind
from wardround.authoring.repair.localization import suspicious_functions
from wardround.authoring.repair.patch_evidence import evidence_of
from wardround.authoring.repair.validation import validate
from wardround.change.repository import Repository
from wardround.workflows.environments.existing_python import existing_python

CODE = """\
RATES = {"book": 2, "food": 1}


def label(text):
    return text.strip().lower()


def price(net, kind):  # in cents
    rate = RATES[label(kind)]
    return net * rate
"""
TESTS = """\
from prices import label, price


def test_an_unknown_kind_costs_nothing():
    assert price(10, "toy") == 0


def test_a_known_kind_has_its_rate():
    assert price(10, "Book ") == 20
    assert price(3, "food") == 3


def test_a_label_is_small():
    assert label(" A") == "a"
"""
FAILING = "tests/test_prices.py::test_an_unknown_kind_costs_nothing"
MOST = 400


def test_a_missing_key_gets_a_default(repo: GitRepository) -> None:
    files = {"prices.py": CODE, "tests/test_prices.py": TESTS, "pytest.ini": "[pytest]\npythonpath = .\n"}
    small = project(repo, files, FAILING)
    observation = small.observed()
    source = failing_source(observation, files.get)
    functions = suspicious_functions(observation, files.get, source)
    assert functions[0].symbol == "price"

    candidates = list(itertools.islice(candidates_of(functions, observation, files.get), MOST))
    with Repository(repo.root) as repository:
        found = validate(
            repository, repository.commit("HEAD"), candidates, observation,
            existing_python(repo.root, {"VIRTUAL_ENV": sys.prefix}), 30.0,
            environ=os.environ, log=repo.root.parent / "validation.log", isolation="none",
        )  # fmt: skip
    first = next(result for result in found.results if result.is_plausible)
    candidate = candidates[first.index]
    edited = CODE[: candidate.start] + candidate.replacement + CODE[candidate.end :]
    assert edited == CODE.replace("RATES[label(kind)]", "RATES.get(label(kind), 0)")

    evidence = evidence_of(candidate, first.index + 1, found, observation, CODE, source, None)
    assert (evidence.failure, evidence.test_literals) == (FailureKind.EXCEPTION, ())
