"""Training on small real models: its results, its reproducibility, and its errors."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft")

from tests.lab.training import tiny  # noqa: E402
from wardround.errors import TrainingError  # noqa: E402
from wardround_lab.training.base_model import locate, read_base  # noqa: E402
from wardround_lab.training.recipe import read_recipe  # noqa: E402
from wardround_lab.training.run_directory import read_run, read_steps  # noqa: E402
from wardround_lab.training.train import train  # noqa: E402
from wardround_lab.training.trainer import schedule  # noqa: E402

WEIGHTS = "lora/adapter_model.safetensors"
_TRAIN = """
import sys
from pathlib import Path
from wardround_lab.training.train import train
train(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.base(tmp_path_factory.mktemp("base"))


def test_it_learns_what_the_choices_show(tmp_path: Path, described: Path) -> None:
    recipe = tiny.recipe(tmp_path, described, steps=40, rate=0.01, validate=10)
    run = train(recipe, tmp_path / "run")
    steps = list(read_steps(tmp_path / "run"))
    assert [step.step for step in steps] == list(range(1, 41))
    assert sum(step.loss for step in steps[-5:]) < 0.7 * sum(step.loss for step in steps[:5])
    assert [step.step for step in steps if step.mrr is not None] == [10, 20, 30, 40]
    assert run.best == max(step.mrr for step in steps if step.mrr is not None)
    assert run.ended == "steps"
    assert run.data.audit.startswith("passed")
    assert run.data.repositories == ("own/r0", "own/r1")


def test_the_same_seed_gives_the_same_weights_and_another_one_others(tmp_path: Path, described: Path) -> None:
    recipe = tiny.recipe(tmp_path, described)
    runs = [train(recipe, tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    assert runs[0].weights == runs[1].weights != runs[2].weights
    assert [run.seed for run in runs] == [1, 1, 2]


def test_a_resumed_training_reaches_the_same_weights(tmp_path: Path, described: Path) -> None:
    recipe = tiny.recipe(tmp_path, described, steps=60, checkpoint=5, validate=7)
    complete = train(recipe, tmp_path / "whole")
    killed = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", _TRAIN, recipe, killed])
    while process.poll() is None and not _far_enough(killed, 12):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (killed / "checkpoint.safetensors").is_file()
    assert not (killed / "run.json").exists()
    run = train(recipe, killed)
    assert run.weights == complete.weights
    assert (killed / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
    assert [step.step for step in read_steps(killed)] == list(range(1, 61))


def _far_enough(folder: Path, steps: int) -> bool:
    return (folder / "checkpoint.safetensors").exists() and len(list(read_steps(folder))) >= steps


def test_it_does_not_matter_what_is_cached(tmp_path: Path, described: Path) -> None:
    losses = []
    for cache in (0, 64):
        recipe = tiny.recipe(tmp_path, described, cache=cache)
        train(recipe, tmp_path / f"run{cache}")
        losses.append([step.loss for step in read_steps(tmp_path / f"run{cache}")])
    assert losses[0] == pytest.approx(losses[1], abs=2e-3)


def test_at_the_time_limit_the_current_weights_are_used(tmp_path: Path, described: Path) -> None:
    recipe = tiny.recipe(tmp_path, described, steps=100_000, max_minutes=0.02, cache=0)
    recipe.write_text(recipe.read_text().replace("max_minutes", "max-minutes"))
    run = train(recipe, tmp_path / "run")
    assert run.ended == "minutes"
    assert 0 < run.steps < 100_000
    assert read_run(tmp_path / "run") == run


def test_a_finished_training_is_not_repeated(tmp_path: Path, described: Path) -> None:
    recipe = tiny.recipe(tmp_path, described)
    first = train(recipe, tmp_path / "run")
    assert train(recipe, tmp_path / "run") == first
    with pytest.raises(TrainingError, match="another recipe, seed or records"):
        train(recipe, tmp_path / "run", seed=9)


def test_a_base_of_another_digest_is_rejected(tmp_path: Path) -> None:
    described = tiny.base(tmp_path, digest="0" * 64)
    with pytest.raises(TrainingError, match=r"its digest is [0-9a-f]{12}…, but tiny/bert has 000000000000…"):
        locate(read_base(str(described)))


def test_a_missing_base_is_reported_with_how_to_get_it(tmp_path: Path) -> None:
    described = tiny.base(tmp_path, folder="elsewhere", package="no_such_package/model")
    with pytest.raises(
        TrainingError, match=r"pip install no-such-package, or pass its directory .* or .* --hub"
    ):
        locate(read_base(str(described)))


def test_records_that_failed_their_audit_stop_it(tmp_path: Path, described: Path) -> None:
    tiny.records(tmp_path, tiny.choices(), passed=False, held=("own/r3",))
    with pytest.raises(TrainingError, match="failed its audit"):
        train(tiny.recipe(tmp_path, described), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_records_changed_after_their_audit_stop_it(tmp_path: Path, described: Path) -> None:
    recipe = tiny.recipe(tmp_path, described)
    with (tmp_path / "records.jsonl").open("ab") as file:
        file.write(b"\n")
    with pytest.raises(TrainingError, match="changed after its audit"):
        train(recipe, tmp_path / "run")


def test_an_audit_of_another_split_stops_it(tmp_path: Path, described: Path) -> None:
    tiny.records(tmp_path, tiny.choices(), held=("own/r2",))
    with pytest.raises(TrainingError, match=r"its audit has own/r3 on the training side.* --hold-out own/r3"):
        train(tiny.recipe(tmp_path, described), tmp_path / "run")


@pytest.mark.parametrize(
    ("lora", "message"),
    [
        ({"layers": [7]}, "7 is not a layer of the base, which has 0 to 3"),
        ({"targets": ["qqq"]}, "ends in 'qqq'"),
    ],
)
def test_layers_the_base_lacks_are_rejected(
    tmp_path: Path, described: Path, lora: dict[str, object], message: str
) -> None:
    import yaml

    recipe = tiny.recipe(tmp_path, described)
    recipe.write_text(yaml.safe_dump(yaml.safe_load(recipe.read_text()) | {"lora": lora}))
    with pytest.raises(TrainingError, match=message):
        train(recipe, tmp_path / "run")


def test_four_bits_need_bitsandbytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "bitsandbytes" else found(name)
    )
    described = tiny.base(tmp_path, **{"four-bit": True})
    with pytest.raises(TrainingError, match=r"tiny/bert: .* pip install 'wardround\[qlora\]'"):
        train(tiny.recipe(tmp_path, described), tmp_path / "run")


def test_four_bits_are_for_weights_that_can_be_merged_one_by_one(tmp_path: Path) -> None:
    described = tiny.base(tmp_path, weights="pytorch_model.bin", **{"four-bit": True})
    with pytest.raises(
        TrainingError, match=r"four-bit requires safetensors weights, not 'pytorch_model\.bin'"
    ):
        read_base(str(described))


def test_the_rate_rises_and_falls() -> None:
    rates = [schedule(step, 10, 0.2) for step in range(10)]
    assert rates[:2] == [0.5, 1.0]
    assert rates[2:] == sorted(rates[2:], reverse=True)
    assert 0 < rates[-1] < 0.2


def test_a_recipe_names_its_unknown_key(tmp_path: Path, described: Path) -> None:
    recipe = tiny.recipe(tmp_path, described, patience=3)
    with pytest.raises(
        TrainingError, match=r"recipe\.yml: it contains unknown field `patience` - at `training`"
    ):
        read_recipe(recipe)
