"""The tab of trainings: the machine, recipes, runs with their curves, and models with their gates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import gradio as gr
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.actions.training_start import cancel_training, resume_training
from wardround_lab.dashboard.events import DIRECT, every, on_address
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.outcome import SMALL, outcome_of
from wardround_lab.dashboard.tabs.training_form import TrainingForm
from wardround_lab.dashboard.tabs.training_model import PromotionForm
from wardround_lab.dashboard.tabs.training_pages import (
    TAB,
    environment_table,
    lists,
    log_page,
    model_page,
    run_page,
    runs_page,
)
from wardround_lab.dashboard.views.recipes import RecipeRow, recipe_rows
from wardround_lab.dashboard.views.training_environment import checked_rows
from wardround_lab.dashboard.views.training_runs import run_named, state_of, training_row

REFRESH_S = 2


class TrainingTab:
    """Trainings, which run in processes of their own, and the models they made."""

    name = "Training"

    def build(self, stores: Stores) -> None:
        run = gr.Textbox("", visible="hidden", label="Run")
        model = gr.Textbox("", visible="hidden", label="Model")
        state = gr.Textbox("", visible="hidden", label="State of the page")
        page = html_output()
        with gr.Column(visible="hidden") as overview:
            with gr.Accordion("Start a training", open=False):
                form = TrainingForm(stores)
            below = html_output()
            with gr.Row():
                check = gr.Button("Check PyTorch and the GPU", **SMALL)
            checked = html_output()
        with gr.Column(visible="hidden") as of_run:
            with gr.Row():
                cancel = gr.Button("Cancel the training", variant="stop", **SMALL)
                resume = gr.Button("Resume the training", variant="primary", **SMALL)
            outcome = html_output()
            log = html_output()
        with gr.Column(visible="hidden") as of_model:
            promotion = PromotionForm(stores, model)

        def show(query: Mapping[str, str]) -> list[object]:
            opened_run, opened_model = query.get("run", ""), query.get("model", "")
            is_overview = not (opened_run or opened_model)
            recipes = recipe_rows(stores) if is_overview else []
            return [
                opened_run, opened_model, *show_again(opened_run, opened_model),
                *map(_column, (is_overview, opened_run, opened_model)),
                *_overview(stores, form, recipes, is_shown=is_overview),
                Markup(""), *promotion.open(opened_model),
            ]  # fmt: skip

        def show_again(name: str, opened_model: str) -> list[object]:
            shown = _or_reason(partial(_page, stores, name, opened_model))
            return [
                shown,
                _state(stores, name, opened_model),
                *_buttons(stores, name),
                _or_reason(partial(log_page, stores, name)),
            ]

        def refresh(name: str, opened_model: str, shown: str) -> list[object]:
            """Show the page as it is now; nothing if it would stay the same.

            An answer that was on its way when another page was opened is corrected by this as well.
            """
            if _state(stores, name, opened_model) == shown:
                return [gr.skip()] * len(changing)
            return show_again(name, opened_model)

        changing = [page, state, cancel, resume, log]
        on_address(
            TAB, show,
            [
                run, model, *changing, overview, of_run, of_model, form.recipe, below, outcome,
                *promotion.fields,
            ],
        )  # fmt: skip
        changes = (
            form.started,
            cancel.click(partial(_cancel, stores), run, outcome, **DIRECT),
            resume.click(partial(_resume, stores), run, outcome, **DIRECT),
            promotion.promoted,
        )
        for change in changes:
            change.then(show_again, [run, model], changing, **DIRECT)
        check.click(
            lambda: environment_table(checked_rows(stores.training)), None, checked,
            **{**DIRECT, "show_progress": "minimal"},
        )  # fmt: skip
        every(REFRESH_S, refresh, [run, model, state], changing)


def _column(is_shown: object) -> gr.Column:
    return gr.Column(visible=True if is_shown else "hidden")


def _page(stores: Stores, run: str, model: str) -> Markup:
    if run:
        return run_page(stores, run)
    return model_page(stores, model) if model else runs_page(stores)


def _or_reason(page: Callable[[], Markup]) -> Markup:
    try:
        return page()
    except WardroundError as error:
        return markup.problem(str(error))


def _state(stores: Stores, run: str, model: str) -> str:
    if model:
        return f"model {model}"
    try:
        return state_of(stores.training, run)
    except WardroundError as error:
        return str(error)


def _overview(
    stores: Stores, form: TrainingForm, recipes: list[RecipeRow], *, is_shown: bool
) -> list[object]:
    if not is_shown:
        return [gr.skip(), Markup("")]
    return [form.choices(recipes), lists(stores, recipes)]


def _buttons(stores: Stores, name: str) -> list[object]:
    """Return the buttons of a run, which can be pressed only where they would do something."""
    try:
        row = training_row(stores.training, run_named(stores.training, name))
    except WardroundError:
        return [gr.Button(interactive=False), gr.Button(interactive=False)]
    return [gr.Button(interactive=row.state.name == "running"), gr.Button(interactive=row.can_resume)]


def _cancel(stores: Stores, name: str) -> Markup:
    def cancel() -> str:
        cancel_training(run_named(stores.training, name))
        return f"{name} was interrupted; it ends after its step, and can be resumed"

    return outcome_of(cancel)


def _resume(stores: Stores, name: str) -> Markup:
    def resume() -> str:
        resume_training(stores, run_named(stores.training, name))
        return f"{name} is running again, from its last checkpoint"

    return outcome_of(resume)
