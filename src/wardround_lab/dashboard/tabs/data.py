"""The tab of curated examples: their files, a search, one opened, edits, audits and splits."""

from __future__ import annotations

from collections.abc import Mapping

import gradio as gr
from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.events import DIRECT, on_address
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.data_audit import AuditSection
from wardround_lab.dashboard.tabs.data_edit import EditSection
from wardround_lab.dashboard.tabs.data_pages import TAB, data_page
from wardround_lab.dashboard.tabs.data_split import SplitSection
from wardround_lab.dashboard.views.example_files import example_files


class DataTab:
    """Curated examples, JSON Lines as ``wardround data`` writes them."""

    name = "Data"

    def build(self, stores: Stores) -> None:
        page = html_output()
        file = gr.Textbox("", visible="hidden", label="File")
        line = gr.Textbox("", visible="hidden", label="Line")
        edit = EditSection(stores, file, line)
        audit = AuditSection(stores)
        split = SplitSection(stores)

        def show(query: Mapping[str, str]) -> list[object]:
            name, number = query.get("file", ""), query.get("line", "")
            names = [row.name for row in example_files(stores.data)]
            chosen = [name] if name in names else []
            return [
                _page(stores, query), name, number, *edit.open(name, number), *audit.choose(names, chosen),
                *split.choose(names, chosen),
            ]  # fmt: skip

        on_address(TAB, show, [page, file, line, *edit.fields, *audit.fields, *split.fields])

        def show_again(name: str, number: str) -> list[object]:
            """Show what an action has changed; a page of a search becomes the first one of the file."""
            shown = {"tab": TAB, "file": name, "line": number}
            names = [row.name for row in example_files(stores.data)]
            query = {key: value for key, value in shown.items() if value}
            return [_page(stores, query), *audit.names(names), *split.names(names)]

        outputs = [page, *audit.choices, *split.choices]
        for ended in (*edit.saved, audit.ended, split.ended):
            ended.then(show_again, [file, line], outputs, **DIRECT)


def _page(stores: Stores, query: Mapping[str, str]) -> Markup:
    try:
        return data_page(stores.data, query)
    except WardroundError as error:
        return markup.problem(str(error))
