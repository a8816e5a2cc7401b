"""The tables of judgements as text, and the table that ships with the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wardround.rules.judgements import FindingKey, Judgement, Verdict
from wardround.rules.reading_counts import ReadingCounts
from wardround_lab.evaluation.intervals import wilson
from wardround_lab.evaluation.judging.agreement import Agreement
from wardround_lab.evaluation.judging.standing import Standing

_SHOWN = (Verdict.WORTH, Verdict.TRUE, Verdict.WRONG)


def rates_table(title: str, counts: Mapping[str, ReadingCounts]) -> str:
    """Return one line a group: findings, repositories, and the shares with their 95% intervals in percent."""
    head = f"{'read':>5} {'repos':>5}" + "".join(f" {verdict:>16}" for verdict in _SHOWN) + f"  {title}"
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1].read, entry[0]))
    return "\n".join([head, *(_rates_row(name, one) for name, one in ordered)]) + "\n"


def _rates_row(name: str, counts: ReadingCounts) -> str:
    cells = "".join(f" {_share(counts.of(verdict), counts.read):>16}" for verdict in _SHOWN)
    return f"{counts.read:5} {counts.repositories:5}{cells}  {name}"


def _share(hits: int, of: int) -> str:
    low, high = wilson(hits, of)
    return f"{100 * hits / of:.0f}% [{100 * low:.0f}, {100 * high:.0f}]"


def agreement_text(agreed: Agreement) -> str:
    """Return the agreement of two readings, in all and by verdict."""
    if not agreed.pairs:
        return "no finding has two readings\n"
    lines = [f"{agreed.agreed} of {agreed.pairs} second readings agree, kappa {_kappa(agreed.kappa)}"]
    lines += [f"    {verdict:8} kappa {_kappa(value)}" for verdict, value in agreed.by_verdict.items()]
    return "\n".join(lines) + "\n"


def _kappa(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def disagreements_text(keys: Sequence[FindingKey], readings: Mapping[FindingKey, Sequence[Judgement]]) -> str:
    """Return the findings that need another reading, with the verdicts so far."""
    if not keys:
        return "no disagreement\n"
    lines = [f"{len(keys)} findings need another reading"]
    for key in keys:
        verdicts = ", ".join(f"{one.verdict} ({one.reason})" for one in readings[key])
        lines.append(f"    {key.repository} {key.commit[:12]} {key.path}:{key.line} {key.rule}: {verdicts}")
    return "\n".join(lines) + "\n"


def standings_text(standings: Iterable[Standing]) -> str:
    """Return the rules whose level is not the one that they have earned."""
    lines = []
    for one in standings:
        kept = "" if one.override is None else f"; kept for {one.override.damage}: {one.override.reason}"
        levels = f"{one.rule} is at {one.current}, and its readings allow {one.earned}"
        lines.append(f"{levels}: {one.counts.summary()}{kept}")
    return "\n".join(lines or ["catalogue and readings agree"]) + "\n"


def counts_file(counts: Mapping[str, ReadingCounts]) -> str:
    """Return the content of the table that ships with the rules."""
    lines = [
        "# Verdicts of readers about findings on real commits; `wardround eval rates --update` writes them."
    ]
    lines += [f"{rule}: {_flow(one)}" for rule, one in sorted(counts.items())]
    return "\n".join(lines) + "\n"


def _flow(counts: ReadingCounts) -> str:
    verdicts = "".join(f', "{verdict}": {counts.of(verdict)}' for verdict in Verdict if counts.of(verdict))
    return f"{{repositories: {counts.repositories}{verdicts}}}"
