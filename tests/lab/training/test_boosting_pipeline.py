"""Trees by a recipe, from rows to a model that is measured, calibrated and promoted like any other."""

from __future__ import annotations

import datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.installed import require_installed
from wardround.errors import TrainingError

require_installed("sklearn", "skl2onnx")

from wardround.inference.metadata import PromotionState, read_metadata  # noqa: E402
from wardround.inference.registry import ModelRegistry  # noqa: E402
from wardround.inference.verify import verify  # noqa: E402
from wardround_lab.training import evaluate_shipped, promote, promotion_gates  # noqa: E402
from wardround_lab.training.boosting_pipeline import TreeEnsemble, read_tree_recipe, train_trees  # noqa: E402
from wardround_lab.training.recipe_kind import Files  # noqa: E402
from wardround_lab.training.recipe_registry import kind_of  # noqa: E402
from wardround_lab.training.tabular_evaluation import FeatureRow  # noqa: E402

UNTIL = int(datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC).timestamp())
RECIPE = """
kind: trees
name: numbers
specialist: tests
task: numbers
title: Is it large
inputs: [telling, cheap]
measured: evaluation.rows
cheap: [cheap]
notes: [the numbers are drawn]
trees: {rounds: 30, smallest-leaf: 5}
data:
  records: [training.rows]
  until: 2024-01-01
  train: [acme/one, acme/two]
"""


def rows(names: list[str], time: int, seed: int) -> bytes:
    generator = np.random.Generator(np.random.PCG64(seed))
    lines = []
    for at in range(600):
        telling, cheap = generator.random(2)
        right = bool(telling + 0.2 * cheap + 0.3 * generator.random() > 0.75)
        item = FeatureRow(
            names[at % len(names)], time, f"{seed}-{at}", right, (float(telling), float(cheap)), at % 3
        )
        lines.append(msgspec.json.encode(item) + b"\n")
    return b"".join(lines)


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "training.rows").write_bytes(rows(["acme/one", "acme/two"], UNTIL - 5, 1))
    others = [f"acme/other{n}" for n in range(8)]
    (tmp_path / "evaluation.rows").write_bytes(rows(others, UNTIL + 5, 2))
    (tmp_path / "recipe.yml").write_text(RECIPE)
    return tmp_path / "recipe.yml"


def said(told: str) -> None:
    """Ignore progress."""


def test_a_trained_tree_model_is_valid_and_in_state_shadow(recipe: Path, tmp_path: Path) -> None:
    kind = kind_of(recipe)
    run = kind.train(recipe, tmp_path / "run", None, Files(), said)
    shipped = kind.finish(recipe, tmp_path / "run", Files(), said)
    assert (run.name, run.steps, run.kept, run.seed) == ("numbers", 30, 30, 0)
    assert shipped.metadata == read_metadata(shipped.folder)
    assert (shipped.metadata.state, shipped.metadata.kind) == (PromotionState.SHADOW, "table")
    assert shipped.metadata.parity[0].largest < 1e-5
    (checked,) = verify(ModelRegistry.of([shipped.folder]))
    assert list(checked.troubles) == []
    assert (shipped.folder / "card.md").read_text().startswith("# numbers\n")


def test_the_same_seed_gives_the_same_bytes(recipe: Path, tmp_path: Path) -> None:
    item, other, third = (
        train_trees(recipe, tmp_path / name, seed).model.sha256
        for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )
    assert item == other != third


def test_it_is_evaluated_calibrated_and_promoted_as_earned(recipe: Path, tmp_path: Path) -> None:
    for seed in (0, 1):
        train_trees(recipe, tmp_path / str(seed), seed)
    models = [promote.model_of(str(tmp_path / str(seed))) for seed in (0, 1)]
    measured = TreeEnsemble().evaluate(models, recipe, None, {}, said)
    assert measured.evaluation is not None
    assert measured.evaluation.notes[-1] == "the numbers are drawn"
    first = promote.model_of(str(tmp_path / "0"))
    evaluate_shipped.calibrate_rows(first, tmp_path / "evaluation.rows", "platt", 0.05, said)
    seen = promote.files_seen(
        first.folder,
        first.metadata,
        base=None,
        recipe=first.folder / "recipe.yml",
        records=promote.records_of(recipe),
    )
    decided = promote.promote(first.folder, PromotionState.REPORT, seen)
    assert decided.state is PromotionState.SHADOW
    assert decided.reasons == ("Nobody read its findings; its precision is unknown.",)
    assert promote.promote(first.folder, PromotionState.RANK, seen).state is PromotionState.RANK


def test_a_recipe_without_evaluation_rows_cannot_be_evaluated(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("measured: evaluation.rows\n", ""))
    with pytest.raises(TrainingError, match="`measured` rows or `cheap` inputs are missing"):
        TreeEnsemble().evaluate([], recipe, None, {}, said)


def test_the_records_of_a_recipe_of_trees_are_found(recipe: Path) -> None:
    assert promote.records_of(recipe) == [recipe.parent / "training.rows"]
    assert promote.records_of(recipe.parent / "none.yml") == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[telling, cheap]", "[telling]", "names 1 inputs and a row has 2 numbers"),
        ("acme/one, acme/two", "acme/one", "a row is of acme/two, which is not in data.train"),
        ("2024-01-01", "2020-01-01", "is more recent than data.until"),
        ("rounds: 30", "round: 30", "unknown field `round`"),
    ],
)
def test_a_recipe_that_does_not_fit_is_rejected(recipe: Path, old: str, new: str, complaint: str) -> None:
    recipe.write_text(RECIPE.replace(old, new))
    with pytest.raises(TrainingError, match=complaint):
        train_trees(recipe, recipe.parent / "run")


def test_the_recipe_of_the_secrets_model_names_its_features() -> None:
    from wardround_secrets.classifier.features import NAMES

    recipe = Path(__file__).parents[3] / "adapters" / "wardround_adapters" / "secrets" / "recipe.yml"
    assert read_tree_recipe(recipe).inputs == NAMES


def test_gates_state_what_is_missing(recipe: Path, tmp_path: Path) -> None:
    metadata = train_trees(recipe, tmp_path / "run")
    seen = promote.files_seen(tmp_path / "run" / "model", metadata, base=None, recipe=recipe, records=[])
    assert promotion_gates.decide(metadata, PromotionState.RANK, seen).state is PromotionState.SHADOW
