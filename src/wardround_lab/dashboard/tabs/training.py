"""The tab of trainings: the machine, recipes, runs with their curves, and models with their gates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import gradio as gr
from gradio.context import Context
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.actions.training_start import cancel_training, resume_training
from wardround_lab.dashboard.events import DIRECT, on_address
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.outcome import outcome_of
from wardround_lab.dashboard.tabs.training_form import TrainingForm
from wardround_lab.dashboard.tabs.training_model import PromotionForm
from wardround_lab.dashboard.tabs.training_pages import (
    TAB,
    environment_table,
    model_page,
    overview,
    page_of,
    run_page,
)
from wardround_lab.dashboard.views.recipes import recipe_rows
from wardround_lab.dashboard.views.training_environment import checked_rows, environment_rows
from wardround_lab.dashboard.views.training_runs import run_named, training_row

REFRESH_S = 2


class TrainingTab:
    """Trainings, which run in processes of their own, and the models they made."""

    name = "Training"

    def build(self, stores: Stores) -> None:
        page = html_output()
        run = gr.Textbox(visible="hidden", label="Run")
        model = gr.Textbox(visible="hidden", label="Model")
        with gr.Column(visible=False) as of_overview:
            form = TrainingForm(stores)
            check = gr.Button("Check PyTorch and the GPU", size="sm")
            checked = html_output()
        with gr.Column(visible=False) as of_run:
            with gr.Row():
                cancel = gr.Button("Cancel the training", variant="stop", size="sm")
                resume = gr.Button("Resume the training", variant="primary", size="sm")
            said = html_output()
        with gr.Column(visible=False) as of_model:
            promotion = PromotionForm(stores, model)

        def show(query: Mapping[str, str]) -> list[object]:
            opened = page_of(query)
            name = query.get(opened, "")
            rows = recipe_rows(stores) if not opened else []
            return [
                _page(stores, query), name if opened == "run" else "", name if opened == "model" else "",
                *(gr.Column(visible=opened == kind) for kind in ("", "run", "model")),
                form.choices(rows) if not opened else gr.skip(),
                *_buttons(stores, name if opened == "run" else ""), Markup(""),
                *promotion.opened(name if opened == "model" else ""),
            ]  # fmt: skip

        def show_again(run: str, model: str) -> list[object]:
            query = {"tab": TAB, "run": run, "model": model}
            return [_page(stores, query), *_buttons(stores, run)]

        on_address(
            TAB, show,
            [page, run, model, of_overview, of_run, of_model, form.recipe, cancel, resume, said, *promotion.fields],
        )  # fmt: skip
        again = partial(_then, show_again, [run, model], [page, cancel, resume])
        again(form.started)
        again(cancel.click(partial(_cancel, stores), run, said, **DIRECT))
        again(resume.click(partial(_resume, stores), run, said, **DIRECT))
        again(promotion.promoted)
        check.click(lambda: environment_table(checked_rows(stores.training)), None, checked, **DIRECT)
        _refresh(show_again, [run, model], [page, cancel, resume])


def _page(stores: Stores, query: Mapping[str, str]) -> Markup:
    try:
        match page_of(query):
            case "run":
                return run_page(stores, query["run"])
            case "model":
                return model_page(stores, query["model"])
            case _:
                return overview(stores, environment_rows(stores.training), recipe_rows(stores))
    except WardroundError as error:
        return markup.note(str(error))


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
