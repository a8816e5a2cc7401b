"""Boosted trees: trained, measured by repository, exported."""

from __future__ import annotations

from typing import Any

import pytest

from tests.installed import require_installed

np = pytest.importorskip("numpy")
require_installed("sklearn")
onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

from wardround.errors import TrainingError  # noqa: E402
from wardround_lab.training import gradient_boosting  # noqa: E402

INPUTS = ("a", "b", "noise")
SMALL = gradient_boosting.BoostingRecipe(rounds=20, smallest_leaf=5, rate=0.2)


def table(rows: int = 600, seed: int = 0) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(rows, 3))
    return values, values[:, 0] + 0.5 * (values[:, 1] > 0) > 0.3


def test_the_same_rows_and_recipe_give_the_same_file() -> None:
    pytest.importorskip("skl2onnx")
    files = {
        gradient_boosting.export_trees(gradient_boosting.train(*table(), INPUTS, SMALL)) for _ in range(2)
    }
    assert len(files) == 1
    other = gradient_boosting.BoostingRecipe(rounds=20, smallest_leaf=5, rate=0.2, columns=0.3, seed=1)
    assert gradient_boosting.export_trees(gradient_boosting.train(*table(), INPUTS, other)) not in files


def test_the_exported_graph_is_one_ensemble_with_the_same_scores() -> None:
    pytest.importorskip("skl2onnx")
    values, right = table()
    trees = gradient_boosting.train(values, right, INPUTS, SMALL)
    content = gradient_boosting.export_trees(trees)
    model = onnx.load_model_from_string(content)
    assert [node.op_type for node in model.graph.node] == ["TreeEnsembleRegressor"]
    assert {p.key: p.value for p in model.metadata_props} == {"inputs": "a,b,noise"}
    found = gradient_boosting.parity(trees, content, values)
    assert found.largest < 1e-4
    assert found.correlation > 0.9999


def test_a_row_has_the_same_score_alone_and_in_a_batch() -> None:
    pytest.importorskip("skl2onnx")
    values, right = table()
    session = ort.InferenceSession(
        gradient_boosting.export_trees(gradient_boosting.train(values, right, INPUTS, SMALL)),
        providers=["CPUExecutionProvider"],
    )
    rows = values[:50].astype(np.float32)
    together = session.run(None, {gradient_boosting.INPUT: rows})[0]
    alone = [session.run(None, {gradient_boosting.INPUT: row[None]})[0][0] for row in rows]
    assert together.shape == (50, 1)
    assert (np.array(alone) == together).all()


def test_an_input_that_may_only_rise_never_lowers_the_score() -> None:
    values, right = table()
    recipe = gradient_boosting.BoostingRecipe(rounds=20, smallest_leaf=5, rising=("noise",))
    trees = gradient_boosting.train(values, right, INPUTS, recipe)
    low, high = values.copy(), values.copy()
    high[:, 2] += 2
    assert (trees.scores(high) >= trees.scores(low) - 1e-12).all()


def test_a_repository_is_scored_by_trees_trained_without_it() -> None:
    values, right = table()
    names = ["one"] * 300 + ["two"] * 300
    scores = gradient_boosting.leave_one_group_out(values, right, names, INPUTS, SMALL)
    changed = right.copy()
    changed[:300] = ~changed[:300]  # what is true of "one" is no reason for its own scores
    again = gradient_boosting.leave_one_group_out(values, changed, names, INPUTS, SMALL)
    assert (scores[:300] == again[:300]).all()
    assert (scores[300:] != again[300:]).any()


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda v, r: (v, r | True, INPUTS, SMALL), "all rows are of one class"),
        (lambda v, r: (np.where(v > 2, np.nan, v), r, INPUTS, SMALL), "not a finite number"),
        (lambda v, r: (v, r, INPUTS[:2], SMALL), "there are 2 inputs"),
        (
            lambda v, r: (v, r, INPUTS, gradient_boosting.BoostingRecipe(rising=("c",))),
            "rising: 'c' is not an input",
        ),
    ],
)
def test_invalid_training_rows_are_rejected(spoil: Any, reason: str) -> None:
    with pytest.raises(TrainingError, match=reason):
        gradient_boosting.train(*spoil(*table()))


def test_one_repository_cannot_be_excluded() -> None:
    with pytest.raises(TrainingError, match="one repository"):
        gradient_boosting.leave_one_group_out(*table(), ["one"] * 600, INPUTS, SMALL)
