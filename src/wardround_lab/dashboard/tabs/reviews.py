"""The tab of review records."""

from __future__ import annotations

from markupsafe import Markup

from wardround.records.store import Query, opened_if_present
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.events import on_open
from wardround_lab.dashboard.look import html_output
from wardround_lab.dashboard.markup import Column, Table
from wardround_lab.dashboard.stores import Stores

_PAGE = 50
_COLUMNS = (
    Column("Time (UTC)", "time"),
    Column("Repository"),
    Column("Verdict", "tag"),
    Column("Tier"),
    Column("Record", "code"),
)


class ReviewsTab:
    """Records and verdicts, the newest first."""

    name = "Reviews"

    def build(self, stores: Stores) -> None:
        records = html_output()
        on_open(lambda: _records(stores), [records])


def _records(stores: Stores) -> Markup:
    with opened_if_present(stores.records) as records:
        found = () if records is None else records.query(Query(), _PAGE)
    if not found:
        return markup.hint("No review is recorded yet.", "wardround review --record review.intoto.jsonl")
    rows = [
        (record.created, record.repository, record.verdict, record.tier, record.digest[:12])
        for record in found
    ]
    return markup.table(Table("Records, the newest first", _COLUMNS, rows))
