"""From shipped files to a promoted adapter, with small real models: a vector for each word, added up."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from tests.installed import require_installed

require_installed("matplotlib", "onnx", "onnxruntime", "tokenizers")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from click.testing import CliRunner, Result  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from tests.lab.training.judged import CONCEPTS, NEW_YEAR_2024, TASK, choices, digest  # noqa: E402
from wardround import host  # noqa: E402
from wardround.cli.adapters import command  # noqa: E402
from wardround.errors import ModelError, TrainingError, UsageError  # noqa: E402
from wardround.inference.metadata import (  # noqa: E402
    BaseModel,
    File,
    Metadata,
    PromotionState,
    TrainingData,
    read_metadata,
    write_metadata,
)
from wardround_lab.training.recipe import recipe_digest  # noqa: E402
from wardround_lab.training.tabular_evaluation import FeatureRow  # noqa: E402

WORDS = ["[UNK]", *(f"{letter}{n}" for letter in "qc" for n in range(CONCEPTS))]
RECIPE = """\
name: concepts
specialist: tests
task: concepts
data:
  records: [records.jsonl]
  train: [old/r0, old/r1, old/r2, old/r3, old/r4, old/r5]
  validation: [held/r0, held/r1, held/r2]
  evaluation: [new/r0, new/r1, new/r2, new/r3, new/r4, new/r5]
  until: 2024-01-01
  since: 2024-01-01
