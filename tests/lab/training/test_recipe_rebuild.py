"""From a recipe and clones of its repositories to a model, with a tiny real base."""

from __future__ import annotations

import datetime
from pathlib import Path

import msgspec
import pytest
import yaml

from tests.installed import require_installed

require_installed("torch", "peft", "matplotlib")

from tests.lab.corpora.conftest import commit_at  # noqa: E402
from tests.lab.corpora.test_defect_windows import MIT  # noqa: E402
from tests.lab.training import teams, tiny  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.inference.metadata import read_metadata  # noqa: E402
from wardround_lab.training.recipe import DataPart, LoraPart, Recipe, TrainingPart  # noqa: E402

BETWEEN = datetime.date(2022, 1, 1)


def recipe_in(folder: Path, base: Path, evaluation: str) -> Path:
    """A recipe whose records are not mined yet."""
    recipe = Recipe(
        name="tests", specialist="tests", task="test-body", base=str(base), window=16,
        data=DataPart(
            records=("corpora/test-body.jsonl",), train=("acme/one",), evaluation=(evaluation,),
            until=BETWEEN, since=BETWEEN,
        ),
        lora=LoraPart(rank=4, alpha=8, layers=(2, 3)),
        training=TrainingPart(steps=20, rate=0.01, validate=10, temperature=0.1, checkpoint=10),
    )  # fmt: skip
    file = folder / "recipe.yml"
    file.write_text(yaml.safe_dump(msgspec.to_builtins(recipe)))
    return file


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    folder = tmp_path / "clones"
    (folder / "acme").mkdir(parents=True)
    for number, (name, weeks) in enumerate({"acme/one": 20, "acme+two": 12}.items()):
        first = 100 * number
        created = teams.repository(folder / name, weeks, first)
        commit_at(created, 7 * (first + weeks), {"LICENSE": MIT}, "grant it")
    return folder


def test_one_command_rebuilds_a_model_from_clones(
    tmp_path: Path, clones: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = recipe_in(tmp_path, tiny.base(tmp_path), "acme/two")
    monkeypatch.chdir(tmp_path)
    arguments = ["adapters", "train", str(recipe), "--from-clones", str(clones)]
    assert invoke(arguments) == 0, capsys.readouterr().err
    model = tmp_path / "wardround-runs" / "tests" / "seed-0" / "model"
    metadata = read_metadata(model)
    assert metadata.data is not None
    assert metadata.evaluation is not None
    assert metadata.data.repositories == ("acme/one",)
    assert metadata.evaluation.repositories == ("acme/two",)
    assert set(metadata.evaluation.models) == {"0", "1"}
    assert f"test-body: {metadata.state.value}: learnt from" in capsys.readouterr().out

    assert invoke(arguments) == 0
    assert read_metadata(model).model.sha256 == metadata.model.sha256


def test_missing_clones_are_named(tmp_path: Path, clones: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = recipe_in(tmp_path, tmp_path / "base.yml", "acme/three")
    assert invoke(["adapters", "train", str(recipe), "--from-clones", str(clones)]) == 2
    assert "no clone of acme/three; add them with their history" in capsys.readouterr().err
