"""The tab of reviews: their verdicts over time, the list, and one review opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from wardround.policy.verdict import VerdictName
from wardround.records.store import RecordStore, opened_if_present
from wardround_lab.dashboard import charts, markup
from wardround_lab.dashboard.charts import Series
from wardround_lab.dashboard.events import show_address
from wardround_lab.dashboard.markup import Cell, Column, Field, Form, Link, Pager, Table
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.tabs.review import review_page
from wardround_lab.dashboard.views.plane_list import SEVERITIES, PlaneList, plane_list
from wardround_lab.dashboard.views.record_content import RecordContents
from wardround_lab.dashboard.views.review import review
from wardround_lab.dashboard.views.review_list import (
    ReviewFilters,
    ReviewList,
    Tally,
    review_list,
    short_names,
)

_TAB = "reviews"
_COLOURS = {
    VerdictName.AUTO_MERGE: 2,
    VerdictName.AUTO_APPROVE: 1,
    VerdictName.HUMAN_REVIEW: 3,
    VerdictName.ESCALATE: 4,
    VerdictName.DECLINED: 5,
}
_MOST_REPOSITORIES = 12
_RECORDS = (
    Column("Time (UTC)", "time"),
    Column("Repository"),
    Column("Author"),
    Column("Verdict", "tag"),
    Column("Tier"),
    Column("Rules"),
    Column("Record", "code"),
)
_PLANES = (
    Column("Plane"),
    *(Column(severity, "number") for severity in SEVERITIES),
    Column("inconclusive", "number"),
)


class ReviewsTab:
    """The verdicts of all reviews, the list of their records, and one record opened."""

    name = "Reviews"

    def build(self, stores: Stores) -> None:
        contents = RecordContents()
        show_address(_TAB, lambda query: page(stores, contents, query))


def page(stores: Stores, contents: RecordContents, query: Mapping[str, str]) -> Markup:
    """Return the content of the tab for the parameters of an address."""
    with opened_if_present(stores.records) as records:
        if records is None or not records.head()[0]:
            return markup.hint(
                "No review is recorded yet. Record one, or set records in the configuration:",
                "wardround review --store ~/.local/state/wardround/records.sqlite",
                '[tool.wardround]\nrecords = "on"',
            )
        if "record" in query:
            return review_page(review(records, query["record"]))
        return _list(records, contents, ReviewFilters.from_address(query))


def _list(records: RecordStore, contents: RecordContents, filters: ReviewFilters) -> Markup:
    found = review_list(records, filters)
    names = short_names(found.choices["repository"])
    if not found.total:
        return markup.join(_form(found, names), markup.note("No review meets these conditions."))
    return markup.join(
        _form(found, names),
        markup.section(f"{found.total:,} reviews", _over_time(found.periods)),
        markup.columns(
            markup.join(
                markup.section(
                    "By repository", _tally_table("Repository", found.repositories, filters, names)
                ),
                markup.section("By tier", _tally_table("Tier", found.tiers, filters, {})),
            ),
            markup.section("By plane", _planes(plane_list(records, filters.conditions, contents))),
        ),
        markup.section("Records, the newest first", _records(found, names), _pager(found)),
    )


def _form(found: ReviewList, names: Mapping[str, str]) -> Markup:
    filters, choices = found.filters, found.choices
    return markup.form(
        Form(
            _TAB,
            "Filters of the reviews",
            [
                _menu("repository", "Repository", filters.repository, choices["repository"], names),
                _menu("verdict", "Verdict", filters.verdict, choices["verdict"]),
                _menu("tier", "Tier", filters.tier, choices["tier"]),
                _menu("rule", "Rule", filters.rule, choices["rule"]),
                Field("author", "Author has", filters.author, type="search"),
                Field("since", "Since", filters.since, type="date"),
            ],
        )
    )


def _menu(
    name: str, label: str, value: str, choices: Sequence[str], names: Mapping[str, str] | None = None
) -> Field:
    texts = [(choice, (names or {}).get(choice, choice)) for choice in choices]
    return Field(name, label, value, texts)


def _over_time(periods: Sequence[Tally]) -> Markup:
    unit = "month" if periods and len(periods[0].name) == len("2030-01") else "week"
    series = [
        Series(name, [period.counts.get(name, 0) for period in periods], colour)
        for name, colour in _COLOURS.items()
        if any(period.counts.get(name) for period in periods)
    ]
    return charts.stacked_bars(
        f"Verdicts by {unit}",
        [period.name[2:] if unit == "month" else period.name[5:] for period in periods],
        series,
    )


def _tally_table(
    title: str, tallies: Sequence[Tally], filters: ReviewFilters, names: Mapping[str, str]
) -> Markup:
    verdicts = [name for name in VerdictName if any(tally.counts.get(name) for tally in tallies)]
    rows: list[Sequence[Cell]] = [
        [
            Link(names.get(tally.name, tally.name), _address(filters, part=1) | {title.lower(): tally.name}),
            *(tally.counts.get(name, 0) for name in verdicts),
            tally.total,
        ]
        for tally in tallies[:_MOST_REPOSITORIES]
    ]
    more = len(tallies) - len(rows)
    caption = f"{more} more with fewer reviews" if more > 0 else ""
    columns = [Column(title), *(Column(name, "number") for name in verdicts), Column("all", "number")]
    return markup.table(Table(caption, columns, rows, is_small=True))


def _planes(found: PlaneList) -> Markup:
    rows: list[Sequence[Cell]] = [
        [plane.plane, *(plane.severities[severity] for severity in SEVERITIES), plane.inconclusive]
        for plane in found.planes
    ]
    return markup.table(
        Table(f"Severity of the signal in the newest {found.reviews:,} reviews", _PLANES, rows, is_small=True)
    )


def _records(found: ReviewList, names: Mapping[str, str]) -> Markup:
    rows: list[Sequence[Cell]] = [
        [
            record.created,
            names.get(record.repository, record.repository),
            record.author.partition(" <")[0],
            record.verdict,
            record.tier,
            ", ".join(record.rules),
            Link(record.digest[:12], _address(found.filters, record=record.digest)),
        ]
        for record in found.records
    ]
    return markup.table(Table("", _RECORDS, rows))


def _pager(found: ReviewList) -> Markup:
    page = found.filters.part
    return markup.pager(
        Pager(
            page,
            found.pages,
            Link("Newer", _address(found.filters, part=page - 1)) if page > 1 else None,
            Link("Older", _address(found.filters, part=page + 1)) if page < found.pages else None,
        )
    )


def _address(filters: ReviewFilters, **changes: str | int) -> dict[str, str]:
    return {"tab": _TAB, **filters.address(**changes)}
