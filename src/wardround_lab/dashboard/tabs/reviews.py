"""The tab of review records."""

from __future__ import annotations

import gradio as gr

from wardround.records.store import opened_if_present
from wardround_lab.dashboard.stores import Stores

_COLUMNS = ["created", "repository", "verdict", "tier", "record"]
_PAGE = 50
_EMPTY = "No review is recorded yet. Run `wardround review --record` in a repository."


class ReviewsTab:
    """Records and verdicts, the newest first."""

    name = "Reviews"

    def build(self, stores: Stores) -> None:
        hint = gr.Markdown()
        table = gr.Dataframe(headers=_COLUMNS, interactive=False, label="Records")

        def load() -> tuple[str, list[list[str]]]:
            rows = _rows(stores)
            return ("" if rows else _EMPTY), rows

        gr.on(None, load, outputs=[hint, table])


def _rows(stores: Stores) -> list[list[str]]:
    with opened_if_present(stores.records) as records:
        if records is None:
            return []
        from wardround.records.store import Query

        found = records.query(Query(), _PAGE)
    return [
        [record.created, record.repository, record.verdict, record.tier, record.digest[:12]]
        for record in found
    ]
