"""Models that judge lines, from windows to a judged shadow, with tiny real bases."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft", "matplotlib")

from tests.lab.training import broken, tiny  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.errors import TrainingError  # noqa: E402
from wardround.inference.metadata import PromotionState, read_metadata  # noqa: E402
from wardround.training_tasks import LineDefect, Window  # noqa: E402
from wardround_lab.training.base_model import locate, read_base  # noqa: E402
from wardround_lab.training.encoder import load_tokenizer  # noqa: E402
from wardround_lab.training.line_defects.encoding import WindowEncoder, judged_lines  # noqa: E402
from wardround_lab.training.line_defects.loss import balanced_loss, focal_loss, labels_of  # noqa: E402
from wardround_lab.training.line_defects.recipe import PhasesPart  # noqa: E402
from wardround_lab.training.line_defects.sampling import BatchSampler, balance_pairs, growth, pairs_of  # noqa: E402
from wardround_lab.training.line_defects.train import read_line_run, train_lines  # noqa: E402
from wardround_lab.training.recipe_registry import kind_of  # noqa: E402
from wardround_lab.training.run_directory import read_steps  # noqa: E402

_TRAIN = """
import sys
from pathlib import Path
from wardround_lab.training.line_defects.train import train_lines
train_lines(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.base(tmp_path_factory.mktemp("base"))


def writer(described: Path, most: int = 60) -> WindowEncoder:
    base = read_base(str(described))
    tokenizer = load_tokenizer(locate(base), most, base.marker_position)
    return WindowEncoder(tokenizer, most, base.marker_position, ("operator", "constant"))


def window(marks: str, *lines: str, faults: tuple[LineDefect, ...] = ()) -> Window:
    return Window("own/r", 1, "f.py@1", "injected", "1", marks, lines, faults)


@pytest.mark.parametrize("architecture", tiny.ARCHITECTURES)
def test_from_windows_to_a_judged_shadow(
    tmp_path: Path, architecture: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = tiny.base(tmp_path, architecture)
    recipe = broken.recipe(tmp_path, described, steps=40 if architecture == "bert" else 8)
    out = tmp_path / "out"
    assert invoke(["adapters", "train", str(recipe), "--out", str(out)]) == 0
    metadata = read_metadata(out / "model")
    parity = {item.step: item for item in metadata.parity}
    assert list(parity) == ["merged", "onnx-fp32", "onnx-int8"]
    assert parity["onnx-fp32"].largest < 1e-4
    assert parity["onnx-int8"].correlation > 0.9
    assert metadata.kind == "lines"
    assert metadata.inputs[:2] == ("line", "off-by-one")

    assert invoke(["adapters", "evaluate", str(out), "--recipe", str(recipe), "--base", str(tmp_path)]) == 0
    evaluation = read_metadata(out / "model").evaluation
    assert evaluation is not None
    assert evaluation.items == 8
    assert set(evaluation.metrics) == {"cheap", "model", "size"}
    assert evaluation.metrics["size"]["pairwise, same size"].value == 0.5
    assert abs(evaluation.controls["placebo"].value) < 0.2
    if architecture == "bert":
        assert evaluation.metrics["model"]["pairwise, same size"].value > 0.7
    assert invoke(["adapters", "promote", str(out), "--base", str(tmp_path)]) == 1
    decided = read_metadata(out / "model")
    assert decided.state is PromotionState.SHADOW
    assert "It was evaluated on 8 items; 500 are needed." in decided.reasons
    card = (out / "model" / "card.md").read_text()
    assert "pairs of a real fix and its reversal, of equal size" in card
    assert "No review runs" not in capsys.readouterr().err


def test_a_resumed_training_reaches_the_same_weights(tmp_path: Path, described: Path) -> None:
    recipe = broken.recipe(tmp_path, described, steps=30, checkpoint=4, validate=5)
    complete = train_lines(recipe, tmp_path / "whole")
    killed = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", _TRAIN, recipe, killed])
    while process.poll() is None and not (
        (killed / "checkpoint.safetensors").exists() and len(list(read_steps(killed))) >= 9
    ):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert train_lines(recipe, killed).weights == complete.weights
    assert train_lines(recipe, killed) == read_line_run(killed)
    with pytest.raises(TrainingError, match="another recipe, seed or records"):
        train_lines(recipe, killed, seed=5)


def test_a_line_is_its_mark_its_depth_and_its_words(described: Path) -> None:
    wrong = (LineDefect(2, "constant"),)
    sheet = writer(described).sheet(window(" -+", "alpha", "    beta", "    gamma", faults=wrong))
    assert sheet is not None
    assert (sheet.lines, sheet.faulty, sheet.classes) == ((2,), (True,), (1,))
    longer = writer(described).sheet(window(" -+", "alpha", "    beta", "    gamma delta", faults=wrong))
    assert longer is not None
    assert longer.tokens[: longer.places[0] + 2] == sheet.tokens[: sheet.places[0] + 2]


def test_a_decoder_is_marked_at_the_end(tmp_path: Path) -> None:
    item = writer(tiny.base(tmp_path, "qwen2"))
    sheet = item.sheet(window("-+", "alpha", "beta"))
    assert sheet is not None
    assert sheet.places == (len(sheet.tokens) - 2,)  # the last is the text's own end


def test_lines_far_from_the_change_are_dropped_first(described: Path) -> None:
    lines = [f"alpha beta gamma {word}" for word in tiny.WORDS[:12]]
    sheet = writer(described, 40).sheet(window(" " * 3 + "-+" + " " * 7, *lines))
    assert sheet is not None
    assert len(sheet.tokens) <= 40
    assert sheet.lines == (4,)
    assert writer(described, 40).sheet(window("-" * 6 + "+" * 6, *lines)) is None


@pytest.mark.parametrize(("marks", "places"), [(" -+ ", [2]), ("--  ", [0]), ("+++ ", [0, 2]), ("    ", [])])
def test_added_lines_are_judged_or_else_the_first_removed_one(marks: str, places: list[int]) -> None:
    assert judged_lines(window(marks, "a", "" if marks[0] == "+" else "b", "c", "d")) == places


def test_longer_and_shorter_are_balanced(described: Path) -> None:
    created = []
    for number in range(9):
        longer = number < 6
        for bad in (True, False):
            removed, come = ("alpha", "alpha beta") if bad == longer else ("alpha beta", "alpha")
            faults = (LineDefect(1, "operator"),) if bad else ()
            created.append(Window("own/r", 1, "f@1", "injected", str(number), "-+", (removed, come), faults))
    pairs = pairs_of(writer(described).sheets(created))
    assert len(pairs) == 9
    retained = balance_pairs(pairs, 0)
    assert sorted(growth(bad.window) for bad, _ in retained) == [-1, -1, -1, 1, 1, 1]


def test_a_step_samples_the_same_after_a_restart(described: Path) -> None:
    pools = BatchSampler.of(writer(described).sheets(broken.windows()), 0)
    every = list(pools.batches(8, PhasesPart(), 20, 3, 0))
    assert every[11:] == list(pools.batches(8, PhasesPart(), 20, 3, 11))
    assert [batch.balanced for batch in every] == [True] * 12 + [False] * 8
    assert all(sum(any(sheet.faulty) for sheet in batch.sheets) == 4 for batch in every[:12])


def test_unknown_classes_are_masked(described: Path) -> None:
    known, unknown = (
        window(" -+", "alpha", "beta", "gamma", faults=(LineDefect(2, kind),)) for kind in ("constant", "")
    )
    expected, requested = labels_of(writer(described).sheets([known, unknown]), 2)
    assert expected.tolist() == [[1, 0, 1], [1, 0, 0]]
    assert requested.tolist() == [[1, 1, 1], [1, 0, 0]]


def test_well_classified_lines_have_little_weight() -> None:
    expected, requested = torch.tensor([[1.0], [0.0]]), torch.ones(2, 1)
    sure, unsure = torch.tensor([[3.0], [-3.0]]), torch.tensor([[3.0], [0.1]])
    assert focal_loss(unsure, expected, requested, 2.0) > balanced_loss(unsure, expected, requested)
    assert focal_loss(sure, expected, requested, 0.0) == pytest.approx(
        float(balanced_loss(sure, expected, requested))
    )


def test_a_recipe_of_an_unknown_kind_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "recipe.yml").write_text("kind: guess\nname: a\n")
    with pytest.raises(
        TrainingError, match="kind 'guess' is unknown; correct the recipe, kinds are chat, choice, lines"
    ):
        kind_of(tmp_path / "recipe.yml")


def test_a_window_rejects_invalid_values() -> None:
    for marks, faults in (
        ("+", ()),
        ("+x", ()),
        ("++", (LineDefect(2),)),
        ("++", (LineDefect(1), LineDefect(0))),
    ):
        with pytest.raises(ValueError, match=r"f\.py@1: "):
            window(marks, "a", "b", faults=faults)
    assert msgspec.json.decode(msgspec.json.encode(window("+ ", "a", "b")), type=Window).marks == "+ "
