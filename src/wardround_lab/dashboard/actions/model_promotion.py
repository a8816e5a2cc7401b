"""Promote a model, as ``wardround adapters promote`` does: the gates decide."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround.inference.locations import RECIPE_FILE
from wardround.inference.metadata import PromotionState
from wardround_lab.dashboard.process_record import read_process
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.models import model_folder, read_only_reason
from wardround_lab.dashboard.views.recipes import recipe_named
from wardround_lab.training import promote, promotion_gates


class GateAnswer(msgspec.Struct, frozen=True):
    """The answer of the gates to the request for a state.

    Attributes:
        requested: the state of the request; ``state``: that of the model after the decision.
        reasons: why it is not higher, a sentence each.
    """

    model: str
    requested: str
    state: str
    reasons: tuple[str, ...]

    @property
    def is_granted(self) -> bool:
        return self.state == self.requested


def ask_gates(stores: Stores, name: str, state: PromotionState) -> GateAnswer:
    """Return the answer of the gates without writing anything.

    Raises:
        UsageError: the model is not in the list.
        ModelError: its files are unusable, or do not allow a decision.
    """
    model, seen = _inputs(stores, name)
    decided = promote.decide(model.folder, state, seen)
    return GateAnswer(decided.name, state.value, decided.state.value, decided.reasons)


def promote_model(stores: Stores, name: str, state: PromotionState) -> GateAnswer:
    """Set the state of a model if the gates grant it, and write the reasons otherwise.

    Raises:
        UsageError: the model is not in the list, or not of this repository.
        ModelError: the gates cannot decide, or the folder cannot be written; nothing is changed.
    """
    reason = read_only_reason(stores, model_folder(stores, name))
    if reason:
        raise UsageError(f"{name}: {reason}")
    model, seen = _inputs(stores, name)
    decided = promote.promote(model.folder, state, seen)
    return GateAnswer(decided.name, state.value, decided.state.value, decided.reasons)


def promotion_command(stores: Stores, name: str, state: PromotionState) -> str:
    """Return the command line for the same question.

    Raises:
        UsageError: the model is not in the list.
    """
    folder, root = model_folder(stores, name), stores.repository
    shown = folder.relative_to(root) if folder.is_relative_to(root) else folder
    words = ["wardround", "adapters", "promote", str(shown), "--to", state.value]
    recipe = _recipe(stores, folder)
    if recipe != folder / RECIPE_FILE:
        words += ["--recipe", str(recipe.relative_to(root) if recipe.is_relative_to(root) else recipe)]
    return shlex.join(words)


def _inputs(stores: Stores, name: str) -> tuple[promote.Model, promotion_gates.FileDigests]:
    model = promote.model_of(str(model_folder(stores, name)))
    recipe = _recipe(stores, model.folder)
    is_chat = model.metadata.kind == "chat"
    seen = promote.files_seen(
        model.folder,
        model.metadata,
        base=None if is_chat else promote.base_of(None),
        recipe=recipe,
        records=promote.records_of(recipe),
    )
    return model, seen


def _recipe(stores: Stores, folder: Path) -> Path:
    """Return the recipe that a run was started with, next to which its records are; else its copy."""
    process = read_process(folder.parent)
    if process is None:
        return folder / RECIPE_FILE
    try:
        return recipe_named(stores, process.request.recipe)
    except UsageError:
        return folder / RECIPE_FILE
