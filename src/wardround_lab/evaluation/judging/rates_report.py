"""The tables of judgements as text and JSON, and the table that ships with the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wardround.rules.judgements import FindingKey, Judgement, Verdict, key_id
from wardround.rules.reading_counts import ReadingCounts
from wardround.text.escaping import json_text
from wardround_lab.evaluation.judging.agreement import Agreement
from wardround_lab.evaluation.judging.rates import Verdicts, counts_of, interval
from wardround_lab.evaluation.judging.standing import CatalogueChanges, RuleLevels

_SHOWN = (Verdict.WORTH, Verdict.TRUE, Verdict.WRONG)


class Rate(msgspec.Struct, frozen=True):
    """A share with its 95% interval, each from 0 to 1."""

    share: float
    low: float
    high: float


class RatesRow(msgspec.Struct, frozen=True):
    """The rates of one group of findings."""

    group: str
    counts: ReadingCounts
    rates: dict[Verdict, Rate]


def rates_rows(groups: Mapping[str, Verdicts], *, by_repository: bool) -> list[RatesRow]:
    """Return the rates of groups, those with the most findings first.

    Args:
        by_repository: the intervals resample repositories; they are Wilson's otherwise.
    """
    rows = [_rates_row(name, some, by_repository) for name, some in groups.items()]
    return sorted(rows, key=lambda row: (-row.counts.read, row.group))


def _rates_row(name: str, verdicts: Verdicts, by_repository: bool) -> RatesRow:
    counts = counts_of(verdicts)
    rates = {
        verdict: Rate(counts.share(verdict), *interval(verdicts, verdict, by_repository=by_repository))
        for verdict in _SHOWN
    }
    return RatesRow(name, counts, rates)


def rates_table(title: str, rows: Sequence[RatesRow]) -> str:
    """Return one line a group: findings, repositories, and the shares with their 95% intervals in percent."""
    head = f"{'read':>5} {'repos':>5}" + "".join(f" {verdict:>16}" for verdict in _SHOWN) + f"  {title}"
    return "\n".join([head, *map(_line, rows)]) + "\n"


def _line(row: RatesRow) -> str:
    cells = "".join(f" {_percent(row.rates[verdict]):>16}" for verdict in _SHOWN)
    return f"{row.counts.read:5} {row.counts.repositories:5}{cells}  {row.group}"


def _percent(rate: Rate) -> str:
    return f"{100 * rate.share:.0f}% [{100 * rate.low:.0f}, {100 * rate.high:.0f}]"


def as_json(value: Any) -> str:
    """Return any of the values here as JSON."""
    return json_text(msgspec.json.format(msgspec.json.encode(value), indent=2)) + "\n"


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
        verdicts = ", ".join(f"{reading.verdict} ({reading.reason})" for reading in readings[key])
        lines.append(f"    {key.repository} {key.commit[:12]} {key.path}:{key.line} {key.rule}: {verdicts}")
    return "\n".join(lines) + "\n"


def agreement_json(agreed: Agreement, keys: Sequence[FindingKey]) -> str:
    """Return the agreement, and the findings that need another reading, without the verdicts so far."""
    due = [{"id": key_id(key), **msgspec.structs.asdict(key)} for key in keys]
    return as_json({"agreement": agreed, "third_readings": due})


def plan_text(plan: CatalogueChanges) -> str:
    """Return the changes of the catalogue that follow from readings, and the rules that overrides keep."""
    lines = [_standing_line(level) for level in plan.levels]
    lines += [
        f"{kind.rule} is {'on' if kind.turns_off else 'off'} in {kind.kind}, and turns"
        f" {'off' if kind.turns_off else 'on'}: {kind.counts.summary()}"
        for kind in plan.kinds
    ]
    return "\n".join(lines or ["catalogue and readings agree"]) + "\n"


def _standing_line(standing: RuleLevels) -> str:
    retained = (
        ""
        if standing.override is None
        else f"; kept for {standing.override.damage}: {standing.override.reason}"
    )
    levels = f"{standing.rule} is at {standing.present}, and its readings allow {standing.following}"
    return f"{levels}: {standing.counts.summary()}{retained}"


def counts_file(counts: Mapping[str, ReadingCounts]) -> str:
    """Return the content of the table that ships with the rules."""
    lines = [
        "# Verdicts of readers about findings on real commits, without those in kinds of files in which a",
        "# rule is off (off_in.yml); `wardround eval rates --update` writes them.",
    ]
    lines += [f"{rule}: {_flow(count)}" for rule, count in sorted(counts.items())]
    return "\n".join(lines) + "\n"


def _flow(counts: ReadingCounts) -> str:
    verdicts = "".join(f', "{verdict}": {counts.of(verdict)}' for verdict in Verdict if counts.of(verdict))
    removed = f', "no_longer_reported": {counts.no_longer_reported}' if counts.no_longer_reported else ""
    return f"{{repositories: {counts.repositories}{verdicts}{removed}}}"
