"""Models of short texts, from labelled texts to a measured shadow, with tiny real bases."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft", "matplotlib", "sklearn")

from tests.lab.training import labelled, tiny  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.errors import ModelError, TrainingError  # noqa: E402
from wardround.inference.metadata import PromotionState, read_metadata  # noqa: E402
from wardround.inference.model_session import review_models  # noqa: E402
from wardround.text.task_kinds import KINDS  # noqa: E402
from wardround_lab.training.bootstrap import Repositories  # noqa: E402
from wardround_lab.training.run_directory import read_steps  # noqa: E402
from wardround_lab.training.text_classes.fusion import fit_fusion, lowest_threshold  # noqa: E402
from wardround_lab.training.text_classes.measures import chance_macro_f1, macro_f1, macro_f1_figure  # noqa: E402
from wardround_lab.training.text_classes.recipe import read_text_recipe  # noqa: E402
from wardround_lab.training.text_classes.samples import sampled_sides  # noqa: E402
from wardround_lab.training.text_classes.train import read_text_run, train_texts  # noqa: E402
from wardround_lab.training.text_classes.words import fit_words  # noqa: E402

_TRAIN = """
import sys
from pathlib import Path
from wardround_lab.training.text_classes.train import train_texts
train_texts(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.parametrize("architecture", ["bert", "modernbert", "qwen2"])
def test_from_texts_to_a_model_that_states_their_class(tmp_path: Path, architecture: str) -> None:
    described = tiny.base(tmp_path, architecture)
    recipe = labelled.recipe(tmp_path, described, steps=40 if architecture == "bert" else 6)
    base, out = tmp_path / "base", tmp_path / "out"
    assert invoke(["adapters", "export", "--base", str(described), "--out", str(base)]) == 0
    assert invoke(["adapters", "train", str(recipe), "--out", str(out), "--base", str(base)]) == 0
    metadata = read_metadata(out / "model")
    parity = {step.step: step for step in metadata.parity}
    assert list(parity) == ["merged", "onnx-fp32", "onnx-int8"]
    assert parity["onnx-fp32"].largest < 1e-4
    assert parity["onnx-int8"].correlation > 0.99
    assert (metadata.kind, metadata.inputs) == ("texts", KINDS)
    assert metadata.shared, "the embedding is that of the base"

    assert invoke(["adapters", "evaluate", str(out), "--recipe", str(recipe), "--base", str(base)]) == 0
    evaluation = read_metadata(out / "model").evaluation
    assert evaluation is not None
    assert evaluation.items == 5 * 8 * 6
    assert set(evaluation.metrics) == {"adapter", "base", "cheap", "model", "size", "words"}
    assert evaluation.metrics["model"]["macro-f1"].value > 0.95
    assert evaluation.metrics["size"]["macro-f1"].value < 0.4
    assert abs(evaluation.controls["placebo"].value) < 0.02
    assert evaluation.leaks == 0

    assert invoke(["adapters", "promote", str(out), "--base", str(base), "--recipe", str(recipe)]) == 1
    decided = read_metadata(out / "model")
    assert decided.state is PromotionState.SHADOW
    assert any("is needed" in reason or "are needed" in reason for reason in decided.reasons), decided.reasons
    assert (
        "The gain of 'model' over 'cheap' (macro-f1) was measured on 1 seed; 2 are needed." in decided.reasons
    )
    card = (out / "model" / "card.md").read_text()
    assert "words and adapter together: the scorer in use" in card
    assert f"- Classes: {', '.join(KINDS)}." in card

    shared = review_models([out / "model", base], "cpu", 1).open_shadow_scope(["tiny-texts"], 4)
    assert shared is None, "a shadow states nothing"


def test_a_review_gets_the_probabilities_of_a_model_that_may_rank(tmp_path: Path) -> None:
    described = tiny.base(tmp_path)
    recipe = labelled.recipe(tmp_path, described, steps=30)
    base, out = tmp_path / "base", tmp_path / "out"
    assert invoke(["adapters", "export", "--base", str(described), "--out", str(base)]) == 0
    assert invoke(["adapters", "train", str(recipe), "--out", str(out), "--base", str(base)]) == 0
    models = review_models([out / "model", base], "cpu", 1)
    shadow = models.shelf().get("tiny-texts")
    models._seen["tiny-texts"] = msgspec.structs.replace(
        shadow, metadata=msgspec.structs.replace(shadow.metadata, state=PromotionState.RANK)
    )  # a measured promotion takes two seeds and thousands of texts
    shared = models.scope(["tiny-texts"], 2)
    model = shared.classifier("tiny-texts")
    assert model is not None
    found = model.probabilities(f"{labelled.WORD_OF['feature']} {' '.join(tiny.WORDS[9:13])}")
    assert max(found, key=found.__getitem__) == "feature"
    assert sum(found.values()) == pytest.approx(1, abs=1e-5)
    assert 0 < model.threshold <= 1
    assert model.probabilities("") != found
    with pytest.raises(ModelError, match="more than 2 texts"):
        model.probabilities("a third text")
    assert shared.classifier("tiny-texts") is None
    assert shared.ranker("tiny-texts") is None


def test_a_resumed_training_reaches_the_same_weights(tmp_path: Path) -> None:
    recipe = labelled.recipe(tmp_path, tiny.base(tmp_path), steps=30, checkpoint=4, validate=5)
    complete = train_texts(recipe, tmp_path / "whole")
    killed = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", _TRAIN, recipe, killed])
    while process.poll() is None and not (
        (killed / "checkpoint.safetensors").exists() and len(list(read_steps(killed))) >= 9
    ):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert train_texts(recipe, killed).weights == complete.weights
    assert train_texts(recipe, killed) == read_text_run(killed)
    with pytest.raises(TrainingError, match="another recipe, seed or records"):
        train_texts(recipe, killed, seed=5)


def test_no_repository_and_no_class_dominates_a_sample(tmp_path: Path) -> None:
    path = labelled.recipe(tmp_path, tiny.base(tmp_path))
    sample = "\nsample: {per-class: 5, per-repository: 3, per-evaluated-repository: 2, words: 2}\n"
    path.write_text(path.read_text() + sample)
    sides = sampled_sides(read_text_recipe(path), tmp_path)
    assert len(sides.training) == 5 * 8
    assert set(sides.training) < set(sides.words)
    assert len(sides.words) == 10 * 8
    assert len(sides.evaluation) == 5 * 8  # the limit of a class holds on every side
    repeated = [*labelled.texts(), msgspec.structs.replace(labelled.texts()[0], group="again")]
    labelled.records(tmp_path, repeated)
    again = sampled_sides(read_text_recipe(path), tmp_path)
    assert sorted(text.text for text in again.words) == sorted(text.text for text in sides.words)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "chore"}, "'chore' is not a class of the task; mine the records again"),
        ({"repository": "own/other"}, "data.validation: the records hold no text of its repositories"),
    ],
)
def test_records_that_do_not_fit_the_task_are_one_sentence(
    tmp_path: Path, change: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = labelled.recipe(tmp_path, tiny.base(tmp_path))
    created = [
        msgspec.structs.replace(text, **change) if text.repository == "own/r2" else text
        for text in labelled.texts()
    ]
    labelled.records(tmp_path, created)
    assert invoke(["adapters", "train", str(recipe), "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err


def test_words_are_a_model_of_their_own() -> None:
    texts = ["fix crash", "fix hang", "add page", "add button", "describe pages", "describe hooks"]
    model = fit_words(texts, [0, 0, 1, 1, 2, 2], 3, 10.0)
    logits = model.logits(["fix button", "add crash", ""])
    assert logits.shape == (3, 3)
    assert np.isfinite(logits).all()
    assert model.logits(["fix hang"])[0].argmax() == 0


def test_the_better_of_two_models_gets_the_larger_share() -> None:
    labels = [0, 1] * 50
    good = np.array([[3.0, -3.0] if label == 0 else [-3.0, 3.0] for label in labels])
    noise = np.random.Generator(np.random.PCG64(0)).normal(size=good.shape)
    assert fit_fusion(good, noise, labels).share == 1.0
    assert fit_fusion(noise, good, labels).share == 0.0


def test_a_threshold_is_the_lowest_with_the_precision_or_above_every_probability() -> None:
    probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    assert lowest_threshold(probabilities, [0, 0, 1, 1], 0.9) == 0.8
    assert lowest_threshold(probabilities, [1, 1, 1, 1], 0.9) > 1


def test_a_class_that_does_not_occur_is_excluded_of_the_mean() -> None:
    assert macro_f1([0, 0, 1], [0, 1, 1], 3) == pytest.approx(2 / 3)


def test_chance_is_what_shuffled_labels_reach() -> None:
    draw = np.random.Generator(np.random.PCG64(0))
    units = Repositories.resample(["a/a"] * 3000 + ["b/b"] * 3000, draws=20)
    labels = np.concatenate(
        [draw.choice(3, 3000, p=[0.8, 0.1, 0.1]), draw.choice(3, 3000, p=[0.1, 0.1, 0.8])]
    )
    answers = np.concatenate([draw.permutation(labels[:3000]), draw.permutation(labels[3000:])])
    chance = chance_macro_f1(units, labels, answers, 3)
    assert macro_f1_figure(units, labels, answers, 3).value == pytest.approx(chance.value, abs=0.02)
    assert macro_f1_figure(units, labels, labels, 3).value - chance.value > 0.3
