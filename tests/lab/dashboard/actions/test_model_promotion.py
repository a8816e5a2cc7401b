"""Promotion from a page: the gates answer first and decide; what they refuse is not set."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.lab.dashboard.test_tab_pages import stores_of
from tests.lab.training.judged import SEEN, evaluated, good
from wardround.errors import ModelError, UsageError
from wardround.inference.locations import METADATA_FILE, package_folder
from wardround.inference.metadata import PromotionState, read_metadata, write_metadata
from wardround_lab.dashboard.actions import model_promotion
from wardround_lab.dashboard.actions.model_promotion import ask_gates, promote_model, promotion_command
from wardround_lab.dashboard.stores import Stores


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """Stores with the model of a run, which its evaluation permits to rank."""
    model = tmp_path / "runs/first/model"
    model.mkdir(parents=True)
    write_metadata(model, good())
    return stores_of(tmp_path)


def all_files_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_promotion.promote, "files_seen", lambda *arguments, **options: SEEN)


def test_the_gates_answer_without_writing_and_decide_after_the_confirmation(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_files_at_hand(monkeypatch)
    file = stores.training / "first/model" / METADATA_FILE
    before = file.read_bytes()
    answer = ask_gates(stores, "first", PromotionState.RANK)
    assert (answer.is_granted, answer.state, answer.reasons) == (True, "rank", ())
    assert file.read_bytes() == before
    assert promote_model(stores, "first", PromotionState.RANK) == answer
    assert read_metadata(file.parent).state is PromotionState.RANK
    assert promotion_command(stores, "first", PromotionState.RANK) == (
        "wardround adapters promote runs/first/model --to rank"
    )


def test_a_refusal_has_its_reasons_and_raises_nothing(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_files_at_hand(monkeypatch)
    model = stores.training / "first/model"
    write_metadata(model, replace(good(), evaluation=replace(evaluated(), leaks=2)))
    answer = ask_gates(stores, "first", PromotionState.REPORT)
    assert (answer.is_granted, answer.state) == (False, "shadow")
    assert answer.reasons[0].startswith("The split leaks: 2 repositories")
    assert promote_model(stores, "first", PromotionState.REPORT) == answer
    assert read_metadata(model).state is PromotionState.SHADOW


def test_without_the_files_of_the_training_there_is_no_decision(stores: Stores) -> None:
    for action in (ask_gates, promote_model):
        with pytest.raises(ModelError, match="no decision, the state stays"):
            action(stores, "first", PromotionState.RANK)


def test_a_model_outside_of_the_repository_is_read_only(stores: Stores) -> None:
    own = package_folder()
    assert own is not None
    before = (own / "new_parameters" / METADATA_FILE).read_bytes()
    with pytest.raises(UsageError, match="It is not a model of this repository"):
        promote_model(stores, "shipped: new_parameters", PromotionState.SHADOW)
    assert (own / "new_parameters" / METADATA_FILE).read_bytes() == before


def test_only_models_of_the_list_are_asked_about(stores: Stores, tmp_path: Path) -> None:
    shutil.copytree(stores.training / "first", tmp_path / "outside")
    for name in ("../outside", str(tmp_path / "outside"), "none", ""):
        with pytest.raises(UsageError, match="no model of these trainings or of wardround"):
            ask_gates(stores, name, PromotionState.RANK)
