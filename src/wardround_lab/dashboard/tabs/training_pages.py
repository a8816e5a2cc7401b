"""The pages of the trainings: the machine, recipes, runs and models; one run; one model."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from wardround_lab.dashboard import charts, markup
from wardround_lab.dashboard.charts import Line
from wardround_lab.dashboard.markup import Cell, Column, Link, Table
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.models import Gate, ModelRow, ModelView, model_rows, open_model
from wardround_lab.dashboard.views.recipes import RecipeRow
from wardround_lab.dashboard.views.training_environment import EnvironmentRow, environment_rows
from wardround_lab.dashboard.views.training_runs import (
    Curve,
    TrainingRow,
    curves,
    log_lines,
    run_named,
    training_row,
    training_rows,
)

TAB = "training"
_ENVIRONMENT = (Column("Part"), Column("State", "tag"), Column("What was found"))
_RECIPES = (
    Column("Recipe"),
    Column("Kind"),
    Column("Steps", "number"),
    Column("Purpose"),
    Column("Before a training"),
)
_RUNS = (
    Column("Run"),
    Column("State", "tag"),
    Column("Since (UTC)", "time"),
    Column("Steps", "number"),
    Column("Why"),
)
_MODELS = (
    Column("Model"),
    Column("State", "tag"),
    Column("Specialist"),
    Column("Purpose"),
    Column("Measured"),
)
_ALL = Link("All trainings and models", {"tab": TAB})
_SEED_WAYS = "shadow: only logged. rank: orders results. report: makes findings."


def runs_page(stores: Stores) -> Markup:
    """Return the runs, or what to do if there are none."""
    rows = training_rows(stores.training)
    if not rows:
        return markup.hint(
            f"There is no training in {stores.training} yet. Start one below, or in a terminal:",
            "wardround adapters train RECIPE --out runs/NAME",
        )
    return markup.section("Trainings", markup.table(Table("", _RUNS, [_run_row(row) for row in rows])))


def lists(stores: Stores, recipes: Sequence[RecipeRow]) -> Markup:
    """Return the recipes, the models and the machine."""
    return markup.join(
        markup.section("Recipes", _recipes(recipes)),
        markup.section("Models", _models(model_rows(stores))),
        markup.section("This machine", environment_table(environment_rows(stores.training))),
    )


def environment_table(rows: Sequence[EnvironmentRow]) -> Markup:
    """Return the parts of the machine."""
    return markup.table(Table("", _ENVIRONMENT, [(row.part, row.verdict, row.detail) for row in rows]))


def _run_row(row: TrainingRow) -> Sequence[Cell]:
    link = Link(row.name, {"tab": TAB, "run": row.name})
    steps = None if row.state.name == "running" else _steps(row)
    return (link, row.state.name, row.since, steps, row.state.reason)


def _recipes(rows: Sequence[RecipeRow]) -> Markup:
    found = [
        (row.name, row.kind, row.steps, row.title or row.model, row.trouble or "ready to be trained")
        for row in rows
    ]
    return markup.table(
        Table("Recipes of the repository, and those that come with wardround", _RECIPES, found)
    )


def _models(rows: Sequence[ModelRow]) -> Markup:
    return markup.table(Table("", _MODELS, [_model_row(row) for row in rows]))


def _model_row(row: ModelRow) -> Sequence[Cell]:
    link = Link(row.name, {"tab": TAB, "model": row.name})
    return (link, row.state, row.specialist, row.refused or row.title, row.measured)


# --- a run


def run_page(stores: Stores, name: str) -> Markup:
    """Return a run: its state and its curves.

    Raises:
        UsageError: there is none of this name.
    """
    folder = run_named(stores.training, name)
    row = training_row(stores.training, folder)
    return markup.join(
        markup.actions(_ALL),
        markup.section(name, markup.facts(_run_facts(row)), _curves(folder)),
    )


def log_page(stores: Stores, name: str) -> Markup:
    """Return the end of the log of a run; nothing if there is none.

    Raises:
        UsageError: the name is not that of a run.
    """
    log = log_lines(run_named(stores.training, name)) if name else []
    return markup.section("Log", markup.code("\n".join(log))) if log else Markup("")


def _run_facts(row: TrainingRow) -> list[tuple[str, Cell]]:
    facts: list[tuple[str, Cell]] = [
        ("State", markup.tag(row.state.name)),
        ("Why", row.state.reason),
        ("Steps", _steps(row)),
        ("Minutes", f"{row.seconds / 60:.1f}"),
    ]
    if row.loss is not None:
        facts.append(("Loss of the last step", f"{row.loss:.4f}"))
    if row.metric is not None:
        facts.append(("Best validation metric", f"{row.metric:.4f}"))
    return facts


def _steps(row: TrainingRow) -> str:
    return f"{row.steps:,}" if row.planned is None else f"{row.steps:,} of {row.planned:,}"


def _curves(folder: Path) -> Markup:
    drawn = [_curve(curve, number) for number, curve in enumerate(curves(folder), 1)]
    return markup.columns(*drawn) if drawn else markup.note("No step is recorded yet.")


def _curve(curve: Curve, colour: int) -> Markup:
    line = Line(curve.label, [x for x, _ in curve.points], [y for _, y in curve.points], colour=colour)
    return charts.lines(curve.label.capitalize(), "steps", curve.unit, [line])


# --- a model


def model_page(stores: Stores, name: str) -> Markup:
    """Return a model: its facts, its gates and its plots.

    Raises:
        UsageError: it is not in the list, or cannot be used.
    """
    found = open_model(stores, name)
    gates = [markup.section(f"Gate: {gate.state}", _gate(gate)) for gate in found.gates]
    return markup.join(
        markup.actions(_ALL),
        markup.section(
            found.row.title or found.row.model, markup.facts(found.facts), markup.note(_SEED_WAYS)
        ),
        markup.columns(*gates),
        _plots(found),
    )


def _gate(gate: Gate) -> Markup:
    if not gate.reasons:
        return markup.note(f"Its recorded evaluation permits {gate.state}.")
    return markup.items(gate.reasons)


def _plots(found: ModelView) -> Markup:
    plots = [(plot.stem.replace("-", " "), _inline(plot)) for plot in found.plots]
    return markup.section("Plots", markup.render("plots.html", plots=plots)) if plots else Markup("")


def _inline(plot: Path) -> str:
    """Return an image as an address; in an image of a page no script runs."""
    return f"data:image/svg+xml;base64,{base64.b64encode(plot.read_bytes()).decode()}"