"""


def file_of(folder: Path, name: str, content: bytes) -> File:
    (folder / name).write_bytes(content)
    return File(name=name, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))


def vectors(known: float, seed: int) -> np.ndarray:
    """A vector for each word; for a share of the concepts the query and the text have the same vector."""
    reported = np.random.default_rng(seed)
    rows = reported.normal(size=(len(WORDS), 48)).astype(np.float32)
    rows[0] = 0
    both = reported.permutation(CONCEPTS)[: round(known * CONCEPTS)]
    rows[1 + CONCEPTS + both] = rows[1 + both]
    return rows


def graph(rows: np.ndarray) -> bytes:
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["found"]),
        helper.make_node("ReduceSum", ["found", "axis"], ["pooled"], keepdims=0),
        helper.make_node("LpNormalization", ["pooled"], ["embedding"], axis=1, p=2),
    ]
    created = helper.make_graph(
        nodes,
        "embedder",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", rows.shape[1]])],
        [numpy_helper.from_array(rows, "words"), numpy_helper.from_array(np.array([1]), "axis")],
    )
    model = helper.make_model(created, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def tokenizer() -> bytes:
    vocabulary = {word: at for at, word in enumerate(WORDS)}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": None,
            "decoder": None,
            "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        }
    ).encode()


def model(folder: Path, name: str, rows: np.ndarray, data: TrainingData | None, seed: int) -> Path:
    folder.mkdir(parents=True)
    metadata = Metadata(
        schema="wardround.adapter/1",
        name=name,
        specialist="tests",
        task="concepts",
        kind="embedder",
        state=PromotionState.SHADOW,
        licence="MIT",
        date="2024-03-01",
        model=file_of(folder, "model.onnx", graph(rows)),
        tokenizer=file_of(folder, "tokenizer.json", tokenizer()),
        base=BaseModel(id="made/base", revision="r1", digest=digest("base"), licence="Apache-2.0"),
        window=32,
        data=data,
        seed=seed,
    )
    write_metadata(folder, metadata)
    return folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a recipe, its records, a base that knows little and two adapters that know more."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(host, "load_tasks", lambda: (TASK,))
    early = NEW_YEAR_2024 - 10_000
    retained = [
        *choices([f"old/r{n}" for n in range(6)], since=early),
        *choices([f"held/r{n}" for n in range(3)], since=early),
        *choices([f"new/r{n}" for n in range(6)]),
    ]
    records = b"".join(msgspec.json.encode(item) + b"\n" for item in retained)
    (tmp_path / "records.jsonl").write_bytes(records)
    (tmp_path / "recipe.yml").write_text(RECIPE)
    data = TrainingData(
        recipe=recipe_digest(tmp_path / "recipe.yml"),
        records=hashlib.sha256(records).hexdigest(),
        repositories=tuple(f"old/r{n}" for n in range(6)),
        items=240,
        until=NEW_YEAR_2024,
        audit="passed",
    )
    model(tmp_path / "base", "base", vectors(0.2, 0), None, 0)
    model(tmp_path / "one/model", "concepts", vectors(0.9, 1), data, 1)
    model(tmp_path / "two/model", "concepts", vectors(0.9, 2), data, 2)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


EVALUATE = ("evaluate", "one", "two", "--recipe", "recipe.yml", "--base", "base")
PROMOTE = ("promote", "one", "--recipe", "recipe.yml", "--base", "base")


def changed(folder: Path, **parts: object) -> None:
    write_metadata(folder, msgspec.structs.replace(read_metadata(folder), **parts))


def test_an_evaluated_model_may_rank(place: Path) -> None:
    done = call(*EVALUATE)
    assert done.exception is None
    assert "cheap+adapter over cheap+base, mrr, seed 2: +" in done.output
    folder = place / "one/model"
    metadata = read_metadata(folder)
    assert metadata.evaluation is not None
    assert metadata.evaluation.items == 240
    assert metadata.fusion is not None
    assert metadata.title == TASK.title
    assert {path.name for path in folder.iterdir()} == {
        "adapter.metadata.json", "card.md", "model.onnx", "precision-recall.svg", "recipe.yml", "scores.svg",
        "tokenizer.json",
    }  # fmt: skip

    done = call(*PROMOTE)
    assert (done.return_value, done.output) == (0, "concepts: rank\n")
    assert read_metadata(folder).state is PromotionState.RANK
    assert "**State: rank.**" in (folder / "card.md").read_text()

    assert call("card", "one", "--check").return_value == 0
    (folder / "card.md").write_text("better\n")
    assert call("card", "one", "--check").return_value == 1
    assert call("card", "one").output == "one/model/card.md: written\n"
    assert call("card", "one", "--check").return_value == 0


def test_a_second_evaluation_is_equal_and_resets_the_state(place: Path) -> None:
    call(*EVALUATE)
    first = read_metadata(place / "one/model").evaluation
    call(*PROMOTE)
    call(*EVALUATE)
    again = read_metadata(place / "one/model")
    assert again.evaluation == first
    assert again.state is PromotionState.SHADOW


def test_state_report_requires_a_calibration_and_judged_findings(place: Path) -> None:
    call(*EVALUATE)
    done = call(*PROMOTE, "--to", "report")
    assert done.return_value == 1
    assert done.output.splitlines() == [
        "concepts: shadow",
        "  - It is not calibrated; run `wardround adapters calibrate`.",
        "  - There is no threshold for a required rate of alarms.",
        "  - Nobody read its findings; its precision is unknown.",
    ]
    done = call("calibrate", "one", "--recipe", "recipe.yml", "--base", "base", "--alarms", "0.02")
    assert done.exception is None
    assert "concepts: platt on 480 items of 3 repositories, checked on 3 others" in done.output
    assert (place / "one/model/calibration.svg").is_file()
    done = call(*PROMOTE, "--to", "report", "--read", "30/50", "--read-note", "one reader")
    assert done.output == ("concepts: shadow\n  - 30 of 50 findings read were right (60%); 70% are needed.\n")
    done = call(*PROMOTE, "--to", "report", "--read", "40/50", "--read-note", "one reader")
    assert (done.return_value, done.output) == (0, "concepts: report\n")


def test_a_changed_file_is_neither_measured_nor_promoted(place: Path) -> None:
    file = place / "one/model/model.onnx"
    content = file.read_bytes()
    file.write_bytes(content[:200] + b"\x00\x01" + content[202:])
    done = call(*EVALUATE)
    assert isinstance(done.exception, ModelError)
    assert "is not the file its metadata describes" in str(done.exception)
    file.write_bytes(content)
    call(*EVALUATE)
    file.write_bytes(content[:200] + b"\x00\x01" + content[202:])
    done = call(*PROMOTE)
    assert "no decision, the state stays shadow: the model file has digest " in str(done.exception)


def test_a_state_that_is_not_a_longer_earned_is_lowered(place: Path) -> None:
    call(*EVALUATE)
    call(*PROMOTE)
    folder = place / "one/model"
    evaluation = read_metadata(folder).evaluation
    assert evaluation is not None
    changed(folder, evaluation=msgspec.structs.replace(evaluation, leaks=1))
    done = call(*PROMOTE)
    assert done.return_value == 1
    assert "  - The split leaks: 1 repository, group or text" in done.output
    assert read_metadata(folder).state is PromotionState.SHADOW


@pytest.mark.parametrize("content", [b"", None])
def test_without_the_records_there_is_not_a_decision(place: Path, content: bytes | None) -> None:
    call(*EVALUATE)
    call(*PROMOTE)
    records, folder = place / "records.jsonl", place / "one/model"
    if content is None:
        records.unlink()
    else:
        records.write_bytes(content)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done = call(*PROMOTE)
    assert isinstance(done.exception, ModelError)
    assert "one/model: no decision, the state stays rank: the file of records " in str(done.exception)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_model_is_not_promoted_without_its_sources(place: Path) -> None:
    call(*EVALUATE)
    (place / "records.jsonl").unlink()
    assert "stays shadow: the base has digest " in str(call("promote", "one").exception)
    assert "stays shadow: the file of records is not at hand" in str(call(*PROMOTE).exception)
    assert read_metadata(place / "one/model").state is PromotionState.SHADOW


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("evaluate", "nowhere", "--recipe", "recipe.yml"),
            "nowhere: no directory with adapter.metadata",
        ),
        (
            ("evaluate", "one", "one", "--recipe", "recipe.yml", "--base", "base"),
            "two of these models have",
        ),
        (("evaluate", "one"), "give --recipe FILE, or for a model over numbers --rows and --training-rows"),
        ((*EVALUATE, "--exempt", "placebo=no"), "write size=REASON; no other control can be left out"),
        (("evaluate", "one", "--recipe", "recipe.yml", "--base", "one/model"), "not a frozen base"),
        (("calibrate", "one"), "give --recipe FILE, or for a model over numbers --rows FILE"),
        (("calibrate", "one", "--recipe", "recipe.yml"), "there is no fused score yet; run"),
        (
            (*PROMOTE, "--read", "60/50", "--read-note", "x"),
            "--read 60/50: write how many were right",
        ),
        ((*PROMOTE, "--read", "40/50"), "--read needs --read-note"),
    ],
)
def test_an_invalid_argument_is_one_sentence(place: Path, arguments: tuple[str, ...], message: str) -> None:
    done = call(*arguments)
    assert isinstance(done.exception, ModelError | TrainingError | UsageError)
    assert message in str(done.exception)


def test_another_recipe_base_or_records_are_rejected(place: Path) -> None:
    (place / "recipe.yml").write_text(RECIPE + "window: 16\n")
    assert "it was trained by another recipe" in str(call(*EVALUATE).exception)
    (place / "recipe.yml").write_text(RECIPE)
    other = BaseModel(id="made/other", revision="r1", digest=digest("other"), licence="Apache-2.0")
    changed(place / "base", base=other)
    assert "trained on another base than the one in base" in str(call(*EVALUATE).exception)
    with (place / "records.jsonl").open("ab") as stream:
        stream.write(msgspec.json.encode(choices(["new/r9"], each=1)[0]) + b"\n")
    assert "trained on other records" in str(call(*EVALUATE).exception)


def test_an_unknown_task_is_rejected(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "load_tasks", tuple)
    assert str(call(*EVALUATE).exception) == "task 'concepts': no plugin contributes it; choose one of none"


# --- models over numbers


def regression(weights: list[float]) -> bytes:
    nodes = [helper.make_node("MatMul", ["features", "weights"], ["score"])]
    created = helper.make_graph(
        nodes,
        "table",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["rows", len(weights)])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, ["rows", 1])],
        [numpy_helper.from_array(np.array(weights, dtype=np.float32)[:, None], "weights")],
    )
    content: bytes = helper.make_model(
        created, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()
    return content


@pytest.fixture
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model over numbers of two seeds, with the rows it was trained on and others."""
    monkeypatch.chdir(tmp_path)
    for name, prefix, repositories, time in (("training", "old", 8, 1), ("rows", "new", 6, NEW_YEAR_2024)):
        reported = np.random.default_rng(repositories)
        with (tmp_path / f"{name}.jsonl").open("wb") as stream:
            for at in range(repositories * 150):
                size, content = int(reported.integers(0, 5)), float(reported.normal())
                right = bool(reported.random() < 1 / (1 + np.exp(-(0.5 * size + 1.5 * content - 3))))
                row = FeatureRow(
                    repository=f"{prefix}/r{at % repositories}", time=time, group=f"{prefix}{at}",
                    right=right, features=(float(size), content), bin=size,
                )  # fmt: skip
                stream.write(msgspec.json.encode(row) + b"\n")
    (tmp_path / "recipe.yml").write_text("rounds: 1\n")
    data = TrainingData(
        recipe=hashlib.sha256(b"rounds: 1\n").hexdigest(),
        records=hashlib.sha256((tmp_path / "training.jsonl").read_bytes()).hexdigest(),
        repositories=tuple(f"old/r{n}" for n in range(8)), items=1200, until=2, audit="passed",
    )  # fmt: skip
    for seed, folder in ((1, tmp_path / "one"), (2, tmp_path / "two")):
        folder.mkdir()
        metadata = Metadata(
            schema="wardround.adapter/1", name="numbers", specialist="tests", task="numbers", kind="table",
            state=PromotionState.SHADOW, licence="MIT", date="2024-03-01",
            inputs=("size", "content"), data=data,
            seed=seed, model=file_of(folder, "model.onnx", regression([0.5, 1.5 + seed / 100])),
        )  # fmt: skip
        write_metadata(folder, metadata)
    return tmp_path


