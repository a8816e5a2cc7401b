"""Two patches of one task, chosen between without their origin; a choice is stored at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gradio as gr
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.events import DIRECT, on_open
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.markup import render
from wardround_lab.dashboard.pages.sequence import diff
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.outcome import SMALL
from wardround_lab.dashboard.views.blind_pairs import JudgingPlace, OpenPair, judge_pair, next_pair
from wardround_lab.dashboard.views.experiment_storage import opened_experiments
from wardround_lab.dashboard.views.shown_text import shown_text
from wardround_lab.experiments.judging import Choice
from wardround_lab.experiments.storage.sequence_storage import StorageError

_LONGEST = 60_000
_CHOICES: tuple[tuple[Choice, str, str], ...] = (
    ("first", "Left is better", "1"),
    ("second", "Right is better", "2"),
    ("equal", "Both are equally good", "="),
    ("neither", "Neither is acceptable", "0"),
)
"""Choice, text of its button, and its key, as in ``wardround lab judge``."""
_SKIP_KEY = "s"
_NEXT_KEY = "n"
_END = "There is no further pair of different patches to judge in this run."


def build_judging(stores: Stores) -> None:
    """Add the components and events to the open tab; the page keeps the place, not the server."""
    with gr.Accordion("Judge two patches of a run without their origin", open=False):
        with gr.Row():
            run = gr.Dropdown(label="Run", choices=[], filterable=False)
            judge = gr.Textbox(label="Your name, under which the choices are stored", max_lines=1)
        start = gr.Button("Begin", **SMALL)
        pair = html_output("judged-pair")
        result = html_output("judged-result")
        with gr.Row(visible="hidden") as choices:
            buttons = [_button(text, key) for _, text, key in _CHOICES]
            skip = _button("Skip", _SKIP_KEY)
        with gr.Row(visible="hidden") as judged:
            following = _button("Next pair", _NEXT_KEY)
        place = gr.Textbox(visible="hidden", label="Place in the run")
    page = [place, pair, result, choices, judged]
    on_open(partial(_runs, stores), [run])
    _on(start, partial(_begin, stores), [run, judge], page)
    _on(skip, partial(_skip, stores), [place], page)
    _on(following, partial(_follow, stores), [place], page)
    for button, (choice, _, _) in zip(buttons, _CHOICES, strict=True):
        _on(button, partial(_choose, stores, choice), [place], page)


def _button(text: str, key: str) -> gr.Button:
    return gr.Button(f"{text} ({key})", size="sm", elem_classes=[f"wr-key-{ord(key)}"])


def _on(
    button: gr.Button,
    action: Callable[..., object],
    inputs: Sequence[gr.components.Component],
    outputs: Sequence[Any],
) -> None:
    def perform(*values: str) -> object:
        try:
            return action(*values)
        except WardroundError as cause:
            return [gr.skip(), gr.skip(), markup.problem(str(cause)), gr.skip(), gr.skip()]

    button.click(perform, list(inputs), list(outputs), **DIRECT)


def _runs(stores: Stores) -> object:
    try:
        with opened_experiments(stores) as storage:
            ids = [run.id for run in storage.runs()]
    except StorageError:  # the page of runs shows the reason
        ids = []
    return gr.Dropdown(choices=ids, value=ids[0] if ids else None)


def _begin(stores: Stores, run: str | None, judge: str) -> list[object]:
    return _next(stores, JudgingPlace(run=run or "", judge=judge.strip()))


def _skip(stores: Stores, place: str) -> list[object]:
    return _next(stores, JudgingPlace.parse(place).after_skip())


def _follow(stores: Stores, place: str) -> list[object]:
    return _next(stores, JudgingPlace.parse(place))


def _next(stores: Stores, place: JudgingPlace) -> list[object]:
    with opened_experiments(stores) as storage:
        opened = next_pair(storage, place)
    if opened is None:
        return ["", markup.note(_END), "", gr.update(visible="hidden"), gr.update(visible="hidden")]
    return [opened.place.text, _pair(opened), "", gr.update(visible=True), gr.update(visible="hidden")]


def _choose(stores: Stores, choice: Choice, place: str) -> list[object]:
    with opened_experiments(stores) as storage:
        opened, revealed = judge_pair(storage, JudgingPlace.parse(place), choice)
    text = next(text for name, text, _ in _CHOICES if name == choice)
    facts = [
        ("Your choice", text),
        ("Left", "; ".join(revealed.first)),
        ("Right", "; ".join(revealed.second)),
    ]
    shown = markup.section("Stored", markup.facts(facts))
    return [opened.place.text, _pair(opened), shown, gr.update(visible="hidden"), gr.update(visible=True)]


def _pair(opened: OpenPair) -> Markup:
    pair = opened.pair
    left, right = (diff(shown_text(text, _LONGEST)) for text in (pair.first, pair.second))
    return render("pair.html", opened=opened, task=shown_text(pair.task), left=left, right=right)
