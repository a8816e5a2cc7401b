"""The score as one self-contained HTML page with SVG plots.

All text from a case file or a tool is escaped. The page follows the reader's light or dark setting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from wardround_lab.evaluation.reports import MeasuredSet, percent, rate
from wardround_lab.evaluation.scoring import (
    NEAR,
    CategoryScore,
    Recall,
    RuleScore,
    SetScore,
    Share,
    sum_over_sets,
)

_PLOTTED = 40
_ROWS = 400
_CONFUSED = 24

_STYLE = """
:root { color-scheme: light dark; --text: #1c2024; --soft: #5b636b; --line: #d8dde2; --back: #ffffff;
  --panel: #f5f7f9; --one: #2563a8; --two: #c2681a; --bad: #b3261e; --band: #2563a833; --cell: 37 99 168; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e7ea; --soft: #9aa4ad; --line: #353b41;
  --back: #15181b; --panel: #1d2125; --one: #6ea8e6; --two: #e59a55; --bad: #f2857d; --band: #6ea8e633;
  --cell: 110 168 230; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 24px 20px 60px; background: var(--back);
  color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 36px 0 4px; }
p { margin: 4px 0 12px; color: var(--soft); max-width: 80ch; }
.figures { display: flex; flex-wrap: wrap; gap: 10px; margin: 18px 0 8px; }
.figure { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 8px 14px;
  min-width: 140px; }
