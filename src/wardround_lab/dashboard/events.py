"""The events of a tab: its first data when it is opened, and errors as one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import gradio as gr
from gradio.context import Context

from wardround.errors import WardroundError

DIRECT: Mapping[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""Options of an event whose answer is the response of its request.

Through Gradio's queue it would be a message in a stream, which can be lost if two events begin together.
"""
_P = ParamSpec("_P")
_R = TypeVar("_R")


def readable_errors(action: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return an action of an event whose errors of wardround are shown as a sentence, without a traceback."""

    @wraps(action)
    def perform(*arguments: _P.args, **options: _P.kwargs) -> _R:
        try:
            return action(*arguments, **options)
        except WardroundError as error:
            raise gr.Error(str(error), print_exception=False) from error

    return perform


def on_open(
    load: Callable[..., object],
    outputs: Sequence[gr.components.Component],
    inputs: Sequence[gr.components.Component] = (),
) -> None:
    """Call a function whenever the tab under construction is opened: by its address, or by a click on it.

    A tab that is not opened reads nothing. Must be called inside of an open ``gradio.Tab``.
    """
    tab, siblings = _enclosing_tab()
    action = readable_errors(load)
    tab.select(action, list(inputs), list(outputs), **DIRECT)
    if siblings[0] is tab:  # the browser reports no selection of the tab that it shows first

        def load_first(request: gr.Request, *values: object) -> object:
            named = request.query_params.get("tab")
            is_other = named is not None and named in [sibling.id for sibling in siblings[1:]]
            return gr.skip() if is_other else action(*values)

        Context.root_block.load(load_first, list(inputs), list(outputs), **DIRECT)  # type: ignore[union-attr]


def _enclosing_tab() -> tuple[gr.Tab, Sequence[Any]]:
    """Return the tab under construction, and the list that gets the tabs of the page."""
    block = Context.block
    while block is not None and not isinstance(block, gr.Tab):
        block = block.parent
    if block is None or block.parent is None:
        raise RuntimeError("on_open belongs inside of an open gradio.Tab")
    return block, block.parent.children
