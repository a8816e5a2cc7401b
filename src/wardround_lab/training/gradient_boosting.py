"""Boosted trees over rows of numbers: training, leave-one-group-out scores, export to plain ONNX.

The exported graph has one input ``features``, shape (rows, inputs), and one output ``score``, shape (rows,
1), both float32. The score is the log-odds before calibration, a sum over trees (``TreeEnsembleRegressor``).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from wardround.errors import TrainingError
from wardround.inference.metadata import Parity
from wardround_lab.training.bootstrap import Flags, Floats

INPUT = "features"
OUTPUT = "score"
_OPSET = 17
_ML_OPSET = 3


class BoostingRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Parameters of the boosting.

    Attributes:
        rounds: number of trees.
        rate: learning rate.
        leaves: maximum number of leaves of a tree.
        smallest_leaf: minimum number of rows of a leaf.
        ridge: penalty on squared leaf values.
        columns: share of the columns that each split considers, sampled per split.
        rising: inputs with a monotone increasing effect on the score.
        seed: seed for sampling columns.
    """

    rounds: int = 300
    rate: float = 0.03
    leaves: int = 8
    smallest_leaf: int = 40
    ridge: float = 5.0
    columns: float = 0.5
    rising: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Trees:
    """A trained ensemble over named inputs; ``model`` is scikit-learn's."""

    inputs: tuple[str, ...]
    model: Any

    def scores(self, rows: Floats) -> Floats:
        """Return the log-odds, shape (rows,)."""
        found: Floats = self.model.decision_function(quantized_rows(rows))
        return found


def quantized_rows(rows: Floats) -> Floats:
    """Return the numbers as the exported graph reads them: rounded to float32."""
    return rows.astype(np.float32).astype(np.float64)


def train(rows: Floats, right: Flags, inputs: Sequence[str], recipe: BoostingRecipe) -> Trees:
    """Train the trees; the same for the same rows, recipe and version of scikit-learn.

    Args:
        rows: shape (rows, inputs), finite.
        right: shape (rows,).

    Raises:
        TrainingError: a class of row is missing, a number is not finite, or the recipe does not match.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    _require(rows, right, inputs, recipe)
    model = HistGradientBoostingClassifier(
        max_iter=recipe.rounds,
        learning_rate=recipe.rate,
        max_leaf_nodes=recipe.leaves,
        min_samples_leaf=recipe.smallest_leaf,
        l2_regularization=recipe.ridge,
        max_features=recipe.columns,
        monotonic_cst=[int(name in recipe.rising) for name in inputs],
        early_stopping=False,
        random_state=recipe.seed,
    )
    return Trees(tuple(inputs), model.fit(quantized_rows(rows), right))


def _require(rows: Floats, right: Flags, inputs: Sequence[str], recipe: BoostingRecipe) -> None:
    unknown = sorted(set(recipe.rising) - set(inputs))
    if unknown:
        raise TrainingError(f"rising: {unknown[0]!r} is not an input of these rows")
    if rows.shape != (len(right), len(inputs)):
        raise TrainingError(f"rows have {rows.shape[1]} columns, and there are {len(inputs)} inputs")
    if not np.isfinite(rows).all():
        raise TrainingError("a feature is not a finite number; mine the rows again")
    if right.all() or not right.any():
        raise TrainingError("all rows are of one class, so nothing can be learned; mine more repositories")


def leave_one_group_out(
    rows: Floats,
    right: Flags,
    repositories: Sequence[str],
    inputs: Sequence[str],
    recipe: BoostingRecipe,
) -> Floats:
    """Return the score of every row by trees that were trained without its repository, shape (rows,).

    Raises:
        TrainingError: there is only one repository, or the rest cannot be trained on.
    """
    names = np.array(repositories)
    if len(set(repositories)) < 2:
        raise TrainingError("all rows are of one repository, so none is left to train on")
    scores = np.empty(len(rows))
    for name in sorted(set(repositories)):
        out = names == name
        scores[out] = train(rows[~out], right[~out], inputs, recipe).scores(rows[out])
    return scores


def export_trees(trees: Trees) -> bytes:
    """Return the ensemble as an ONNX model; its metadata names the inputs in order."""
    import onnx
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's integers are taken with a warning by protobuf
        complete = to_onnx(
            trees.model,
            initial_types=[(INPUT, FloatTensorType([None, len(trees.inputs)]))],
            options={"zipmap": False, "raw_scores": True},
            target_opset={"": _OPSET, "ai.onnx.ml": _ML_OPSET},
        )
    ensemble = next(node for node in complete.graph.node if node.op_type.startswith("TreeEnsemble"))
    graph = onnx.helper.make_graph(
        [_regressor(ensemble)],
        "boosted",
        [onnx.helper.make_tensor_value_info(INPUT, onnx.TensorProto.FLOAT, [None, len(trees.inputs)])],
        [onnx.helper.make_tensor_value_info(OUTPUT, onnx.TensorProto.FLOAT, [None, 1])],
    )
    opsets = [onnx.helper.make_opsetid("", _OPSET), onnx.helper.make_opsetid("ai.onnx.ml", _ML_OPSET)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="wardround")
    onnx.helper.set_model_props(model, {"inputs": ",".join(trees.inputs)})
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


_SAME = ("nodes_", "base_values")
_OF_LEAVES = {"class_treeids": "target_treeids", "class_nodeids": "target_nodeids",
              "class_ids": "target_ids", "class_weights": "target_weights"}  # fmt: skip


def _regressor(ensemble: Any) -> Any:
    """Convert the trees of a classifier to those of a regressor: their plain sum."""
    import onnx

    node = onnx.helper.make_node("TreeEnsembleRegressor", [INPUT], [OUTPUT], domain="ai.onnx.ml", n_targets=1)
    for attribute in ensemble.attribute:
        name = _OF_LEAVES.get(attribute.name, attribute.name)
        if name.startswith(_SAME) or name.startswith("target_"):
            copy = node.attribute.add()
            copy.CopyFrom(attribute)
            copy.name = name
    return node


def parity(trees: Trees, model: bytes, rows: Floats) -> Parity:
    """Return the difference of the exported from the trained scores on these rows, run as in a review."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    found: NDArray[np.float32] = session.run([OUTPUT], {INPUT: rows.astype(np.float32)})[0]
    reported, trained = found[:, 0].astype(np.float64), trees.scores(rows)
    return Parity(
        step="onnx-fp32",
        largest=float(np.abs(reported - trained).max()),
        correlation=float(np.corrcoef(reported, trained)[0, 1]),
    )
