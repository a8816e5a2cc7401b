"""The tab of rules: how people reacted to their findings, and one rule opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from wardround_lab.dashboard import markup
from wardround_lab.dashboard.events import show_address
from wardround_lab.dashboard.markup import Cell, Column, Link, Table
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.record_content import RecordContents
from wardround_lab.dashboard.views.rule_list import RuleRow, rule_list
from wardround_lab.dashboard.views.rule_page import RulePage, ShownFinding, rule_page

_TAB = "rules"
_MOST_ROWS = 200
_RULES = (
    Column("Rule", "code"),
    Column("Noise", "number"),
    Column("Reviews", "number"),
    Column("Findings", "number"),
    Column("Fixed", "number"),
    Column("Dismissed", "number"),
    Column("Worth raising", "number"),
    Column("True, not worth it", "number"),
    Column("Wrong", "number"),
    Column("Unclear", "number"),
)
_FINDINGS = (
    Column("Time (UTC)", "time"),
    Column("Place", "code"),
    Column("Finding"),
    Column("Record", "code"),
)
_DISMISSALS = (Column("Day", "time"), Column("File", "code"), Column("Reason"))
_REASONS = (Column("Reason", "code"), Column("Meaning"), Column("Readings", "number"))
_NOISE = (
    "Noise is the share of findings that people dismissed, or read as wrong or as true but not worth "
    "raising, among those and the ones that they fixed or read as worth raising. First are the rules with "
    "the most reviews times the noise that is certain at 95%."
)


class RulesTab:
    """The rules, the noisiest first, and one of them opened."""

    name = "Rules"

    def build(self, stores: Stores) -> None:
        contents = RecordContents()
        show_address(_TAB, lambda query: page(stores, contents, query))


def page(stores: Stores, contents: RecordContents, query: Mapping[str, str]) -> Markup:
    """Return the content of the tab for the parameters of an address."""
    if "rule" in query:
        return _one(rule_page(stores, contents, query["rule"]))
    found = rule_list(stores, contents)
    if not found.rows:
        return markup.hint(
            "No rule has a recorded finding, a dismissal or a reading yet. Record a review, dismiss a "
            "finding, or read some:",
            "wardround review --store ~/.local/state/wardround/records.sqlite",
            "wardround dismiss FINGERPRINT --reason TEXT",
            "wardround eval judge . --reader NAME",
        )
    rows = [_row(row) for row in found.rows[:_MOST_ROWS]]
    caption = (
        f"{len(rows):,} of {len(found.rows):,} rules. Findings are of the newest {found.reviews:,} reviews; "
        "one is fixed if the last review of the same change does not have it."
    )
    return markup.section(
        "Rules, the noisiest first", markup.note(_NOISE), markup.table(Table(caption, _RULES, rows))
    )


def _row(row: RuleRow) -> Sequence[Cell]:
    return [Link(row.rule, {"tab": _TAB, "rule": row.rule}), _noise(row), *_numbers(row)]


def _noise(row: RuleRow) -> str | None:
    return None if row.noise is None else f"{row.noise:.0%} of {row.judged}"


def _numbers(row: RuleRow) -> Sequence[Cell]:
    readings, outcome = row.readings, row.outcome
    fixed = f"{outcome.fixed} of {outcome.reviewed_again}" if outcome.reviewed_again else None
    verdicts = (readings.worth, readings.true, readings.wrong, readings.unclear)
    return [row.reviews, outcome.shown, fixed, row.dismissed, *(verdicts if readings.read else [None] * 4)]


def _one(page: RulePage) -> Markup:
    row = page.row
    labels = [column.name for column in _RULES[2:]]
    return markup.join(
        markup.actions(
            Link("All rules", {"tab": _TAB}), Link("Its reviews", {"tab": "reviews", "rule": row.rule})
        ),
        markup.section(
            row.rule, markup.facts([("Noise", _noise(row)), *zip(labels, _numbers(row), strict=True)])
        ),
        markup.section("Documentation", _documentation(page)),
        _reasons(page),
        _dismissals(page),
        markup.section("Newest findings", _findings(page.findings)),
    )


def _documentation(page: RulePage) -> Markup:
    if page.documentation:
        return markup.code(page.documentation)
    return markup.note(
        "This installation does not know the rule; the version or the plugin that has it does."
    )


def _reasons(page: RulePage) -> Markup:
    if not page.reasons:
        return Markup()
    return markup.section("Reasons of its readings", markup.table(Table("", _REASONS, page.reasons)))


def _dismissals(page: RulePage) -> Markup:
    if not page.dismissals:
        return Markup()
    rows = [[entry.day.isoformat(), entry.file, entry.reason] for entry in page.dismissals]
    return markup.section("Dismissals", markup.table(Table("", _DISMISSALS, rows)))


def _findings(findings: Sequence[ShownFinding]) -> Markup:
    if not findings:
        return markup.note("The newest reviews have no finding of this rule.")
    rows: list[Sequence[Cell]] = [
        [
            shown.record.created,
            f"{shown.finding.file}:{shown.finding.line}",
            shown.finding.message,
            Link(shown.record.digest[:12], {"tab": "reviews", "record": shown.record.digest}),
        ]
        for shown in findings
    ]
    return markup.table(Table("", _FINDINGS, rows))