def test_a_model_over_numbers_is_promoted_by_the_same_gates(numbers: Path) -> None:
    rows = ("--rows", "rows.jsonl")
    done = call("evaluate", "one", "two", *rows, "--training-rows", "training.jsonl", "--cheap", "size")
    assert done.exception is None
    assert "model over cheap, auc, same size, seed 2: +" in done.output
    done = call("calibrate", "one", *rows, "--method", "isotonic", "--alarms", "0.05")
    assert done.exception is None
    found = read_metadata(numbers / "one").calibration
    assert found.method == "isotonic"
    assert found.error is not None
    assert found.error < 0.1
    promote = ("promote", "one", "--recipe", "recipe.yml", "--records", "training.jsonl", "--to", "report")
    done = call(*promote, "--read", "45/50", "--read-note", "one reader")
    assert done.output == "numbers: report\n"
    done = call(*promote[:3], "rows.jsonl", *promote[4:])
    assert "no decision, the state stays report: the recipe has digest " in str(done.exception)
    assert read_metadata(numbers / "one").state is PromotionState.REPORT
    assert {path.name for path in (numbers / "one").glob("*.svg")} == {
        "calibration.svg", "precision-recall.svg", "probabilities.svg", "scores.svg",
    }  # fmt: skip


def test_training_repositories_cannot_calibrate(numbers: Path) -> None:
    done = call("calibrate", "one", "--rows", "training.jsonl")
    assert isinstance(done.exception, TrainingError)
    assert (
        str(done.exception)
        == "old/r0 is in the training data, so it cannot calibrate; pass items of other repositories"
    )


def test_rows_of_another_width_are_rejected(numbers: Path) -> None:
    metadata = read_metadata(numbers / "one")
    write_metadata(numbers / "one", msgspec.structs.replace(metadata, inputs=("size",)))
    done = call("calibrate", "one", "--rows", "rows.jsonl")
    assert "it has 1 inputs, and the rows have other columns; mine the rows again" in str(done.exception)
