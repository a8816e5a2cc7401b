"""The trend of the HTML report: findings and verdict of the last recorded reviews, and of the present one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.findings import Severity
from wardround.policy.verdict import VerdictName
from wardround.reports.html_page.elements import Markup, element
from wardround.reports.html_page.overview import row, section, table
from wardround.review_history import PastReview, SeverityCounts
from wardround.review_result import ReviewResult

_DIGITS = 12
_LEFT, _STEP, _BAR = 100, 12, 8
"""Pixels: the labels, from bar to bar, and a bar. With 21 reviews the chart is as wide as a small phone."""
_TOP, _HEIGHT = 14, 80
_VERDICTS = 120
"""The position of the first row of verdicts."""
_ROW = 16
_PRESENT = "this review"


def trend(review: ReviewResult) -> Iterator[Markup]:
    """Yield the section; nothing without a store."""
    history = review.history
    if history is None:
        return
    if history.problem:
        yield section("Trend", element("p", f"The earlier reviews cannot be shown: {history.problem}"))
    elif history.reviews:
        reviews = [*history.reviews, _present(review)]
        yield section("Trend", _introduction(reviews), _chart(reviews), _details(reviews))
    else:
        yield section("Trend", element("p", "The record store has no earlier review of this repository."))


def _present(review: ReviewResult) -> PastReview:
    conclusion = review.conclusion
    counts = SeverityCounts.of(finding.severity for finding in conclusion.evidence.introduced)
    verdict = conclusion.verdict
    return PastReview(_PRESENT, conclusion.context.head, verdict.name.value, verdict.tier.value, counts)


def _introduction(reviews: Sequence[PastReview]) -> Markup:
    earlier = len(reviews) - 1
    noun = "review" if earlier == 1 else f"{earlier} reviews"
    legend = [element("span", level.label, class_=f"severity {level.label}") for level in Severity]
    return element(
        "p",
        f"Findings that each change introduced, and verdict, of the last {noun} in the record store and of "
        "this one, at the right. From top to bottom: ",
        *(part for label in legend for part in (label, " ")),
        class_="note",
    )


def _chart(reviews: Sequence[PastReview]) -> Markup:
    """Return bars of the findings above a row of dots for each verdict; the table has the numbers."""
    most = max((past.counts.total for past in reviews if past.counts is not None), default=0)
    width = _LEFT + _STEP * len(reviews) + 2
    height = _VERDICTS + _ROW * len(VerdictName)
    columns = (_column(past, number, most) for number, past in enumerate(reviews))
    chart = element(
        "svg",
        *_axes(width, most),
        *columns,
        class_="trend",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label="Chart of findings and verdict by review; the table below has its numbers",
    )
    return element("div", chart, class_="wide", tabindex=0)


def _axes(width: int, most: int) -> Iterator[Markup]:
    for label, top in ((f"{most} finding{'' if most == 1 else 's'}", _TOP), ("0", _TOP + _HEIGHT)):
        yield _label(label, top + 4)
        yield element("line", x1=_LEFT, x2=width, y1=top, y2=top)
    for name in VerdictName:
        middle = _verdict_row(name)
        yield _label(name.value, middle + 4)
        yield element("line", x1=_LEFT, x2=width, y1=middle, y2=middle)


def _label(text: str, baseline: int) -> Markup:
    return element("text", text, x=_LEFT - 8, y=baseline, text_anchor="end")


def _verdict_row(name: VerdictName) -> int:
    return _VERDICTS + name.strictness * _ROW


def _column(past: PastReview, number: int, most: int) -> Markup:
    left = _LEFT + _STEP * number + (_STEP - _BAR) // 2
    title = element("title", f"{_moment(past)}: {past.verdict}, {_counts_text(past)}")
    return element("g", title, *_bars(past.counts, left, most), *_dot(past, left))


def _bars(counts: SeverityCounts | None, left: int, most: int) -> Iterator[Markup]:
    """Yield the parts of a bar, errors at its foot."""
    if counts is None or not most:
        return
    below = 0
    for level, count in zip(reversed(Severity), (counts.error, counts.warn, counts.info), strict=True):
        if count:
            top, foot = (_TOP + _HEIGHT - _HEIGHT * part / most for part in (below + count, below))
            size = {"y": f"{top:.1f}", "height": f"{foot - top:.1f}"}
            yield element("rect", x=left, width=_BAR, class_=level.label, **size)
        below += count


def _dot(past: PastReview, left: int) -> Iterator[Markup]:
    """Yield the dot of a verdict; this version may not know one of another version."""
    if past.verdict in list(VerdictName):
        kind = "present" if past.created == _PRESENT else "past"
        middle = _verdict_row(VerdictName(past.verdict))
        yield element("circle", cx=left + _BAR // 2, cy=middle, r=_BAR // 2, class_=kind)


def _details(reviews: Sequence[PastReview]) -> Markup:
    head = row("th", "Time (UTC)", "Head", "Verdict", "Tier", "Errors", "Warnings", "Notes", scope="col")
    rows = [
        row("td", _moment(past), past.head[:_DIGITS], past.verdict, past.tier, *_cells(past.counts))
        for past in reviews
    ]
    title = element("summary", "The reviews as a table")
    return element("details", title, table(head, rows), class_="reviews")


def _moment(past: PastReview) -> str:
    """Return the time of a review to the minute, or the name of the present one."""
    return past.created[:16].replace("T", " ") if past.created.endswith("Z") else past.created


def _cells(counts: SeverityCounts | None) -> list[str]:
    if counts is None:
        return ["not readable"] * 3
    return [str(count) for count in (counts.error, counts.warn, counts.info)]


def _counts_text(past: PastReview) -> str:
    if past.counts is None:
        return "findings not readable"
    return f"{past.counts.error} error, {past.counts.warn} warn, {past.counts.info} info"
