"""Candidates come in the order of their scores, once each, and are Python."""

from __future__ import annotations

import ast
import hashlib
import itertools
import os
import subprocess
import sys
from pathlib import Path

import tests
from tests.authoring.repair.observations import observation, reader
from wardround.authoring.repair.candidates import candidates_of
from wardround.authoring.repair.localization import suspicious_functions
from wardround.authoring.repair.model import Candidate, Failure, Frame, Observation

CODE = """\
LIMIT = 3


def price(net, rate):  # in cents
    if net < LIMIT and rate:
        return 0
    total = net + rate
    return total


class Till:
    def add(self, item):
        '''Größe: 😀.'''
        self.items.append(item.price)
        for part in item.parts:
            self.add(part)

    def close(self):
        return None
"""
FILES = {"shop.py": CODE}
TEST = {"tests/test_shop.py::test_a": {"shop.py": (5, 7, 8, 14, 15)}}
FAILURE = Failure("AttributeError", "", (Frame("shop.py", 14, "add"),))


def _candidates(found: Observation, most: int = 100_000) -> list[Candidate]:
    functions = suspicious_functions(found, reader(FILES), "price")
    return list(candidates_of(functions, found, reader(FILES), most))


def _edited(candidate: Candidate) -> str:
    return CODE[: candidate.start] + candidate.replacement + CODE[candidate.end :]


def test_candidates_are_ordered_by_their_scores() -> None:
    scores = [candidate.score for candidate in _candidates(observation(TEST, {}, FAILURE))]
    assert len(scores) > 1000
    assert scores == sorted(scores, reverse=True)


def test_each_candidate_is_another_module_that_parses() -> None:
    texts = [_edited(candidate) for candidate in _candidates(observation(TEST, {}, FAILURE))]
    assert len(set(texts)) == len(texts)
    for text in texts[::10]:
        assert ast.parse(text)
    assert CODE not in texts


def test_the_rest_of_the_file_is_kept() -> None:
    for candidate in _candidates(observation(TEST, {}, FAILURE)):
        text = _edited(candidate)
        assert text.startswith("LIMIT = 3\n\n\ndef price(net, rate):  # in cents\n")
        assert text.endswith("    def close(self):\n        return None\n")


def test_only_executed_lines_are_edited() -> None:
    found = observation({"tests/test_shop.py::test_a": {"shop.py": (8,)}}, {})
    candidates = _candidates(found)
    assert {candidate.symbol for candidate in candidates} == {"price"}
    starts = [candidate.start for candidate in candidates if candidate.operator != "move-up"]
    assert min(starts) >= CODE.index("    return total")


def test_the_line_of_the_traceback_comes_first() -> None:
    candidates = _candidates(observation(TEST, {}, FAILURE))
    in_add = [candidate for candidate in candidates if candidate.symbol == "Till.add"]
    assert CODE.count("\n", 0, in_add[0].start) + 1 == 14


def test_the_number_of_candidates_is_bounded_and_no_more_are_made() -> None:
    assert len(_candidates(observation(TEST, {}), most=25)) == 25
    endless = candidates_of((), observation(TEST, {}), reader(FILES))
    assert list(itertools.islice(endless, 1)) == []


def test_the_order_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from tests.authoring.repair.test_candidates import digest_of_candidates; "
        "print(digest_of_candidates())"
    )
    root = Path(tests.__file__ or "").parent.parent
    digests = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip
    assert len(digests) == 1


def digest_of_candidates() -> str:
    found = observation(TEST, {}, FAILURE)
    return hashlib.sha256(repr(_candidates(found)).encode()).hexdigest()


def test_equal_expressions_are_edited_together_too() -> None:
    files = {"till.py": "def price(net, old):\n    first(net)\n    second(net)  # again\n    return net\n"}
    found = observation({"tests/test_till.py::test_a": {"till.py": (2, 3, 4)}}, {})
    functions = suspicious_functions(found, reader(files), "")
    together = [
        candidate
        for candidate in candidates_of(functions, found, reader(files))
        if candidate.operator == "replace-variable-everywhere"
    ]
    text = files["till.py"]
    assert [text[: item.start] + item.replacement + text[item.end :] for item in together] == [
        "def price(net, old):\n    first(old)\n    second(old)  # again\n    return net\n"
    ]
