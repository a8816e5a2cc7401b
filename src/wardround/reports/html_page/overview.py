"""The sections of the HTML report before and after the findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wardround.planes.signal import PlaneStatus, Signal
from wardround.reports import statements
from wardround.reports.html_page.elements import Markup, element, join
from wardround.reports.unreviewed_groups import unreviewed_groups
from wardround.review_result import ReviewResult

_DIGITS = 12


def header(review: ReviewResult) -> Markup:
    """Return outcome, verdict and reasons."""
    verdict, outcome = review.conclusion.verdict, review.gate.outcome.value
    approvals = f", {verdict.approvals} approvals" if verdict.approvals else ""
    named = f"{verdict.name.value} ({verdict.tier.value}{approvals})"
    reasons = [*review.gate.reasons, *(reason.text for reason in verdict.reasons)]
    return element(
        "header",
        element("p", "wardround review", class_="product"),
        element("h1", element("span", outcome, class_=f"outcome {outcome}"), " ", named),
        _facts(review),
        *bullet_list(reasons),
    )


def _facts(review: ReviewResult) -> Markup:
    context = review.context
    facts = {
        "Base": context.change.base[:_DIGITS],
        "Head": context.change.head[:_DIGITS],
        "Files": str(len(context.change.files)),
        "Lines added": str(context.added_lines),
        "Policy": review.conclusion.verdict.policy,
    }
    pairs = (element("div", element("dt", name), element("dd", value)) for name, value in facts.items())
    return element("dl", *pairs, class_="facts")


def planes(signals: Sequence[Signal]) -> Markup:
    """Return the table of the planes, with what each confidence follows from."""
    rows = [_plane_row(signal) for signal in signals]
    head = row("th", "Plane", "Status", "Most severe", "Confidence", "Findings", scope="col")
    return section("Planes", table(head, rows))


def _plane_row(signal: Signal) -> Markup:
    if signal.status is PlaneStatus.NOT_APPLICABLE:
        return row("td", signal.plane.value, signal.status.value, "", "", "")
    explained = [*signal.reasons, *signal.derivation]
    named: str | Markup = signal.plane.value
    if explained:
        named = element("details", element("summary", signal.plane.value), *bullet_list(explained))
    tag = element("span", signal.status.value, class_=f"status {signal.status.value}")
    return row("td", named, tag, signal.severity, f"{signal.confidence:.2f}", str(len(signal.findings)))


def after_findings(review: ReviewResult) -> Iterator[Markup]:
    """Yield what was not reviewed, the notes, and the tools that ran."""
    if review.unreviewed:
        yield section("Not reviewed", _gaps(review))
    parts = {
        "Run": statements.run_results(review),
        "Notes": statements.notes(review),
        "Not shown": list(statements.held_back(review)),
    }
    yield from (section(title, *bullet_list(lines)) for title, lines in parts.items() if lines)
    if review.runs:
        rows = [row("td", run.tool, run.version, str(run.files)) for run in review.runs]
        yield section("Tools", table(row("th", "Tool", "Version", "Files", scope="col"), rows))


def _gaps(review: ReviewResult) -> Markup:
    rows = []
    for group in unreviewed_groups(review.unreviewed):
        files = group.files
        named = element("details", element("summary", f"{len(files)} files"), *bullet_list(files))
        rows.append(row("td", group.tool, group.reason, files[0] if len(files) == 1 else named))
    return table(row("th", "Tool", "Reason", "Files", scope="col"), rows)


def section(title: str, *children: Markup) -> Markup:
    """Return a section with a heading that names it."""
    identity = title.lower().replace(" ", "-")
    heading = element("h2", title, id=identity)
    return element("section", heading, *children, aria_labelledby=identity)


def bullet_list(lines: Iterable[str]) -> list[Markup]:
    """Return lines as a list; nothing without any."""
    items = [element("li", line) for line in lines]
    return [element("ul", *items)] if items else []


def table(head: Markup, rows: Sequence[Markup]) -> Markup:
    """Return a table that scrolls where it is too wide."""
    content = element("table", element("thead", head), element("tbody", *rows))
    return element("div", content, class_="wide", tabindex=0)


def row(cell: str, *values: str | Markup, **attributes: str) -> Markup:
    """Return a row of a table, of cells of one kind."""
    return element("tr", *(element(cell, join(value), **attributes) for value in values))
