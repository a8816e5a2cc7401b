"""The events of a tab: its data when it is opened, addresses of its content, errors as one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qsl

import gradio as gr
from gradio.context import Context

from wardround.errors import WardroundError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.look import html_output

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
    _on_open(lambda request, *values: load(*values), outputs, inputs)


def show_address(name: str, show: Callable[[Mapping[str, str]], str]) -> None:
    """Show in the tab under construction what the address of the page names, as in ``?tab=rules&rule=...``.

    Args:
        name: the part of the address that names the tab.
        show: returns the HTML for the parameters of an address.
    """
    on_address(name, lambda query: _show_or_explain(show, query), [html_output()])


def on_address(
    name: str, show: Callable[[Mapping[str, str]], object], outputs: Sequence[gr.components.Component]
) -> None:
    """Fill components of the tab under construction with what the address of the page names.

    The links and forms in the HTML of the tab are addresses of it: a click loads no new page, and the back
    button works. The script of the page writes the address into a hidden text box.

    Args:
        show: returns the value of the component, or the values of several, for the parameters of an address.
    """
    address = gr.Textbox(visible="hidden", elem_id=f"address-{name}", label="Address")

    def show_written(written: str) -> object:
        return show(dict(parse_qsl(written.removeprefix("?"))))

    def show_initial(request: gr.Request, written: str) -> object:
        query = dict(request.query_params)
        is_initial = not written and query.get("tab") == name
        return show(query) if is_initial else show_written(written)

    _on_open(show_initial, outputs, [address])
    address.change(readable_errors(show_written), [address], list(outputs), **DIRECT)


def every(
    seconds: float, refresh: Callable[..., object], inputs: Sequence[Any], outputs: Sequence[Any]
) -> None:
    """Call a function at intervals while the tab under construction is open; not for the first tab."""
    timer = gr.Timer(seconds, active=False)
    timer.tick(readable_errors(refresh), list(inputs), list(outputs), **DIRECT)


def run_timers_of_open_tab(tabs: gr.Tabs) -> None:
    """Let the timers of each tab run while it is open, once all tabs are built."""
    children: Sequence[Any] = tabs.children
    for tab in children:
        for timer in _timers_in(tab):
            for other in children:
                other.select(partial(gr.Timer, active=other is tab), None, timer, **DIRECT)


def _timers_in(block: Any) -> Iterator[gr.Timer]:
    if isinstance(block, gr.Timer):
        yield block
    for child in getattr(block, "children", ()):
        yield from _timers_in(child)


def _show_or_explain(show: Callable[[Mapping[str, str]], str], query: Mapping[str, str]) -> str:
    try:
        return show(query)
    except WardroundError as error:
        return markup.problem(str(error))


def _on_open(
    load: Callable[..., object],
    outputs: Sequence[gr.components.Component],
    inputs: Sequence[gr.components.Component],
) -> None:
    tab, siblings = _enclosing_tab()
    action = readable_errors(load)

    def load_selected(request: gr.Request, *values: object) -> object:
        return action(request, *values)

    def load_first(request: gr.Request, *values: object) -> object:
        named = request.query_params.get("tab")
        is_other = named is not None and named in [sibling.id for sibling in siblings[1:]]
        return gr.skip() if is_other else action(request, *values)

    tab.select(load_selected, list(inputs), list(outputs), **DIRECT)
    if siblings[0] is tab:  # the browser reports no selection of the tab that it shows first
        Context.root_block.load(load_first, list(inputs), list(outputs), **DIRECT)  # type: ignore[union-attr]


def _enclosing_tab() -> tuple[gr.Tab, Sequence[Any]]:
    """Return the tab under construction, and the list that gets the tabs of the page."""
    block = Context.block
    while block is not None and not isinstance(block, gr.Tab):
        block = block.parent
    if block is None or block.parent is None:
        raise RuntimeError("on_open belongs inside of an open gradio.Tab")
    return block, block.parent.children
