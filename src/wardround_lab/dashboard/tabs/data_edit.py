"""The part of the tab that adds and edits one example."""

from __future__ import annotations

import gradio as gr
from markupsafe import Markup

from wardround.errors import UsageError
from wardround_lab.dashboard.actions.example_audit import secret_scan
from wardround_lab.dashboard.actions.example_edit import (
    add_example,
    create_file,
    open_line,
    replace_example,
    template_of,
)
from wardround_lab.dashboard.events import DIRECT, readable_errors
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.data_pages import line_number
from wardround_lab.dashboard.tabs.outcome import SMALL, outcome_of
from wardround_lab.dashboard.views.example_files import file_named

_LINES = 14


class EditSection:
    """An editor of one record as JSON.

    Attributes:
        fields: what ``open`` fills.
        saved: the events after which the page is stale.
    """

    def __init__(self, stores: Stores, file: gr.Textbox, line: gr.Textbox) -> None:
        self._stores = stores
        digest = gr.Textbox("", visible="hidden", label="Digest")
        with gr.Accordion("Edit or add an example", open=False):
            text = gr.Textbox(
                "", label="Record, as JSON", lines=_LINES, max_lines=40, elem_classes="wr-mono",
                info="An opened example is here to be edited. A record is checked before it is written.",
            )  # fmt: skip
            with gr.Row():
                save = gr.Button("Save the opened example", **SMALL)
                add = gr.Button("Add as a new example", **SMALL)
                template = gr.Button("Start from a template", **SMALL)
            name = gr.Textbox("", label="New file", placeholder="reviewed.jsonl", max_lines=1)
            with gr.Row():
                create = gr.Button("Create the file with this example", **SMALL)
            outcome = html_output()
        self.fields = [text, digest, outcome]
        template.click(readable_errors(self._template), file, [text, outcome], **DIRECT)
        self.saved = [
            save.click(self._save, [file, line, digest, text], [outcome, digest], **DIRECT),
            add.click(self._add, [file, text], outcome, **DIRECT),
            create.click(self._create, [name, text], outcome, **DIRECT),
        ]

    def open(self, name: str, line: str) -> list[object]:
        """Return a line for an edit; empty fields if the address names none."""
        if not line:
            return ["", "", Markup("")]
        try:
            found = open_line(file_named(self._stores.data, name), line_number(line))
        except UsageError:
            return ["", "", Markup("")]
        return [found.text, found.digest, Markup("")]

    def _template(self, name: str) -> tuple[str, Markup]:
        return template_of(file_named(self._stores.data, name) if name else None), Markup("")

    def _save(self, name: str, line: str, digest: str, text: str) -> tuple[Markup, str]:
        current = digest

        def save() -> str:
            nonlocal current
            if not digest:
                raise UsageError("no example is opened; open one above, or add this as a new one")
            file, number = file_named(self._stores.data, name), line_number(line)
            replace_example(file, number, digest, text, secret_scan())
            current = open_line(file, number).digest
            return f"{name}: line {number} was written; audit the file again before a training"

        return outcome_of(save), current

    def _add(self, name: str, text: str) -> Markup:
        def add() -> str:
            if not name:
                raise UsageError("no file is opened; open one above, or give the name of a new one")
            line = add_example(file_named(self._stores.data, name), text, secret_scan())
            return f"{name}: the example was added as line {line}; audit the file again before a training"

        return outcome_of(add)

    def _create(self, name: str, text: str) -> Markup:
        def create() -> str:
            file = create_file(self._stores.data, name.strip(), text, secret_scan())
            return f"{file.name}: the file was created with one example"

        return outcome_of(create)
