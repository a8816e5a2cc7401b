"""The part of the tab with the audit of the chosen file, and the form of a new audit."""

from __future__ import annotations

import gradio as gr
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.corpora.audit import AuditCheck
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.actions.example_audit import AuditRequest, audit_examples
from wardround_lab.dashboard.actions.form_values import names_in, start_of_day
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.markup import Column, Table
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.outcome import REFUSED, told
from wardround_lab.dashboard.views.example_audits import check_rows, describe_audit
from wardround_lab.dashboard.views.example_files import file_named, stored_audit

_COLUMNS = (
    Column("Check"),
    Column("Result", "tag"),
    Column("Share", "number"),
    Column("Limit", "number"),
    Column("What it found"),
)


class AuditSection:
    """The stored audit of a file, and a form for the next one.

    Attributes:
        outputs: what ``show`` fills.
        file_choices: the components that offer the files of the folder.
        ended: the event after which the list of files is stale.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        with gr.Accordion("Audit", open=False):
            self._shown = html_output()
            self._train = gr.Dropdown([], multiselect=True, label="Files to train on")
            self._evaluation = gr.Dropdown([], multiselect=True, label="Files to evaluate with only")
            with gr.Row(equal_height=True):
                hold_out = gr.Textbox(
                    label="Held-out repositories", info="if one file has both parts", max_lines=1
                )
                since = gr.Textbox(label="Evaluation since", placeholder="YYYY-MM-DD", max_lines=1)
                licences = gr.Textbox(
                    label="Further licences", info="unknown accepts missing ones", max_lines=1
                )
            run = gr.Button("Audit", variant="primary", size="sm")
        self.outputs = [self._shown, self._train]
        self.file_choices = [self._train, self._evaluation]
        self.ended = run.click(
            self._audit, [self._train, self._evaluation, hold_out, since, licences], self._shown,
            api_visibility="private", show_progress="minimal", concurrency_limit=1,
        )  # fmt: skip

    def show(self, name: str) -> list[object]:
        """Return the stored audit of a file, and the file as the one to audit."""
        stored = stored_audit(file_named(self._stores.data, name))
        checks = () if stored is None else stored.audit.checks
        return [
            markup.section(f"Audit of {name}", markup.note(describe_audit(stored)), _table(checks)),
            [name],
        ]

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
            return told(REFUSED, str(refusal))
        outcome = told("passed" if audit.passed else "failed", f"{audit.records}, audited now")
        return markup.section(
            f"Audit of {audit.records}",
            outcome,
            _table(audit.checks),
            markup.code(request.command(repository)),
        )


def _table(checks: tuple[AuditCheck, ...]) -> Markup:
    if not checks:
        return Markup("")
    rows = [
        (row.check, row.result.lower(), row.share, row.limit, _found(row.said, row.examples))
        for row in check_rows(checks)
    ]
    return markup.table(Table("Checks, the failed ones first", _COLUMNS, rows))


def _found(said: str, examples: tuple[str, ...]) -> str:
    return f"{said}. For example: {'; '.join(examples)}" if examples else said
