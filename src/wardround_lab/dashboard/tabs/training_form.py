"""The part of the tab that starts a training, with the exact command line."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr
from markupsafe import Markup

from wardround.errors import UsageError, WardroundError
from wardround_lab.dashboard.actions.training_start import command_line, start_training
from wardround_lab.dashboard.events import DIRECT
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.process_record import TrainingRequest
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.outcome import SMALL, outcome_of
from wardround_lab.dashboard.views.recipes import RecipeRow


class TrainingForm:
    """A form for a training: a recipe of the list and options; the command line cannot be edited.

    Attributes:
        recipe: the choice of a recipe.
        started: the event after which the list of trainings is stale.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self.recipe = gr.Dropdown(
            [], label="Recipe", info="of the repository, or one that comes with wardround"
        )
        with gr.Row(equal_height=True):
            name = gr.Textbox(label="Name of the run", value="first", max_lines=1)
            seed = gr.Textbox("", label="Seed", info="empty: the recipe's", max_lines=1)
            only_train = gr.Checkbox(label="Only train", info="no merge, export and quantisation")
        command = gr.Textbox(
            "", label="Command line", info="the same in a terminal, in the root of the repository",
            interactive=False, buttons=["copy"], elem_classes="wr-mono", lines=1,
        )  # fmt: skip
        with gr.Row():
            start = gr.Button("Start the training", variant="primary", **SMALL)
        outcome = html_output()
        inputs = [self.recipe, name, seed, only_train]
        for change in (self.recipe.change, name.change, seed.change, only_train.change):
            change(self._command, inputs, command, **DIRECT)
        self.started = start.click(self._start, inputs, outcome, **DIRECT)

    def choices(self, recipes: Sequence[RecipeRow]) -> gr.Dropdown:
        """Return the recipes to choose from, those that can be trained now first."""
        ordered = sorted(recipes, key=lambda row: bool(row.trouble))
        return gr.Dropdown(choices=[row.name for row in ordered], value=ordered[0].name if ordered else None)

    def _command(self, recipe: str | None, name: str, seed: str, only_train: bool) -> str:
        try:
            return command_line(self._stores, _request(recipe, name, seed, only_train))
        except WardroundError as refusal:
            return str(refusal)

    def _start(self, recipe: str | None, name: str, seed: str, only_train: bool) -> Markup:
        def start() -> str:
            folder = start_training(self._stores, _request(recipe, name, seed, only_train))
            return f"{folder.name} is running; it goes on without this page and without the dashboard"

        return outcome_of(start)


def _request(recipe: str | None, name: str, seed: str, only_train: bool) -> TrainingRequest:
    if seed.strip() and not seed.strip().isdecimal():
        raise UsageError(f"seed {seed!r}: give a number from 0 on, or leave it empty")
    number = int(seed) if seed.strip() else None
    return TrainingRequest(recipe=recipe or "", name=name.strip(), seed=number, only_train=only_train)
