"""The rewards of a generated patch."""

from __future__ import annotations

import pytest

from wardround.authoring.stages import PatchedFile
from wardround.context.run_evidence import TestOutcome
from wardround_lab.experiments.rewards.generation import (
    covered_share,
    edit_similarity,
    passed_share,
    passes_all,
)

OUTCOMES = {
    "t.py::test_a": TestOutcome.PASSED,
    "t.py::test_b[0]": TestOutcome.PASSED,
    "t.py::test_b[1]": TestOutcome.FAILED,
    "t.py::test_flaky": TestOutcome.FLAKY,
    "t.py::test_skipped": TestOutcome.SKIPPED,
}
BASE = {"a.py": "def f(x):\n    return x.name\n", "b.py": "y = 1\n"}
GOLD = [PatchedFile("a.py", "def f(x):\n    return x.name or ''\n")]


@pytest.mark.parametrize(
    ("tests", "share"),
    [
        (["t.py::test_a", "t.py::test_flaky"], 1.0),
        (["t.py::test_a", "t.py::test_b"], 0.5),
        (["t.py::test_b[0]"], 1.0),
        (["t.py::test_skipped", "t.py::test_that_did_not_run"], 0.0),
        ([], 1.0),
    ],
)
def test_a_test_passes_with_all_its_parameters_or_not_at_all(tests: list[str], share: float) -> None:
    assert passed_share(OUTCOMES, tests) == share
    assert passes_all(OUTCOMES, tests) == (share == 1.0)


def test_coverage_is_of_the_statements_of_the_answer() -> None:
    text = "import os\n\n\ndef f(x):\n    # a comment\n    if x:\n        return 1\n    return os.name\n"
    gold = {"a.py": frozenset({5, 6, 7, 8}), "notes.md": frozenset({1})}
    executed = {"a.py": frozenset({1, 4, 6, 8})}
    assert covered_share({"a.py": text}, gold, executed) == pytest.approx(2 / 3)
    assert covered_share({"a.py": text}, gold, {}) == 0.0


@pytest.mark.parametrize("gold", [{}, {"a.py": frozenset({5})}, {"broken.py": frozenset({1})}])
def test_an_answer_without_statements_has_no_coverage(gold: dict[str, frozenset[int]]) -> None:
    texts = {"a.py": "x = 1\n\n\n\n# five\n", "broken.py": "def f(:\n"}
    assert covered_share(texts, gold, {"a.py": frozenset({1})}) is None


def test_equal_edits_are_equal_whatever_their_layout() -> None:
    other = [PatchedFile("a.py", "def f(x):\n    return  x.name  or ''\n")]
    assert edit_similarity(GOLD, GOLD, BASE) == 1.0
    assert edit_similarity(other, GOLD, BASE) == 1.0


def test_the_nearer_edit_is_more_similar_and_unchanged_code_has_no_effect() -> None:
    near = [PatchedFile("a.py", "def f(x):\n    return x.name or None\n")]
    far = [PatchedFile("a.py", "def f(x):\n    raise ValueError(x)\n    return x.name\n")]
    similarities = [edit_similarity(patch, GOLD, BASE) for patch in (near, far)]
    assert 1.0 > similarities[0] > 0.8 > similarities[1]
    long = {**BASE, "a.py": "# x\n" * 500 + BASE["a.py"]}
    moved = [[PatchedFile("a.py", "# x\n" * 500 + str(patch[0].text))] for patch in (near, GOLD)]
    assert edit_similarity(moved[0], moved[1], long) == similarities[0]


def test_files_that_only_one_patch_edits_count_against_it() -> None:
    more = [*GOLD, PatchedFile("b.py", "y = 2\n")]
    assert 0.0 < edit_similarity(more, GOLD, BASE) < 1.0
    assert edit_similarity([PatchedFile("b.py", None)], GOLD, BASE) == 0.0
    assert edit_similarity([], GOLD, BASE) == 0.0
    assert edit_similarity([], [], BASE) == 1.0
