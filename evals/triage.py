"""Evaluate triage without a model on held-out repositories: which alerts are acted on.

    wardround data mine --alerts REPO ... --out FOLDER
    python evals/triage.py FOLDER/alerts/*.jsonl

Every repository is held out once: the rates and weights are fitted on the others. First come the rules that
are shown, at several thresholds of fix rate / placebo rate: the share of all alerts that is held back, the
share of those acted on that is shown, and the fix rate (and placebo rate) of shown and hidden ones; sweeps
count, at the natural mix. Then the ranking, without sweeps: how often an alert that was acted on ranks above
one of the same repository that was not, by the rate of its rule alone and with the counters, and what share
can be held back in each repository while nine in ten of those acted on stay. The last two fold as a review
does: rules below twice the placebo, score below the threshold, costly rules never; a review of a small change
knows only its own files of the repository, and folds less.

Intervals are of 95%, by bootstrap over repositories. ``--json FILE`` writes the figures.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wardround.processors.action_rates import COUNTERS, ActionRate
from wardround.processors.triage import WORTH, is_high_impact
from wardround_lab.corpora.action_rates import Sample, Tallies, distinct, held_out_scores, ranking, sample
from wardround_lab.corpora.alert_outcomes import AlertItem, read_items
from wardround_lab.training.conditional_logit import fit

DEMANDS = (1.0, 1.5, 2.0, 3.0)
DRAWS = 1_000
SEED = 7
_KEPT = 0.9
_BUGS = ("F", "B", "S", "ASYNC", "PLE", "PLW", "BLE", "DTZ")

Value = Callable[[Sequence[str]], float]


@dataclass(frozen=True, slots=True)
class Side:
    """Counts of shown or hidden alerts in one repository."""

    items: int = 0
    fixed: int = 0
    plain: int = 0
    plain_fixed: int = 0


def side(items: Sequence[AlertItem]) -> Side:
    plain = [item for item in items if item.placebo]
    return Side(
        len(items), sum(i.is_fixed for i in items), len(plain), sum(i.placebo == "fix" for i in plain)
    )


def interval(names: Sequence[str], value: Value) -> list[float]:
    """Return a figure over all repositories, and its interval."""
    dice = random.Random(SEED)
    drawn = sorted(
        found for _ in range(DRAWS) if (found := value(dice.choices(names, k=len(names)))) == found
    )
    ends = [drawn[int(len(drawn) * 0.025)], drawn[int(len(drawn) * 0.975)]] if drawn else [0.0, 0.0]
    return [value(names), *ends]


def share(of: float, whole: float) -> float:
    return of / whole if whole else float("nan")


def sides_table(sides: Mapping[str, tuple[Side, Side]]) -> dict[str, list[float]]:
    """Return the figures of one selection of shown rules: repository -> (shown, hidden)."""
    names = sorted(sides)

    def total(drawn: Sequence[str], at: int, field: str) -> float:
        return float(sum(getattr(sides[name][at], field) for name in drawn))

    def rate(at: int, hits: str, of: str) -> Value:
        return lambda drawn: share(total(drawn, at, hits), total(drawn, at, of))

    return {
        "held back": interval(
            names, lambda d: share(total(d, 1, "items"), total(d, 0, "items") + total(d, 1, "items"))
        ),
        "acted on kept": interval(
            names, lambda d: share(total(d, 0, "fixed"), total(d, 0, "fixed") + total(d, 1, "fixed"))
        ),
        "fix rate shown": interval(names, rate(0, "fixed", "items")),
        "placebo shown": interval(names, rate(0, "plain_fixed", "plain")),
        "fix rate hidden": interval(names, rate(1, "fixed", "items")),
        "placebo hidden": interval(names, rate(1, "plain_fixed", "plain")),
    }


def split(
    by_repository: Mapping[str, Sequence[AlertItem]], is_shown: Callable[[AlertItem], bool]
) -> dict[str, tuple[Side, Side]]:
    return {
        name: (side([i for i in items if is_shown(i)]), side([i for i in items if not is_shown(i)]))
        for name, items in by_repository.items()
    }


def is_bug_like(rule: str) -> bool:
    return rule.rstrip("0123456789") in _BUGS


def ranks_right(scores: np.ndarray, fixed: np.ndarray) -> float:
    """AUC; ties count half."""
    if fixed.all() or not fixed.any():
        return float("nan")
    order = np.unique(scores, return_inverse=True)[1]
    counts = np.bincount(order)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks = middle[order]
    hits = int(fixed.sum())
    return float((ranks[fixed].sum() - hits * (hits + 1) / 2) / (hits * (len(fixed) - hits)))


def held_at_ninety(scores: np.ndarray, fixed: np.ndarray) -> float:
    """Return the share below the score that keeps nine in ten of those acted on."""
    if not fixed.any():
        return float("nan")
    at = np.sort(scores[fixed])[int((1 - _KEPT) * fixed.sum())]
    return float((scores < at).mean())


def by_repository_mean(names: Sequence[str], values: Mapping[str, float]) -> list[float]:
    def mean(drawn: Sequence[str]) -> float:
        known = [values[name] for name in drawn if values[name] == values[name]]
        return float(np.mean(known)) if known else float("nan")

    return interval(names, mean)


def measure(mined: Sequence[Sequence[AlertItem]]) -> dict[str, dict[str, list[float]]]:
    items = distinct(mined)
    tallies = Tallies(items)
    by_repository: dict[str, list[AlertItem]] = defaultdict(list)
    for item in items:
        by_repository[item.repository].append(item)
    memo: dict[tuple[str, str], ActionRate | None] = {}

    def unseen(item: AlertItem) -> ActionRate | None:
        """Return the rate of an item's rule in the other repositories."""
        where = (item.rule, item.repository)
        if where not in memo:
            memo[where] = tallies.rate(*where)
        return memo[where]

    def is_above(item: AlertItem, demand: float) -> bool:
        rate = unseen(item)
        return rate is not None and rate.fix >= demand * rate.placebo

    tables = {}
    whole = sides_table(split(by_repository, lambda item: True))
    tables["all"] = {key: whole[key] for key in ("fix rate shown", "placebo shown")}
    for demand in DEMANDS:
        tables[f">= {demand:g}x"] = sides_table(
            split(by_repository, lambda item, demand=demand: is_above(item, demand))
        )
    bugs = {n: [i for i in some if is_bug_like(i.rule)] for n, some in by_repository.items()}
    tables[">= 2x, bug-like"] = sides_table(split(bugs, lambda item: is_above(item, 2.0)))
    no_up = {n: [i for i in some if not i.rule.startswith("UP")] for n, some in by_repository.items()}
    tables[">= 2x, without UP"] = sides_table(split(no_up, lambda item: is_above(item, 2.0)))
    one = sample(items, tallies)
    full, prior = held_out_scores(one), one.rows[:, 0]
    names = sorted(set(one.repositories.tolist()))
    for title, scores in (("ranked by rate", prior), ("ranked with counters", full)):
        inside = {name: one.repositories == name for name in names}
        tables[title] = {
            "AUC inside a repository": by_repository_mean(
                names, {n: ranks_right(scores[i], one.fixed[i]) for n, i in inside.items()}
            ),
            "held back, 9 in 10 kept": by_repository_mean(
                names, {n: held_at_ninety(scores[i], one.fixed[i]) for n, i in inside.items()}
            ),
        }
    gains = {
        n: ranks_right(full[one.repositories == n], one.fixed[one.repositories == n])
        - ranks_right(prior[one.repositories == n], one.fixed[one.repositories == n])
        for n in names
    }
    tables["counters over rate"] = {"AUC inside a repository": by_repository_mean(names, gains)}
    threshold = ranking(one).threshold
    alone: dict[str, list[AlertItem]] = defaultdict(list)
    for item in one.items:
        alone[item.repository].append(item)
    ways = {"folded, the whole repository known": full, "folded, one file known": at_commit(one)}
    for title, scores in ways.items():
        folded = {
            item.key
            for item, scored in zip(one.items, scores, strict=True)
            if (rate := unseen(item)) is not None
            and rate.fix < WORTH * rate.placebo
            and scored < threshold
            and not is_high_impact(f"ruff/{item.rule}")
        }
        tables[title] = sides_table(split(alone, lambda item, folded=folded: item.key not in folded))
    return tables


def at_commit(one: Sample) -> np.ndarray:
    """Return scores with knowledge of the item's file only, as in the review of a small change."""
    rows = one.rows.copy()
    rows[:, COUNTERS.index("same-in-repository")] = rows[:, COUNTERS.index("same-in-file")]
    scores = np.zeros(len(rows))
    for name in sorted(set(one.repositories.tolist())):
        inside = one.repositories == name
        scores[inside] = fit(*one.of(~inside)).scores(rows[inside])
    return scores


def as_text(tables: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    lines = []
    for title, figures in tables.items():
        lines.append(title)
        for name, (value, low, high) in figures.items():
            lines.append(f"  {name:<26} {100 * value:6.1f}%  [{100 * low:.1f}, {100 * high:.1f}]")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    mined = [read_items(file)[1] for file in arguments.files]
    tables = measure(mined)
    print(f"{len(mined)} repositories, {len(distinct(mined))} complaints")
    print(as_text(tables))
    if arguments.json:
        arguments.json.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
