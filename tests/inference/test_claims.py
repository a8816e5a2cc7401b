"""The state of a model depends on its measured metadata, not on a state that somebody wrote into it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.inference.making import file_of, flip, make_base, make_table, renew
from wardround.errors import ModelError
from wardround.inference.locations import METADATA_FILE
from wardround.inference.metadata import ModelSource, PromotionState, read_metadata, write_metadata
from wardround.inference.model_session import ModelSession
from wardround.inference.promotion_policy import allowed_state
from wardround.inference.registry import ModelRegistry
from wardround.inference.runtime import CPU, Runtime
from wardround.inference.verify import verify

if TYPE_CHECKING:
    from tests.conftest import GitRepository

LORA = "adapter_model.safetensors"


def by_hand(folder: Path, **changes: Any) -> None:
    """Edit the metadata as somebody does with an editor."""
    file = folder / METADATA_FILE
    known = json.loads(file.read_bytes())
    file.write_text(json.dumps(known | changes, indent=2))


def troubles(folder: Path) -> dict[str, tuple[str, ...]]:
    return {item.name: item.troubles for item in verify(ModelRegistry.of([folder]))}


class TestState:
    @pytest.fixture
    def unread(self, tmp_path: Path) -> Path:
        """A table that may rank, and not report, since nobody judged its results."""
        folder = make_table(tmp_path / "table", state=PromotionState.RANK)
        evaluation = read_metadata(folder).evaluation
        assert evaluation is not None
        renew(folder, evaluation=msgspec.structs.replace(evaluation, read=None))
        return folder

    def test_one_raised_manually_is_wrong_and_counts_as_shadow(self, unread: Path) -> None:
        assert troubles(unread)["table"] == ()
        by_hand(unread, state="report")
        (reported,) = troubles(unread)["table"]
        assert (
            "its metadata says report, which its recorded evaluation does not permit (Nobody read its"
            in reported
        )
        assert ModelRegistry.of([unread]).get("table").metadata.state is PromotionState.SHADOW

    def test_one_that_was_never_measured_may_do_nothing(self, tmp_path: Path) -> None:
        folder = make_table(tmp_path / "table", evaluation=None)
        assert "It was not evaluated" in troubles(folder)["table"][0]

    def test_reasons_against_it_speak_against_it(self, tmp_path: Path) -> None:
        folder = make_table(tmp_path / "table", reasons=("10 findings were read; 50 are needed.",))
        assert "10 findings were read" in troubles(folder)["table"][0]

    def test_it_is_not_lent_and_the_review_is_reported(self, unread: Path) -> None:
        by_hand(unread, state="report")
        shelf = ModelRegistry.of([unread])
        models = ModelSession(lambda: shelf, lambda: Runtime("onnxruntime", "0", CPU))
        assert models.scope(["table"], 8).table("table") is None
        assert models.errors(["table"]) == {}
        (reported,) = models.overstatements(["table"])
        assert reported.startswith("model table counts as shadow: its metadata says report, which")

    def test_the_list_reports_so_too(self, repo: GitRepository, unread: Path) -> None:
        by_hand(unread, state="report")
        lines = repo.wardround("adapters", "list", unread).stdout.splitlines()
        assert lines[0].split()[:2] == ["table", "shadow"]
        assert "counts as shadow: its metadata says report" in lines[1]

    def test_what_earned_it_keeps_it(self, shelf_folder: Path) -> None:
        states = {item.name: item.metadata.state for item in ModelRegistry.of([shelf_folder]).found}
        assert states == {
            "base": PromotionState.SHADOW,
            "adapter": PromotionState.RANK,
            "table": PromotionState.REPORT,
        }
        assert [allowed_state(read_metadata(shelf_folder / name)).state for name in ("adapter", "table")] == [
            PromotionState.RANK, PromotionState.REPORT,
        ]  # fmt: skip

    def test_asking_again_takes_nothing_that_a_hook_does_not_have(self) -> None:
        blocked = (
            "import sys\n"
            "for name in ('numpy', 'onnxruntime', 'tokenizers', 'torch'): sys.modules[name] = None\n"
            "from wardround.inference import promotion_policy, registry\n"
            "assert not [name for name in sys.modules if name.startswith('wardround_lab.training')]\n"
        )
        subprocess.run([sys.executable, "-c", blocked], check=True, timeout=120)


class TestSettings:
    CHANGES: dict[str, Any] = {
        "window": 9,
        "inputs": ["age", "length", "overlap"],
        "fusion": None,
        "thresholds": {"report": 0.1},
        "scope": "me/mine",
        "calibration": {"method": "none"},
    }

    @pytest.mark.parametrize("key", list(CHANGES))
    def test_those_changed_manually_are_rejected(self, shelf_folder: Path, key: str) -> None:
        folder = shelf_folder / ("adapter" if key in ("window", "fusion") else "table")
        by_hand(folder, **{key: self.CHANGES[key]})
        with pytest.raises(ModelError, match="were changed after it was written"):
            read_metadata(folder)
        assert "were changed after it was written" in troubles(shelf_folder)[folder.name][0]

    def test_without_a_digest_they_are_read_and_named(self, shelf_folder: Path) -> None:
        by_hand(shelf_folder / "adapter", settings="", window=9)
        assert read_metadata(shelf_folder / "adapter").window == 9
        assert "no digest of the settings" in troubles(shelf_folder)["adapter"][0]

    def test_a_title_is_none(self, shelf_folder: Path) -> None:
        by_hand(shelf_folder / "adapter", title="another")
        assert troubles(shelf_folder)["adapter"] == ()


def _swap(folder: Path) -> None:
    (folder / LORA).write_bytes((folder / "model.onnx").read_bytes())


def _zip(folder: Path) -> None:
    (folder / LORA).write_bytes(b"PK\x03\x04")


class TestFilesBeside:
    @pytest.fixture
    def adapter(self, shelf_folder: Path) -> Path:
        """An adapter with the weights it was made of and the recipe."""
        folder = shelf_folder / "adapter"
        (folder / LORA).write_bytes(b"weights")
        (folder / "adapter_config.json").write_bytes(b"{}")
        (folder / "recipe.yml").write_bytes(b"name: adapter\n")
        data = read_metadata(folder).data
        assert data is not None
        files = tuple(file_of(folder, name) for name in (LORA, "adapter_config.json"))
        recipe = file_of(folder, "recipe.yml").sha256
        renew(folder, files=files, data=msgspec.structs.replace(data, recipe=recipe))
        return folder

    def test_they_are_compared(self, adapter: Path) -> None:
        assert troubles(adapter.parent)["adapter"] == ()

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda folder: flip(folder / LORA), f"{LORA} is not the file its metadata describes"),
            (_swap, f"{LORA} has "),
            (_zip, f"{LORA} has "),
            (lambda folder: (folder / LORA).unlink(), f"{LORA}: No such file"),
            (lambda folder: flip(folder / "adapter_config.json"), "adapter_config.json is not the file"),
            (lambda folder: flip(folder / "recipe.yml", 0), "recipe.yml is not the recipe its metadata"),
        ],
    )
    def test_another_is_wrong(self, adapter: Path, change: Callable[[Path], None], said: str) -> None:
        change(adapter)
        (trouble,) = troubles(adapter.parent)["adapter"]
        assert said in trouble

    def test_so_is_one_without_a_digest(self, adapter: Path) -> None:
        by_hand(adapter, files=[])
        assert f"{LORA} has no digest in {METADATA_FILE}" in troubles(adapter.parent)["adapter"][0]

    def test_no_other_file_is_made_a_part(self, adapter: Path) -> None:
        (adapter / "run.pkl").write_bytes(b"")
        write_metadata(
            adapter, msgspec.structs.replace(read_metadata(adapter), files=(file_of(adapter, "run.pkl"),))
        )
        assert "run.pkl is not a file of a model" in troubles(adapter.parent)["adapter"][0]

    def test_foreign_files_are_named_and_no_trouble(self, repo: GitRepository, adapter: Path) -> None:
        (adapter / "notes.txt").write_bytes(b"")
        (adapter / "card.md").write_bytes(b"")
        done = repo.wardround("adapters", "verify", adapter.parent)
        assert done.returncode == 0
        assert [line.strip() for line in done.stdout.splitlines() if line.startswith(" ")] == [
            f"{adapter / 'notes.txt'} is not part of the model"
        ]


class TestWhatIsNoModel:
    def test_a_folder_without_one_is_reported(self, repo: GitRepository, tmp_path: Path) -> None:
        (tmp_path / "merged").mkdir()
        (tmp_path / "merged" / "model.safetensors").write_bytes(b"")
        done = repo.wardround("adapters", "verify", tmp_path / "merged")
        assert done.returncode == 1
        assert f"merged: no model of wardround's, nor one it exported: no {METADATA_FILE}" in done.stdout

    def test_an_exported_one_is_checked(self, tmp_path: Path) -> None:
        folder = make_base(tmp_path / "exported")
        known = read_metadata(folder)
        write_metadata(
            folder, msgspec.structs.replace(known, source=ModelSource(name="base", weights="0" * 64))
        )
        assert "does not truncate texts at the model's window of 12 tokens" in troubles(folder)["base"][0]
        tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
        tokenizer["truncation"] = {
            "max_length": 12, "strategy": "LongestFirst", "stride": 0, "direction": "Right"
        }  # fmt: skip
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
        known = read_metadata(folder)
        write_metadata(folder, msgspec.structs.replace(known, tokenizer=file_of(folder, "tokenizer.json")))
        assert troubles(folder)["base"] == ()
