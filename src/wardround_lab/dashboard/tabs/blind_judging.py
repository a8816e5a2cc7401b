"""Two patches of one task, chosen between without their origin; a choice is stored at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gradio as gr
import msgspec
from markupsafe import Markup

from wardround_lab.dashboard import markup
from wardround_lab.dashboard.events import DIRECT, on_open, readable_errors
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.markup import render
from wardround_lab.dashboard.pages.sequence import diff
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.blind_pairs import OpenPair, judge_pair, next_pair
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


class Progress(msgspec.Struct, frozen=True):
    """Where a person is in a run.

    Attributes:
        opened: the pair on the page; None before the first and after the last one.
        skipped: ids of pairs that were skipped; they are shown again in a new session.
    """

    opened: OpenPair | None = None
    skipped: frozenset[str] = frozenset()
    is_judged: bool = False


def build_judging(stores: Stores) -> None:
    """Add the components and events to the open tab."""
    with gr.Accordion("Judge two patches of a run without their origin", open=False):
        with gr.Row():
            run = gr.Dropdown(label="Run", choices=[], filterable=False)
            judge = gr.Textbox(label="Your name, under which the choices are stored", max_lines=1)
        start = gr.Button("Begin", size="sm")
        pair = html_output("judged-pair")
        result = html_output("judged-result")
        with gr.Row(visible=False) as choices:
            buttons = [_button(text, key) for _, text, key in _CHOICES]
            skip = _button("Skip", _SKIP_KEY)
        following = _button("Next pair", _NEXT_KEY, visible=False)
        progress = gr.State(Progress())
    page = [progress, pair, result, choices, following]
    on_open(partial(_runs, stores), [run])
    _on(start, partial(_begin, stores), [run, judge], page)
    _on(skip, partial(_skip, stores), [progress], page)
    _on(following, partial(_follow, stores), [progress], page)
    for button, (choice, _, _) in zip(buttons, _CHOICES, strict=True):
        _on(button, partial(_choose, stores, choice), [progress], page)


def _button(text: str, key: str, *, visible: bool = True) -> gr.Button:
    return gr.Button(f"{text} ({key})", size="sm", elem_classes=[f"wr-key-{ord(key)}"], visible=visible)


def _on(
    button: gr.Button,
    action: Callable[..., object],
    inputs: Sequence[gr.components.Component],
    outputs: Sequence[Any],
) -> None:
    button.click(readable_errors(action), list(inputs), list(outputs), **DIRECT)


def _runs(stores: Stores) -> object:
    try:
        with opened_experiments(stores) as storage:
            ids = [run.id for run in storage.runs()]
    except StorageError:  # the page of runs shows the reason
        ids = []
    return gr.Dropdown(choices=ids, value=ids[0] if ids else None)


def _begin(stores: Stores, run: str | None, judge: str) -> list[object]:
    with opened_experiments(stores) as storage:
        return _shown(Progress(next_pair(storage, run or "", judge)))


def _skip(stores: Stores, progress: Progress) -> list[object]:
    skipped = progress.skipped | {progress.opened.id} if progress.opened is not None else progress.skipped
    return _follow(stores, msgspec.structs.replace(progress, skipped=skipped))


def _follow(stores: Stores, progress: Progress) -> list[object]:
    opened = progress.opened
    if opened is None:
        return _shown(progress)
    with opened_experiments(stores) as storage:
        found = next_pair(storage, opened.run, opened.judge, opened.position, progress.skipped)
    return _shown(Progress(found, progress.skipped))


def _choose(stores: Stores, choice: Choice, progress: Progress) -> list[object]:
    if progress.opened is None or progress.is_judged:
        return _shown(progress)
    with opened_experiments(stores) as storage:
        revealed = judge_pair(storage, progress.opened, choice)
    text = next(text for name, text, _ in _CHOICES if name == choice)
    facts = [
        ("Your choice", text),
        ("Left", "; ".join(revealed.first)),
        ("Right", "; ".join(revealed.second)),
    ]
    judged = msgspec.structs.replace(progress, is_judged=True)
    return _shown(judged, markup.section("Stored", markup.facts(facts)))


def _shown(progress: Progress, result: Markup = Markup()) -> list[object]:  # noqa: B008  (it is immutable)
    """Return the values of the components of a page."""
    opened = progress.opened
    if opened is None:
        return [progress, markup.note(_END), result, _visible(False), _visible(False)]
    return [progress, _pair(opened), result, _visible(not progress.is_judged), _visible(progress.is_judged)]


def _visible(is_visible: bool) -> object:
    return gr.update(visible=is_visible)


def _pair(opened: OpenPair) -> Markup:
    pair = opened.pair
    left, right = (diff(shown_text(text, _LONGEST)) for text in (pair.first, pair.second))
    return render("pair.html", opened=opened, task=shown_text(pair.task), left=left, right=right)
