"""``wardround adapters train``, ``merge``, ``export`` and ``quantise`` from outside."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("peft")

from tests.training import tiny
from wardround.cli import run
from wardround.inference.metadata import read_metadata


def test_a_recipe_becomes_a_model_step_by_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = tiny.base(tmp_path)
    recipe, out = str(tiny.recipe(tmp_path, described)), str(tmp_path / "out")
    assert run(["adapters", "train", recipe, "--out", out, "--seed", "3", "--only-train"]) == 0
    assert run(["adapters", "merge", out]) == 0
    assert run(["adapters", "export", out, "--with-optimum"]) == 0
    assert run(["adapters", "export", "--base", str(described), "--out", str(tmp_path / "base")]) == 0
    assert run(["adapters", "quantise", out, "--base", str(tmp_path / "base")]) == 0
    assert run(["adapters", "export", out, "--merged", "--int8", "--out", str(tmp_path / "alone")]) == 0
    said = capsys.readouterr().out
    assert "tiny: 6 steps" in said
    assert "optimum: largest difference" in said
    assert "4 tensors shared, state shadow" in said
    metadata = read_metadata(tmp_path / "out" / "model")
    assert (metadata.seed, len(metadata.parity)) == (3, 3)
    assert (tmp_path / "out" / "model" / "recipe.yml").read_text() == Path(recipe).read_text()
    assert (tmp_path / "alone" / "model.onnx").is_file()


def test_one_command_does_all_of_it(tmp_path: Path) -> None:
    recipe = tiny.recipe(tmp_path, tiny.base(tmp_path))
    assert run(["adapters", "train", str(recipe), "--out", str(tmp_path / "out")]) == 0
    assert read_metadata(tmp_path / "out" / "model").shared
    assert read_metadata(tmp_path / "out" / "base").name == "base"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["train", "none.yml"], 2, "none.yml: No such file or directory; give the file of a recipe"),
        (["merge", "none"], 2, "none: there is no finished training here; run `wardround adapters train`"),
        (["promote", "none"], 2, "none: there is no adapter.metadata.json there, and no model of this name"),
        (["export"], 2, "give either the folder of a training or a model, or --base NAME"),
        (["export", "none", "--merged"], 2, "give the folder to write to with --out DIR"),
        (["export", "--base", "none", "--out", "x"], 2, "base 'none': there is none of this name; there are"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(
    arguments: list[str],
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["adapters", *arguments]) == status
    assert capsys.readouterr().err.startswith(f"wardround: {said}")


def test_without_the_extra_the_line_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "peft" else found(name))
    assert run(["adapters", "merge", "x"]) == 2
    assert capsys.readouterr().err == "wardround: this needs peft; pip install 'wardround[train]'\n"
