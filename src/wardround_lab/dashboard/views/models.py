"""The models of the trainings and those that come with wardround: state, gates and card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround.inference import promotion_policy
from wardround.inference.locations import CARD_FILE, PLOT_FILES, package_folder
from wardround.inference.metadata import PromotionState
from wardround.inference.registry import ModelEntry, ModelRegistry
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.training_runs import run_folders
from wardround_lab.training.run_directory import MODEL_FOLDER

SHIPPED = "shipped: "
_STATES = (PromotionState.RANK, PromotionState.REPORT)


class ModelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A model.

    Attributes:
        name: in the list: ``shipped: NAME``, or the run directory of its training.
        refused: why it cannot be used; the other fields are then empty.
        measured: the deciding metric of the model with its interval; empty if it was not evaluated.
    """

    name: str
    model: str
    state: str
    specialist: str
    title: str
    measured: str
    refused: str = ""


class Gate(msgspec.Struct, frozen=True):
    """The verdict of the recorded evaluation on a state.

    Attributes:
        reasons: why it is not permitted, a sentence each; none if it is.
    """

    state: str
    reasons: tuple[str, ...]


class ModelView(msgspec.Struct, frozen=True, kw_only=True):
    """A model opened.

    Attributes:
        facts: (name, value).
        card: the card as Markdown; empty without one.
        plots: the files of its figures.
        read_only: why its state cannot be changed here; empty if it can.
    """

    row: ModelRow
    folder: Path
    facts: tuple[tuple[str, str], ...]
    gates: tuple[Gate, ...]
    card: str
    plots: tuple[Path, ...]
    read_only: str


def model_rows(stores: Stores) -> list[ModelRow]:
    """Return the models of the trainings, then the shipped ones, by name."""
    return [row for name, folder in _places(stores) for row in _rows(name, folder)]


def model_folder(stores: Stores, name: str) -> Path:
    """Return the folder of a model by its name in the list.

    Raises:
        UsageError: it is not in the list.
    """
    folder = dict(_places(stores)).get(name)
    if folder is None:
        raise UsageError(f"{name!r}: no model of these trainings or of wardround; choose one of the list")
    return folder


def read_only_reason(stores: Stores, folder: Path) -> str:
    """Return why the state of a model cannot be changed from a page; empty if it can."""
    if folder.resolve().is_relative_to(stores.repository.resolve()):
        return ""
    return "It is not a model of this repository; change it with `wardround adapters promote`."


def open_model(stores: Stores, name: str) -> ModelView:
    """Return a model with its gates and its card.

    Raises:
        UsageError: it is not in the list.
        ModelError: it cannot be used.
    """
    folder = model_folder(stores, name)
    entry = ModelEntry.of(folder)
    return ModelView(
        row=_row(name, entry),
        folder=folder,
        facts=tuple(_facts(entry)),
        gates=tuple(_gate(entry, state) for state in _STATES),
        card=_card(folder),
        plots=tuple(folder / plot for plot in PLOT_FILES if (folder / plot).is_file()),
        read_only=read_only_reason(stores, folder),
    )


def _places(stores: Stores) -> Iterator[tuple[str, Path]]:
    """Yield the name and the folder of each model, usable or not."""
    for run in run_folders(stores.training):
        yield from _model_at(run.relative_to(stores.training).as_posix(), run / MODEL_FOLDER)
    own = package_folder()
    for folder in [] if own is None else sorted(own.iterdir()):
        yield from _model_at(f"{SHIPPED}{folder.name}", folder)


def _model_at(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    registry = ModelRegistry.of([folder]) if folder.is_dir() else ModelRegistry((), ())
    if any(entry.folder == folder for entry in registry.found) or registry.refused:
        yield name, folder


def _rows(name: str, folder: Path) -> Iterator[ModelRow]:
    registry = ModelRegistry.of([folder])
    for entry in registry.found:
        yield _row(name, entry)
    for refused in registry.refused:
        yield ModelRow(
            name=name, model=refused.name, state="refused", specialist="", title="", measured="",
            refused=refused.reason,
        )  # fmt: skip


def _row(name: str, entry: ModelEntry) -> ModelRow:
    metadata = entry.metadata
    return ModelRow(
        name=name,
        model=metadata.name,
        state=metadata.state.value if entry.is_built else f"{metadata.state.value}, not built",
        specialist=metadata.specialist,
        title=metadata.title or metadata.task,
        measured=_deciding_figure(entry),
    )


def _deciding_figure(entry: ModelEntry) -> str:
    evaluation = entry.metadata.evaluation
    if evaluation is None or entry.metadata.kind not in promotion_policy.CRITERIA:
        return ""
    criteria = promotion_policy.CRITERIA[entry.metadata.kind]
    figure = evaluation.metrics.get(criteria.subject, {}).get(criteria.metric)
    return (
        ""
        if figure is None
        else f"{criteria.metric} {figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"
    )


def _facts(entry: ModelEntry) -> Iterator[tuple[str, str]]:
    metadata = entry.metadata
    evaluation = metadata.evaluation
    yield "Model", metadata.name
    yield "State", metadata.state.value
    if entry.overstated:
        yield "Counts as shadow", entry.overstated
    if not entry.is_built:
        yield "Not built", entry.build_command
    yield "Trained", f"{metadata.date}, seed {metadata.seed}, {metadata.seconds / 60:.1f} minutes"
    yield "Measured", _deciding_figure(entry) or "not yet: `wardround adapters evaluate`"
    if evaluation is not None:
        yield "Evaluated on", f"{evaluation.items:,} items of {len(evaluation.repositories)} repositories"
    yield "Weights", f"{metadata.model.bytes / 1e6:.1f} MB, SHA-256 {metadata.model.sha256[:12]}"


def _gate(entry: ModelEntry, state: PromotionState) -> Gate:
    decision = promotion_policy.allowed_state(entry.metadata, state)
    return Gate(state.value, () if decision.state is state else decision.reasons)


def _card(folder: Path) -> str:
    try:
        return (folder / CARD_FILE).read_text("utf-8", "replace")
    except OSError:
        return ""
