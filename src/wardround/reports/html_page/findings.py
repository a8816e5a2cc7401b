"""The findings of the HTML report by file, and the filters above them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from wardround.findings import Finding, Severity, Status
from wardround.reports.finding_code import CodeLine, code_lines, fix_diff
from wardround.reports.html_page.elements import Markup, code_text, element, join
from wardround.reports.html_page.overview import section
from wardround.reports.rule_address import linkable_address
from wardround.review_result import ReviewResult

_MOST_FIX_LINES = 40
_LONGEST_LINE = 500
_MOST_OPEN = 300
"""Findings whose files are open at first, besides the first file; a browser draws closed ones later."""
_NOTES = {Status.CAUSED: "caused by this change", Status.EXISTING: "was there before"}


def findings(review: ReviewResult) -> Markup:
    """Return the section of the findings: all that are visible, waived ones too."""
    ordered = sorted(review.visible, key=lambda f: (f.file, f.span.start, -f.severity, f.rule))
    if not ordered:
        return section("Findings", element("p", "No findings."))
    counted = element("p", f"{len(ordered)} findings", id="count", role="status")
    return section("Findings", _filters(ordered), counted, *_files(review, ordered))


def _filters(ordered: Sequence[Finding]) -> Markup:
    """Return the filters, which a browser without scripts does not show."""
    severities = [level.label for level in reversed(Severity)]
    menus = {
        "severity": [name for name in severities if any(f.severity.label == name for f in ordered)],
        "plane": sorted({finding.plane.value for finding in ordered}),
        "status": sorted({finding.status.value for finding in ordered}),
    }
    fields = [_menu(name, values) for name, values in menus.items()]
    fields += [_text_field("file", "part of a path"), _text_field("text", "rule, message or code")]
    return element("form", *fields, id="filters", hidden=True, aria_label="Filter the findings")


def _text_field(name: str, hint: str) -> Markup:
    field = element("input", type="search", id=f"filter-{name}", autocomplete="off", placeholder=hint)
    return element("label", f"{name.capitalize()} ", field)


def _menu(name: str, values: Sequence[str]) -> Markup:
    choices = [("", "all"), *((value, value) for value in values)]
    options = [element("option", text, value=value) for value, text in choices]
    return element("label", f"{name.capitalize()} ", element("select", *options, id=f"filter-{name}"))


def _files(review: ReviewResult, ordered: Sequence[Finding]) -> Iterator[Markup]:
    before = 0
    for path, group in groupby(ordered, key=lambda finding: finding.file):
        source = (review.text_of(path) or "").split("\n")
        cards = [_card(finding, source) for finding in group]
        title = element("summary", element("h3", path), f" {len(cards)}")
        is_open = before == 0 or before + len(cards) <= _MOST_OPEN
        yield element("details", title, *cards, class_="file", open=is_open)
        before += len(cards)


def _card(finding: Finding, source: Sequence[str]) -> Markup:
    severity, status = finding.severity.label, finding.status.value
    note = _NOTES.get(finding.status, "")
    head = element(
        "p",
        element("span", severity, class_=f"severity {severity}"),
        f" line {finding.span.line} ",
        _rule(finding),
        *([element("span", f" {note}", class_="note")] if note else []),
        *([element("span", " waived", class_="note")] if finding.status is Status.SUPPRESSED else []),
    )
    parts = [head, element("p", finding.message, class_="message")]
    parts += _code(code_lines(finding, source))
    parts += [element("p", " ".join(finding.rationale.split()))] if finding.rationale else []
    parts += _fix(finding, source)
    data = {"data_severity": severity, "data_plane": finding.plane.value, "data_status": status}
    return element("article", *parts, id=f"f-{finding.fingerprint}", class_="finding", **data)


def _rule(finding: Finding) -> Markup:
    if address := linkable_address(finding.url):
        return element("a", finding.rule, href=address, rel="noreferrer")
    return element("code", finding.rule)


def _code(lines: Iterable[CodeLine]) -> list[Markup]:
    """Return lines as a block without elements, for pages with 30,000 findings."""
    rows = [code_text(f"{line.number:>5} {line.text[:_LONGEST_LINE]}") for line in lines]
    return [element("pre", Markup("\n".join(rows)), tabindex=0)] if rows else []


def _fix(finding: Finding, source: Sequence[str]) -> list[Markup]:
    fix = finding.suggested_fix
    if fix is None or finding.masked:
        return []
    diff = fix_diff(fix, source)[:_MOST_FIX_LINES]
    if not diff:
        return []
    kinds = {"+": "ins", "-": "del"}
    rows = [element(kinds.get(line[0], "span"), code_text(line[:_LONGEST_LINE])) for line in diff]
    safety = "" if fix.safe else " (check it first)"
    block = element("pre", Markup("\n".join(rows)), tabindex=0)
    return [element("p", join(f"Fix{safety}: ", fix.description)), block]