.figure b { display: block; font-size: 20px; font-variant-numeric: tabular-nums; }
.figure span { color: var(--soft); font-size: 12px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; vertical-align: top; }
th { color: var(--soft); font-weight: 600; font-size: 12px; }
th:first-child, td:first-child { text-align: left; }
td.text, th.text { text-align: left; white-space: normal; overflow-wrap: anywhere; }
td.cell { text-align: center; }
.tilted th { vertical-align: bottom; } .tilted th + th { writing-mode: vertical-rl; transform: rotate(180deg);
  text-align: left; padding: 6px 0 0; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .soft { fill: var(--soft); }
svg .grid { stroke: var(--line); }
details summary { cursor: pointer; color: var(--soft); margin: 8px 0; }
"""


def render(measured: MeasuredSet) -> str:
    """Render the complete page."""
    score = measured.score
    rules, categories = sum_over_sets(score)
    sets = [score.sets[name] for name in sorted(score.sets)]
    total = score.total
    parts = [
        f"<h1>{escape(measured.source)}</h1>",
        f"<p>{escape(_subtitle(measured, total))}</p>",
        _figures(total),
        _sets_section(sets, total),
        _category_section(categories),
        _rule_section(rules),
        _confusion_section(categories),
        _trouble_section("Not reviewed", _reasons(score.unreviewed), ("cases", "tool", "reason")),
        _trouble_section("Excluded: the case contradicts itself", score.unusable, ("case", "reason")),
        _trouble_section("wardround failed", score.crashed, ("case", "reason")),
    ]
    body = "\n".join(part for part in parts if part)
    title = escape(f"wardround eval: {measured.source}")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _subtitle(measured: MeasuredSet, total: SetScore) -> str:
    settings = ", ".join(f"{key} {value}" for key, value in measured.settings.items() if value)
    text = (
        f"wardround {measured.version} on {total.cases} cases: {total.defect_cases} with defects, "
        f"{total.clean_cases} clean; {total.added_lines} added lines; {measured.seconds:.1f} s. {settings}."
    )
    if measured.interrupted:
        text += f" Interrupted: there are {measured.interrupted} cases."
    return text


def _figures(total: SetScore) -> str:
    recall = total.recall
    rows = [
        (percent(total.found_cases(NEAR).value), "defect cases found, within 3 lines"),
        (percent(Share(recall.exact, recall.expected).value), "expected lines found, same line"),
        (percent(Share(recall.near, recall.expected).value), "found within 3 lines"),
        (percent(total.precision.value), "findings in defect cases that are right"),
        (percent(total.false_alarms.value), "clean cases with a finding"),
        (rate(total.rate("warn", "error")), "warnings and errors per 100 added lines"),
        (rate(total.rate("error")), "errors per 100 added lines"),
        (str(total.not_fully_reviewed), "cases not fully reviewed"),
        (f"{1000 * total.seconds / max(total.cases, 1):.0f} ms", "per case"),
    ]
    boxes = (f'<div class="figure"><b>{escape(v)}</b><span>{escape(k)}</span></div>' for v, k in rows)
    return f'<div class="figures">{"".join(boxes)}</div>'


def _sets_section(sets: Sequence[SetScore], total: SetScore) -> str:
    shown = [*sets, total] if len(sets) > 1 else list(sets)
    text = (
        "Found: expected lines with a shown finding on the line, or within three lines. By its name: on "
        "the line, by a rule named as the expected category. With held back: old, waived and unproven "
        "findings count too. Right: findings in defect cases within three lines of an "
        "expected line. In brackets, and as bands in the plots, 95% intervals (Wilson)."
    )
    found = ("set", "cases", "cases found within 3", "places", "found, same line", "found within 3",
             "by its name", "with held back", "held back", "not fully reviewed", "ms/case")  # fmt: skip
    alerts = ("set", "added lines", "alerts /100", "warn+ /100", "error /100", "right", "clean cases",
              "false alarms")  # fmt: skip
    parts = [
        _section("Sets", text),
        _table(found, [_found_row(score) for score in shown]),
        "<br>",
        _table(alerts, [_alert_row(score) for score in shown]),
    ]
    anchored = [score for score in shown if score.anchored.expected]
    if anchored:
        head = ("set", "anchors of a fix, counted separately", "found, same line", "found within 3")
        parts += ["<br>", _table(head, [_anchor_row(score) for score in anchored])]
    recalls = [(score.name, score.recall) for score in shown if score.recall.expected]
    if recalls:
        parts += ["<br>", _recall_plot(recalls)]
    return "".join(parts)


def _found_row(item: SetScore) -> tuple[str, ...]:
    recall = item.recall
    return (
        item.name, str(item.cases), _format_interval(item.found_cases(NEAR)), str(recall.expected),
        _format_interval(Share(recall.exact, recall.expected)),
        _format_interval(Share(recall.near, recall.expected)),
        percent(Share(recall.named, recall.expected).value),
        percent(Share(recall.near_held_back, recall.expected).value), str(sum(item.held_back.values())),
        str(item.not_fully_reviewed), f"{1000 * item.seconds / max(item.cases, 1):.0f}",
    )  # fmt: skip


def _anchor_row(item: SetScore) -> tuple[str, ...]:
    recall = item.anchored
    shares = (Share(hits, recall.expected) for hits in (recall.exact, recall.near))
    return (item.name, str(recall.expected), *map(_format_interval, shares))


def _alert_row(item: SetScore) -> tuple[str, ...]:
    return (
        item.name, str(item.added_lines), rate(item.rate()), rate(item.rate("warn", "error")),
        rate(item.rate("error")), _format_interval(item.precision), str(item.clean_cases),
        _format_interval(item.false_alarms),
    )  # fmt: skip


def _format_interval(share: Share) -> str:
    if not share.of:
        return "-"
    low, high = share.interval
    return f"{percent(share.value)} ({100 * low:.0f}-{100 * high:.0f})"


def _category_section(categories: Sequence[CategoryScore]) -> str:
    if not categories:
        return ""
    ordered = sorted(categories, key=lambda c: (-c.recall.expected, c.category))
    head = ("expected", "places", "found, same line", "found within 3", "by its name", "with held back",
            "answered by")  # fmt: skip
    rows = [
        (c.category or "(none given)", str(c.recall.expected),
         _format_interval(Share(c.recall.exact, c.recall.expected)),
         _format_interval(Share(c.recall.near, c.recall.expected)),
         percent(Share(c.recall.named, c.recall.expected).value),
         percent(Share(c.recall.near_held_back, c.recall.expected).value), _count_text(c.by_rule))
        for c in ordered[:_ROWS]
    ]  # fmt: skip
    plot = _recall_plot([(c.category or "(none given)", c.recall) for c in ordered[:_PLOTTED]])
    text = _clip("What was expected, the most frequent first.", len(ordered), _PLOTTED, "plotted")
    return _section("Expected categories", text) + plot + _fold_table(_table(head, rows, text_from=6))


def _rule_section(rules: Sequence[RuleScore]) -> str:
    shown = sorted((r for r in rules if r.shown), key=lambda r: (-r.shown, r.rule))
    if not rules:
        return _section("Rules", "No rule said anything.")
    head = ("rule", "severity", "shown", "same line", "within 3", "in defect cases", "right",
            "in clean cases", "held back")  # fmt: skip
    ordered = sorted(rules, key=lambda r: (-r.shown, -r.held_back, r.rule))
    rows = [
        (r.rule, r.severity, str(r.shown), str(r.exact), str(r.right), str(r.in_defects),
         _format_interval(r.precision), str(r.in_clean), str(r.held_back))
        for r in ordered[:_ROWS]
    ]  # fmt: skip
    text = _clip("Findings shown, the most frequent rules first.", len(shown), _PLOTTED, "plotted")
    plot = _rule_plot(shown[:_PLOTTED]) if shown else ""
    return _section("Rules", text) + plot + _fold_table(_table(head, rows))


def _confusion_section(categories: Sequence[CategoryScore]) -> str:
    """Return the table of defect classes by expected category."""
    ordered = sorted(categories, key=lambda c: (-c.recall.expected, c.category))[:_CONFUSED]
    answers: Counter[str] = Counter()
    for score in ordered:
        answers += score.by_class
    columns = sorted(answers, key=lambda name: (-answers[name], name))[:_CONFUSED]
    if not columns:
        return ""
    head = ("expected", *columns)
    lines = []
    for score in ordered:
        cells = "".join(_cell(score.by_class[name], score.recall.expected) for name in columns)
        lines.append(f"<tr><td>{escape(score.category or '(none given)')}</td>{cells}</tr>")
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    text = (
        "How many of the expected places of a category (rows) have a shown finding of a defect class "
        "(columns) within three lines; a place may count for several. The stronger the colour, the larger "
        "the share."
    )
    table = f'<div class="scroll"><table class="tilted"><tr>{heads}</tr>{"".join(lines)}</table></div>'
    return _section("Who answers what", text) + table


def _cell(count: int, of: int) -> str:
    if not count:
        return '<td class="cell"></td>'
    shade = 0.1 + 0.6 * min(1.0, count / max(of, 1))
    return f'<td class="cell" style="background:rgb(var(--cell) / {shade:.2f})">{count}</td>'


def _trouble_section(title: str, rows: Iterable[Sequence[str]], head: Sequence[str]) -> str:
    listed = [tuple(row) for row in rows]
    if not listed:
        return ""
    text = _clip("", len(listed), _ROWS, "listed")
    return _section(title, text) + _table(head, listed[:_ROWS], text_from=1)


def _reasons(unreviewed: Counter[tuple[str, str]]) -> list[tuple[str, str, str]]:
    ordered = sorted(unreviewed.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(str(count), tool, reason) for (tool, reason), count in ordered]


# Drawing


_LABEL = 250
_WIDTH = 1140
_ROW = 22
_TOP = 26


def _recall_plot(rows: Sequence[tuple[str, Recall]]) -> str:
    """One line per row: the share found on the line (ring) and within three (dot), with the dot's
    interval.
    """
    left, right = _LABEL, _WIDTH - 110
    height = _TOP + _ROW * len(rows) + 8

    def x(share: float) -> float:
        return round(left + (right - left) * share, 1)

    out = [_grid(left, right, height)]
    for number, (name, recall) in enumerate(rows):
        y = _TOP + _ROW * number + _ROW / 2
        near, exact = Share(recall.near, recall.expected), Share(recall.exact, recall.expected)
        low, high = near.interval
        out += [
            _label(name, y),
            f'<rect x="{x(low)}" y="{y - 5}" width="{max(x(high) - x(low), 1):.1f}" height="10" rx="5" '
            f'fill="var(--band)"/>',
            f'<circle cx="{x(near.value or 0)}" cy="{y}" r="4.5" fill="var(--one)"/>',
            f'<circle cx="{x(exact.value or 0)}" cy="{y}" r="4.5" fill="none" stroke="var(--two)" '
            f'stroke-width="2"/>',
            f'<text x="{_WIDTH}" y="{y + 4}" text-anchor="end" class="soft">'
            f"{recall.near} of {recall.expected}</text>",
        ]
    legend = (
        '<circle cx="6" cy="10" r="4.5" fill="var(--one)"/><text x="16" y="14">within 3 lines</text>'
        '<circle cx="126" cy="10" r="4.5" fill="none" stroke="var(--two)" stroke-width="2"/>'
        '<text x="136" y="14">same line</text>'
    )
    return _svg(height, "share of expected lines found", [legend, *out])


def _rule_plot(rules: Sequence[RuleScore]) -> str:
    """One bar per rule: findings near an expected line, elsewhere in defect cases, and in clean cases."""
    left, right = _LABEL, _WIDTH - 60
    height = _TOP + _ROW * len(rows) + 8 if (rows := list(rules)) else _TOP
    most = max(rule.shown for rule in rows)
    out = []
    for number, rule in enumerate(rows):
        y = _TOP + _ROW * number
        out.append(_label(rule.rule, y + _ROW / 2))
        start = float(left)
        parts = ((rule.right, "var(--one)"), (rule.in_defects - rule.right, "var(--two)"),
                 (rule.in_clean, "var(--bad)"))  # fmt: skip
        for count, colour in parts:
            width = (right - left) * count / most
            if count:
                out.append(
                    f'<rect x="{start:.1f}" y="{y + 4}" width="{max(width, 1):.1f}" height="{_ROW - 8}" '
                    f'fill="{colour}"/>'
                )
            start += width
        out.append(f'<text x="{start + 6:.1f}" y="{y + _ROW / 2 + 4}" class="soft">{rule.shown}</text>')
    legend = "".join(
        f'<rect x="{x}" y="4" width="12" height="12" fill="{colour}"/><text x="{x + 17}" y="14">{name}</text>'
        for x, colour, name in (
            (0, "var(--one)", "near an expected line"),
            (170, "var(--two)", "elsewhere in a defect case"),
            (370, "var(--bad)", "in a clean case"),
        )
    )
    return _svg(height, "findings by rule", [legend, *out])


def _grid(left: float, right: float, height: float) -> str:
    lines = []
    for tenth in range(0, 11, 2):
        x = left + (right - left) * tenth / 10
        lines.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{height}"/>')
        lines.append(f'<text x="{x}" y="16" text-anchor="middle" class="soft">{10 * tenth}%</text>')
    return "".join(lines)


def _label(name: str, y: float) -> str:
    """Return the label of a row, truncated to fit; the full text is the tooltip."""
    room = 34
    short = name if len(name) <= room else f"{name[: room - 3]}..."
    complete = f"<title>{escape(name)}</title>"
    return f'<text x="{_LABEL - 10}" y="{y + 4}" text-anchor="end">{complete}{escape(short)}</text>'


def _svg(height: float, title: str, parts: Iterable[str]) -> str:
    return (
        f'<div class="scroll"><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" '
        f'style="min-width:760px">{"".join(parts)}</svg></div>'
    )


def _section(title: str, text: str) -> str:
    return f"<h2>{escape(title)}</h2>" + (f"<p>{escape(text)}</p>" if text else "")


def _clip(text: str, count: int, limit: int, how: str) -> str:
    return f"{text} The first {limit} of {count} are {how}.".strip() if count > limit else text


def _count_text(counts: Counter[str]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered[:6]) or "nothing"


def _fold_table(table: str) -> str:
    return f"<details><summary>as a table</summary>{table}</details>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], text_from: int = 99) -> str:
    """Return a table; columns from ``text_from`` on contain text."""

    def cells(row: Sequence[str], tag: str) -> str:
        kinds = (' class="text"' if number >= text_from else "" for number in range(len(row)))
        return "".join(f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, row, strict=True))

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{cells(head, "th")}</tr>{body}</table></div>'
