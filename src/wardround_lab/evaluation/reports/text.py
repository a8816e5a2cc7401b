"""The score as tables for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wardround.text.escaping import one_line
from wardround_lab.evaluation.reports import MeasuredSet, percent, rate, table
from wardround_lab.evaluation.scoring import NEAR, CategoryScore, RuleScore, SetScore, Share, sum_over_sets

_LISTED = 12
_ROWS = 60
_ANSWERS = 3
_NOTES = (
    "cases found: cases with defects of which one expected line has a finding within 3 lines; anchors: lines",
    "that a fix is attached to, counted separately;",
    "found: expected lines with a finding within 0 or 3 lines; by its name: on the line, by a rule named as",
    "what was expected; with held back: old, waived and unproven findings count too; right: share of the",
    "findings in defect cases within 3 lines of an expected line; alerts: findings for each 100 added lines",
    "of reviewed files; false alarms: clean cases with a finding.",
)


def render(measured: MeasuredSet) -> str:
    """Render the complete report."""
    score = measured.score
    rules, categories = sum_over_sets(score)
    sets = [score.sets[name] for name in sorted(score.sets)]
    parts = [
        _head(measured),
        *_sets(sets if len(sets) == 1 else [*sets, score.total]),
        *_rules(rules),
        *_categories(categories),
        *_list_lines("not reviewed, cases by reason", _reasons(score.unreviewed)),
        *_list_lines(
            "excluded cases, since they contradict themselves", [f"{p}: {r}" for p, r in score.unusable]
        ),
        *_list_lines("wardround failed", [f"{p}: {r}" for p, r in score.crashed]),
    ]
    return "\n".join(parts) + "\n"


def _head(measured: MeasuredSet) -> str:
    total = measured.score.total
    each = 1000 * measured.seconds / max(total.cases, 1)
    text = (
        f"{measured.source}: {total.cases} cases, {total.defect_cases} with defects, "
        f"{total.clean_cases} clean, {total.added_lines} added lines, {measured.seconds:.1f} s, "
        f"{each:.0f} ms a case"
    )
    if measured.interrupted:
        text += f"\ninterrupted: {total.cases} of {measured.interrupted} cases were reviewed"
    return text


def _sets(sets: Sequence[SetScore]) -> list[str]:
    found = ("set", "cases", "cases found +-3", "95%", "places", "found +-0", "found +-3", "95%",
             "by its name", "with held back", "held back", "not fully reviewed", "ms/case")  # fmt: skip
    alerts = ("set", "added lines", "alerts/100", "warn+/100", "error/100", "right", "95%", "clean cases",
              "false alarms", "95%")  # fmt: skip
    return [
        "",
        *table(found, [_result_cells(score) for score in sets]),
        *_anchor_lines(sets),
        "",
        *table(alerts, [_alerts(score) for score in sets]),
        "",
        *_NOTES,
    ]


def _anchor_lines(sets: Sequence[SetScore]) -> list[str]:
    """Return the positions that are anchors of a fix, if a set has any; the tables above exclude them."""
    rows = [
        (score.name, str(recall.expected), percent(Share(recall.exact, recall.expected).value),
         percent(Share(recall.near, recall.expected).value), _interval(Share(recall.near, recall.expected)))
        for score in sets
        if (recall := score.anchored).expected
    ]  # fmt: skip
    return ["", *table(("set", "anchors", "found +-0", "found +-3", "95%"), rows)] if rows else []


def _result_cells(item: SetScore) -> tuple[str, ...]:
    recall = item.recall
    exact, near, all_near = (
        Share(hits, recall.expected) for hits in (recall.exact, recall.near, recall.near_held_back)
    )
    return (
        item.name, str(item.cases), percent(item.found_cases(NEAR).value), _interval(item.found_cases(NEAR)),
        str(recall.expected), percent(exact.value), percent(near.value),
        _interval(near), percent(Share(recall.named, recall.expected).value),
        percent(all_near.value), str(sum(item.held_back.values())),
        str(item.not_fully_reviewed), f"{1000 * item.seconds / max(item.cases, 1):.0f}",
    )  # fmt: skip


def _alerts(item: SetScore) -> tuple[str, ...]:
    return (
        item.name, str(item.added_lines), rate(item.rate()), rate(item.rate("warn", "error")),
        rate(item.rate("error")), percent(item.precision.value), _interval(item.precision),
        str(item.clean_cases), percent(item.false_alarms.value), _interval(item.false_alarms),
    )  # fmt: skip


def _interval(share: Share) -> str:
    if not share.of:
        return "-"
    low, high = share.interval
    return f"{100 * low:.0f}-{100 * high:.0f}"


def _rules(rules: Sequence[RuleScore]) -> list[str]:
    if not rules:
        return ["", "no rule said anything"]
    head = (
        "rule",
        "shown",
        "at the line",
        "within 3",
        "in defect cases",
        "right",
        "in clean cases",
        "held back",
    )
    ordered = sorted(rules, key=lambda r: (-r.shown, -r.held_back, r.rule))
    rows = [
        (r.rule, str(r.shown), str(r.exact), str(r.right), str(r.in_defects), percent(r.precision.value),
         str(r.in_clean), str(r.held_back))
        for r in ordered[:_ROWS]
    ]  # fmt: skip
    return ["", *table(head, rows), *_more(len(ordered) - _ROWS, "rules")]


def _categories(categories: Sequence[CategoryScore]) -> list[str]:
    if not categories:
        return []
    head = ("expected", "places", "found +-0", "found +-3", "by its name", "with held back", "answered by")
    ordered = sorted(categories, key=lambda c: (-c.recall.expected, c.category))
    rows = [
        (c.category or "(none given)", str(c.recall.expected),
         percent(Share(c.recall.exact, c.recall.expected).value),
         percent(Share(c.recall.near, c.recall.expected).value),
         percent(Share(c.recall.named, c.recall.expected).value),
         percent(Share(c.recall.near_held_back, c.recall.expected).value), _answers(c.by_rule))
        for c in ordered[:_ROWS]
    ]  # fmt: skip
    return ["", *table(head, rows, text_last=True), *_more(len(ordered) - _ROWS, "categories")]


def _answers(counts: Counter[str]) -> str:
    first = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_ANSWERS]
    return ", ".join(f"{name} {count}" for name, count in first) or "nothing"


def _reasons(unreviewed: Counter[tuple[str, str]]) -> list[str]:
    ordered = sorted(unreviewed.items(), key=lambda pair: (-pair[1], pair[0]))
    return [f"{count:5}  {tool}: {reason}" for (tool, reason), count in ordered]


def _list_lines(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    return [
        "",
        f"{title}:",
        *(f"  {one_line(line)}" for line in lines[:_LISTED]),
        *_more(len(lines) - _LISTED, ""),
    ]


def _more(count: int, what: str) -> list[str]:
    return [f"  and {count} more {what}".rstrip()] if count > 0 else []
