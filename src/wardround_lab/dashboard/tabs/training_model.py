"""The part of the tab for the promotion of a model: the answer of the gates, then a confirmation."""

from __future__ import annotations

import gradio as gr
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround.inference.metadata import PromotionState
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.actions.model_promotion import (
    GateAnswer,
    ask_gates,
    promote_model,
    promotion_command,
)
from wardround_lab.dashboard.events import DIRECT
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.outcome import DONE, REFUSED, SMALL, tell
from wardround_lab.dashboard.views.models import open_model

_STATES = [state.value for state in (PromotionState.RANK, PromotionState.REPORT, PromotionState.SHADOW)]


class PromotionForm:
    """A form for a state of the opened model: the gates answer first, then it is confirmed.

    Attributes:
        promoted: the event after which the page of the model is stale.
    """

    def __init__(self, stores: Stores, model: gr.Textbox) -> None:
        self._stores = stores
        state = gr.Radio(_STATES, value=_STATES[0], label="State")
        with gr.Row():
            ask = gr.Button("Ask the gates", **SMALL)
            confirm = gr.Button("Set the state", variant="stop", visible="hidden", **SMALL)
        outcome = html_output()
        with gr.Accordion("Card", open=False):
            self.card = gr.Markdown(sanitize_html=True)
        self.fields = [confirm, outcome, self.card]
        ask.click(self._ask, [model, state], [outcome, confirm], **DIRECT)
        state.change(lambda: [Markup(""), gr.Button(visible="hidden")], None, [outcome, confirm], **DIRECT)
        self.promoted = confirm.click(self._promote, [model, state], [outcome, confirm], **DIRECT)

    def open(self, name: str) -> list[object]:
        """Return the card of a model, and the form as before the first question."""
        hidden = gr.Button(visible="hidden")
        if not name:
            return [hidden, Markup(""), ""]
        try:
            return [hidden, Markup(""), open_model(self._stores, name).card]
        except WardroundError:
            return [hidden, Markup(""), ""]

    def _ask(self, model: str, state: str) -> list[object]:
        hidden = gr.Button(visible="hidden")
        try:
            answer = ask_gates(self._stores, model, PromotionState(state))
            command = promotion_command(self._stores, model, PromotionState(state))
            reason = open_model(self._stores, model).read_only
        except WardroundError as refusal:
            return [tell(REFUSED, str(refusal)), hidden]
        shown = markup.join(_answer(answer), markup.code(command))
        if reason:
            return [markup.join(shown, markup.note(reason)), hidden]
        title = f"Set the state: {state}" if answer.is_granted else "Record the refusal"
        return [shown, gr.Button(title, visible=True)]

    def _promote(self, model: str, state: str) -> list[object]:
        hidden = gr.Button(visible="hidden")
        try:
            answer = promote_model(self._stores, model, PromotionState(state))
        except WardroundError as refusal:
            return [tell(REFUSED, str(refusal)), hidden]
        word = DONE if answer.is_granted else REFUSED
        text = f"{answer.model} is now {answer.state}"
        return [markup.join(tell(word, text), markup.items(answer.reasons)), hidden]


def _answer(answer: GateAnswer) -> Markup:
    if answer.is_granted:
        return tell("granted", f"{answer.model} may become {answer.requested}")
    return markup.join(
        tell(REFUSED, f"{answer.model} may not become {answer.requested}: it would be {answer.state}"),
        markup.items(answer.reasons),
    )
