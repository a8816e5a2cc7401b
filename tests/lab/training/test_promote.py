from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.installed import require_installed

require_installed("numpy")

from tests.lab.training.judged import SEEN, digest, evaluated, good  # noqa: E402
from wardround.analyses.task_kinds import MODEL  # noqa: E402
from wardround.errors import ModelError, UsageError  # noqa: E402
from wardround.inference.metadata import HumanReview, PromotionState, read_metadata, write_metadata  # noqa: E402
from wardround_lab.training.dependencies import require_extra  # noqa: E402
from wardround_lab.training.model_card import card  # noqa: E402
from wardround_lab.training.promote import base_of, digest_of, files_seen, model_of, promote, users_of_model  # noqa: E402
from wardround_lab.training.promotion_gates import FileDigests  # noqa: E402

NOTHING = FileDigests(model=None, base=None, recipe=None, records=None)


def test_the_state_and_the_card_are_written_together(tmp_path: Path) -> None:
    write_metadata(tmp_path, good())
    decided = promote(tmp_path, PromotionState.RANK, SEEN)
    assert decided.state is PromotionState.RANK
    assert read_metadata(tmp_path) == decided
    assert (tmp_path / "card.md").read_text("utf-8") == card(decided)


def test_a_refusal_is_written_with_its_reasons(tmp_path: Path) -> None:
    leaking = msgspec.structs.replace(evaluated(), leaks=2)
    write_metadata(tmp_path, msgspec.structs.replace(good(), state=PromotionState.REPORT, evaluation=leaking))
    decided = promote(tmp_path, PromotionState.RANK, SEEN)
    assert decided.state is PromotionState.SHADOW
    assert decided.reasons[0].startswith("The split leaks: 2 repositories, groups or texts")
    assert read_metadata(tmp_path) == decided


def test_a_model_without_local_files_keeps_its_state(tmp_path: Path) -> None:
    for state in PromotionState:
        retained = write_metadata(tmp_path, msgspec.structs.replace(good(), state=state))
        with pytest.raises(ModelError, match=f"stays {state.value}: the model file is not at hand"):
            promote(tmp_path, PromotionState.RANK, NOTHING)
        assert read_metadata(tmp_path) == retained
        assert not (tmp_path / "card.md").exists()
    assert promote(tmp_path, PromotionState.SHADOW, NOTHING).state is PromotionState.SHADOW


def test_a_refused_report_does_not_raise_the_state(tmp_path: Path) -> None:
    unread = msgspec.structs.replace(evaluated(), read=None)
    for before, after in (
        (PromotionState.SHADOW, PromotionState.SHADOW),
        (PromotionState.RANK, PromotionState.RANK),
        (PromotionState.REPORT, PromotionState.RANK),
    ):
        write_metadata(tmp_path, msgspec.structs.replace(good(), state=before, evaluation=unread))
        assert promote(tmp_path, PromotionState.REPORT, SEEN).state is after


def test_judged_findings_are_recorded(tmp_path: Path) -> None:
    write_metadata(
        tmp_path, msgspec.structs.replace(good(), evaluation=msgspec.structs.replace(evaluated(), read=None))
    )
    read = HumanReview(items=60, right=50, note="two readers")
    assert promote(tmp_path, PromotionState.REPORT, SEEN, read).state is PromotionState.REPORT
    assert promote(tmp_path, PromotionState.REPORT, SEEN).evaluation.read == read  # type: ignore[union-attr]


def test_digests_are_of_the_local_files(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "model.onnx").write_bytes(b"model")
    (tmp_path / "recipe.yml").write_bytes(b"recipe")
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(name.encode())
    write_metadata(tmp_path / "base", good())
    seen = files_seen(
        tmp_path, good(), base=tmp_path / "base", recipe=tmp_path / "recipe.yml", records=[tmp_path / "one"]
    )
    assert seen == FileDigests(
        model=digest("model"), base=digest("base"), recipe=digest("recipe"), records=digest("one")
    )
    both = [tmp_path / "one", tmp_path / "two"]
    seen = files_seen(tmp_path, good(), base=None, recipe=None, records=both)
    assert seen.records == digest(digest("one") + digest("two"))
    assert (seen.base, seen.recipe) == (None, None)
    assert (
        files_seen(tmp_path, good(), base=None, recipe=None, records=[*both, tmp_path / "no"]).records is None
    )
    assert digest_of(tmp_path / "no") is None


def test_a_model_is_found_by_folder_or_training(tmp_path: Path) -> None:
    (tmp_path / "run/model").mkdir(parents=True)
    retained = write_metadata(tmp_path / "run/model", good())
    assert model_of(str(tmp_path / "run")).folder == tmp_path / "run/model"
    assert model_of(str(tmp_path / "run/model")).metadata == retained
    assert base_of(tmp_path) == tmp_path
    with pytest.raises(
        ModelError, match=r"nowhere: no directory with adapter\.metadata\.json and no known model"
    ):
        model_of("nowhere")


def test_metadata_of_another_shape_is_named(tmp_path: Path) -> None:
    (tmp_path / "adapter.metadata.json").write_text('{"schema": "other"}')
    with pytest.raises(ModelError, match=r"adapter\.metadata\.json: "):
        model_of(str(tmp_path))


def test_the_gates_do_not_import_numpy() -> None:
    blocked = (
        "import sys\n"
        "for name in ('numpy', 'onnxruntime', 'matplotlib', 'torch'): sys.modules[name] = None\n"
        "from wardround.cli.adapters import card, promote\n"
        "from wardround_lab.training import model_card, promotion_gates, promote\n"
    )
    subprocess.run([sys.executable, "-c", blocked], check=True, timeout=120)


def test_missing_dependencies_are_named() -> None:
    with pytest.raises(UsageError, match=r"this needs not_there; pip install 'wardround\[train\]'"):
        require_extra(("sys", "not_there"))


def test_users_of_a_model_are_specialists_and_analyses() -> None:
    assert users_of_model(msgspec.structs.replace(good(), name=MODEL)) == ["the analysis task_kinds"]
    assert users_of_model(msgspec.structs.replace(good(), name="new-parameters")) == ["python"]
    assert users_of_model(good()) == []
