"""``wardround adapters train``, ``merge``, ``export`` and ``quantise`` from outside."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import msgspec
import pytest

from tests.installed import require_installed

require_installed("torch", "peft")

from tests.lab.training import tiny  # noqa: E402
from tests.lab.training.judged import good  # noqa: E402
from wardround.cli.adapters.train import _advice  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.inference.locations import METADATA_FILE, package_folder  # noqa: E402
from wardround.inference.metadata import PromotionState, read_metadata  # noqa: E402
from wardround_lab.training.repository_adapter import TrainingOutcome  # noqa: E402

# The wheel leaves out the metadata of models that are not built.
ADAPTERS = Path(__file__).parents[3] / "adapters" / "wardround_adapters"


def test_a_recipe_becomes_a_model_step_by_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = tiny.base(tmp_path)
    recipe, out = str(tiny.recipe(tmp_path, described)), str(tmp_path / "out")
    assert invoke(["adapters", "train", recipe, "--out", out, "--seed", "3", "--only-train"]) == 0
    assert invoke(["adapters", "merge", out]) == 0
    assert invoke(["adapters", "export", out, "--with-optimum"]) == 0
    assert invoke(["adapters", "export", "--base", str(described), "--out", str(tmp_path / "base")]) == 0
    assert invoke(["adapters", "quantise", out, "--base", str(tmp_path / "base")]) == 0
    assert invoke(["adapters", "export", out, "--merged", "--int8", "--out", str(tmp_path / "alone")]) == 0
    reported = capsys.readouterr().out
    assert "tiny: 6 steps" in reported
    assert "optimum: largest difference" in reported
    assert "4 tensors shared, state shadow" in reported
    metadata = read_metadata(tmp_path / "out" / "model")
    assert (metadata.seed, len(metadata.parity)) == (3, 3)
    assert (tmp_path / "out" / "model" / "recipe.yml").read_text() == Path(recipe).read_text()
    assert (tmp_path / "alone" / "model.onnx").is_file()


def test_one_command_runs_every_stage(tmp_path: Path) -> None:
    recipe = tiny.recipe(tmp_path, tiny.base(tmp_path))
    assert invoke(["adapters", "train", str(recipe), "--out", str(tmp_path / "out")]) == 0
    assert read_metadata(tmp_path / "out" / "model").shared
    assert read_metadata(tmp_path / "out" / "base").name == "base"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["train", "none.yml"], 2, "none.yml: it is neither the file of a recipe nor a model with one: "),
        (["merge", "none"], 2, "none: there is no finished training here; run `wardround adapters train`"),
        (["promote", "none"], 2, "none: no directory with adapter.metadata.json and no known model"),
        (["export"], 2, "give either the folder of a training or a model, or --base NAME"),
        (["export", "none", "--merged"], 2, "give the folder to write to with --out DIR"),
        (["export", "none", "--int8"], 2, "--int8 requires --merged; a training is exported in float32;"),
        (["export", "none", "--fp32"], 2, "--fp32 requires --merged; a training is exported in float32;"),
        (["export", "--base", "minilm", "--fp32", "--out", "x"], 2, "--fp32 requires --merged; a base is"),
        (["export", "--base", "minilm", "--merged", "--out", "x"], 2, "--merged requires the folder of an"),
        (["export", "none", "--merged", "--with-optimum", "--out", "x"], 2, "--with-optimum compares the"),
        (["export", "--base", "minilm", "--with-optimum", "--out", "x"], 2, "--with-optimum compares the"),
        (["export", "none", "--out", "x"], 2, "--out requires --merged or --base; the graph of a training"),
        (["export", "none", "--hub"], 2, "--hub requires --base; name the files of the base with --base-f"),
        (["export", "--base", "none", "--out", "x"], 2, "base 'none': unknown base; choose one of"),
    ],
)  # fmt: skip
def test_an_error_is_one_sentence(
    arguments: list[str],
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["adapters", *arguments]) == status
    assert capsys.readouterr().err.startswith(f"wardround: {said}")


def test_a_bundled_model_is_found_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for step, way in (("merge", "--out DIR"), ("export", "--merged --out DIR")):
        assert invoke(["adapters", step, "secrets"]) == 2
        reported = capsys.readouterr().err
        assert reported.endswith(f"secrets is a finished model, which is read-only; set {way}\n")


def test_a_model_that_is_not_built_has_the_command_that_builds_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(ADAPTERS / "tests")
    assert invoke(["adapters", "export", folder, "--merged", "--out", str(tmp_path / "out")]) == 2
    reported = capsys.readouterr().err
    assert "this model is not built; run `wardround adapters train " in reported
    assert reported.endswith("tests/recipe.yml --from-clones DIR`\n")


def test_a_base_has_no_card(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--check"], []):
        assert invoke(["adapters", "card", "base", *arguments]) == 0
        assert "base: a base as it was published; it was not trained here" in capsys.readouterr().out


def test_bundled_cards_match_their_metadata(
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = package_folder()
    assert own is not None
    names = [str(file.parent) for file in sorted(own.rglob(METADATA_FILE))]
    assert invoke(["adapters", "card", "--check", *names]) == 0, capsys.readouterr().out
    assert invoke(["adapters", "verify"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("asked", [False, True])
def test_the_use_of_an_own_model_is_printed(asked: bool, tmp_path: Path) -> None:
    metadata = msgspec.structs.replace(
        good(), name="secrets" if asked else "tests", state=PromotionState.RANK
    )
    outcome = TrainingOutcome("concepts", metadata, (), tmp_path / "runs/seed-0/model")
    reported = "\n".join(_advice([outcome], tmp_path))
    assert (f"wardround adapters export {tmp_path}/runs/seed-0 --merged --out DIR" in reported) is not asked
    assert ("No review and no command asks tests" in reported) is not asked
    assert ("model-folders = [" in reported) is asked


def test_without_the_extra_the_line_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "peft" else found(name))
    assert invoke(["adapters", "merge", "x"]) == 2
    assert capsys.readouterr().err == "wardround: this needs peft; pip install 'wardround[train]'\n"
