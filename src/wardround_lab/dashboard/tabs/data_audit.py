"""The part of the tab with the form of an audit."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.actions.example_audit import AuditRequest, audit_examples
from wardround_lab.dashboard.actions.form_values import names_in, start_of_day
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.data_pages import check_table
from wardround_lab.dashboard.tabs.outcome import REFUSED, SMALL, tell
from wardround_lab.dashboard.views.example_files import StoredAudit, file_named


class AuditSection:
    """A form for an audit.

    Attributes:
        fields: what ``choose`` fills; ``choices``: what ``names`` fills.
        ended: the event after which the page is stale.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        with gr.Accordion("Audit: secrets, duplicates, licences, leaks and shortcuts", open=False):
            train = gr.Dropdown([], multiselect=True, label="Files to train on")
            evaluation = gr.Dropdown([], multiselect=True, label="Files to evaluate with only")
            with gr.Row(equal_height=True):
                hold_out = gr.Textbox(
                    "", label="Held-out repositories", info="if one file has both parts", max_lines=1
                )
                since = gr.Textbox(
                    "", label="Evaluation since", info="if one file has both parts", placeholder="YYYY-MM-DD",
                    max_lines=1,
                )  # fmt: skip
                licences = gr.Textbox(
                    "", label="Further licences", info="unknown accepts missing ones", max_lines=1
                )
            with gr.Row():
                run = gr.Button("Audit", variant="primary", **SMALL)
            outcome = html_output()
        self.fields = [train, evaluation, outcome]
        self.choices = [train, evaluation]
        self.ended = run.click(
            self._audit, [train, evaluation, hold_out, since, licences], outcome,
            api_visibility="private", show_progress="minimal", concurrency_limit=1,
        )  # fmt: skip

    def choose(self, names: Sequence[str], chosen: Sequence[str]) -> list[object]:
        """Return the files to choose from, with those that are chosen."""
        train = gr.Dropdown(choices=list(names), value=list(chosen))
        return [train, gr.Dropdown(choices=list(names), value=[]), Markup("")]

    def names(self, names: Sequence[str]) -> list[object]:
        """Return the files to choose from; what is chosen stays."""
        return [gr.Dropdown(choices=list(names)), gr.Dropdown(choices=list(names))]

    def _audit(
        self, train: list[str], evaluation: list[str], hold_out: str, since: str, licences: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  (Gradio recognises it by this default)
    ) -> Markup:  # fmt: skip
        data, repository = self._stores.data, self._stores.repository
        try:
            request = AuditRequest(
                train=tuple(file_named(data, name) for name in train or ()),
                evaluation=tuple(file_named(data, name) for name in evaluation or ()),
                hold_out=names_in(hold_out),
                since=start_of_day(since),
                licences=names_in(licences),
            )
            audit = audit_examples(repository, request, lambda line: progress(None, desc=line))
        except WardroundError as refusal:
            return tell(REFUSED, str(refusal))
        outcome = tell("passed" if audit.passed else "failed", f"{audit.records}, audited now")
        return markup.join(
            outcome,
            check_table(StoredAudit(audit=audit, is_current=True)),
            markup.code(request.command(repository)),
        )
