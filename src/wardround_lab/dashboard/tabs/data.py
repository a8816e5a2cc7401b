"""The tab of curated examples: their files, a search, one opened, edits, audits and splits."""

from __future__ import annotations

import gradio as gr
from markupsafe import Markup

from wardround_lab.dashboard import markup
from wardround_lab.dashboard.events import DIRECT, on_open, readable_errors
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.markup import Column, Link, Table
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.choice import link_target
from wardround_lab.dashboard.tabs.data_audit import AuditSection
from wardround_lab.dashboard.tabs.data_browse import BrowseSection
from wardround_lab.dashboard.tabs.data_edit import EditSection
from wardround_lab.dashboard.tabs.data_split import SplitSection
from wardround_lab.dashboard.views.example_files import ExampleFile, example_files

FILE_TARGET = "data-file"
_COLUMNS = (
    Column("File"),
    Column("Examples", "number"),
    Column("Kind"),
    Column("Megabytes", "number"),
    Column("Audit", "tag"),
    Column("Last change", "time"),
)


class DataTab:
    """Curated examples, JSON Lines as ``wardround data`` writes them."""

    name = "Data"

    def build(self, stores: Stores) -> None:
        files = html_output()
        chosen = link_target(FILE_TARGET)
        with gr.Column(visible=False) as opened:
            browse = BrowseSection(stores, chosen)
        edit = EditSection(stores, chosen, browse)
        audit = AuditSection(stores)
        split = SplitSection(stores)
        names = [*audit.file_choices, *split.file_choices]

        def load() -> list[object]:
            found = example_files(stores.data)
            choices = [gr.Dropdown(choices=[row.name for row in found]) for _ in names]
            return [_files(stores, found), *choices, split.splits()]

        def open_file(name: str) -> list[object]:
            return [gr.Column(visible=True), *browse.first_page(name), *audit.show(name)]

        on_open(load, [files, *names, split.table])
        chosen.input(
            readable_errors(open_file), chosen, [opened, *browse.page_outputs, *audit.outputs], **DIRECT
        )
        for changed in (*edit.saved, audit.ended, split.ended):
            changed.then(load, None, [files, *names, split.table], **DIRECT)
        for changed in edit.saved:
            changed.then(browse.page_again, browse.page_inputs, browse.results, **DIRECT)


def _files(stores: Stores, found: list[ExampleFile]) -> Markup:
    if not found:
        text = f"There are no examples in {stores.data} yet. Mine some, or add the first one below."
        return markup.hint(
            text, "wardround data mine --kind bug-fix --out data .",
            "wardround data build-sft data/bug-fix.jsonl --out data/sft",
        )  # fmt: skip
    rows = [
        (_link(row.name), f"{row.records:,}", row.kind, f"{row.megabytes:.1f}", row.audit, row.changed)
        for row in found
    ]
    return markup.table(Table(f"Files in {stores.data}; open one to read its examples", _COLUMNS, rows))


def _link(name: str) -> Link:
    return Link(name, {"tab": "data", "file": name}, FILE_TARGET, name)
