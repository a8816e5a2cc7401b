"""Build the triage table from mined alerts: action rates of rules and weights of the counters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wardround.errors import UsageError
from wardround.processors.action_rates import (
    COUNTERS,
    REPOSITORIES,
    ActionRate,
    ActionRates,
    Rates,
    log_odds,
    smoothed,
)
from wardround_lab.corpora.alert_outcomes import AlertItem, AlertRecipe
from wardround_lab.training.conditional_logit import Logistic, fit

CAP = 60
"""Maximum number of alerts of one rule in one repository that count towards its rate, selected by key."""
_KEPT_SHARE = 0.9
"""Share of the alerts acted on that the threshold keeps shown."""
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class ActionCounter:
    """Counts of one rule in one repository."""

    items: int
    fixed: int
    plain: int
    plain_fixed: int


def distinct(repositories: Iterable[Sequence[AlertItem]]) -> list[AlertItem]:
    """All alerts without duplicates; of copies, the first repository's."""
    found: dict[str, AlertItem] = {}
    for items in repositories:
        for item in items:
            found.setdefault(item.key, item)
    return list(found.values())


class Tallies:
    """Counts by rule and repository; a rate without one repository is then cheap to compute."""

    def __init__(self, items: Iterable[AlertItem]) -> None:
        groups: dict[tuple[str, str], list[AlertItem]] = defaultdict(list)
        for item in items:
            groups[item.rule, item.repository].append(item)
        self._by_rule: dict[str, dict[str, ActionCounter]] = defaultdict(dict)
        for (rule, repository), members in sorted(groups.items()):
            self._by_rule[rule][repository] = _tally(sorted(members, key=lambda one: one.key)[:CAP])

    def rate(self, rule: str, without: str = "") -> ActionRate | None:
        """Return the rate of a rule over all repositories except one; None if too few are left."""
        tallies = [tally for name, tally in self._by_rule.get(rule, {}).items() if name != without]
        if len(tallies) < REPOSITORIES:
            return None
        items, plain = sum(t.items for t in tallies), sum(t.plain for t in tallies)
        return ActionRate(
            fix=round(smoothed(sum(t.fixed for t in tallies), items), _DIGITS),
            placebo=round(smoothed(sum(t.plain_fixed for t in tallies), plain), _DIGITS),
            repositories=len(tallies),
            items=items,
        )

    def rates(self, without: str = "") -> dict[str, ActionRate]:
        found = {rule: self.rate(rule, without) for rule in sorted(self._by_rule)}
        return {rule: rate for rule, rate in found.items() if rate is not None}


def _tally(items: Sequence[AlertItem]) -> ActionCounter:
    plain = [item for item in items if item.placebo]
    return ActionCounter(
        len(items), sum(i.is_fixed for i in items), len(plain), sum(i.placebo == "fix" for i in plain)
    )


@dataclass(frozen=True)
class Sample:
    """The alerts that weights are fitted on: those that were not removed in sweeps.

    Attributes:
        rows: shape (items, counters); the prior is from the other repositories, or the mean of those.
    """

    items: Sequence[AlertItem]
    rows: NDArray[np.float64]
    fixed: NDArray[np.bool_]
    repositories: NDArray[np.str_]

    def of(self, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        return self.rows[chosen], self.fixed[chosen]


def sample(items: Sequence[AlertItem], tallies: Tallies) -> Sample:
    """Return alerts as rows. The prior of a row excludes the rule's own repository."""
    alone = [item for item in items if not item.sweep]
    memo: dict[tuple[str, str], ActionRate | None] = {}
    for item in alone:
        where = (item.rule, item.repository)
        if where not in memo:
            memo[where] = tallies.rate(*where)
    known = [log_odds(rate.fix) for item in alone if (rate := memo[item.rule, item.repository]) is not None]
    means = dict.fromkeys(COUNTERS, 0.0) | {"prior": float(np.mean(known)) if known else 0.0}
    rows = []
    for item in alone:
        rate = memo[item.rule, item.repository]
        rows.append(item.counters.row(None if rate is None else log_odds(rate.fix), means))
    return Sample(
        alone,
        np.array(rows, dtype=np.float64).reshape(len(rows), len(COUNTERS)),
        np.array([item.is_fixed for item in alone], dtype=np.bool_),
        np.array([item.repository for item in alone], dtype=np.str_),
    )


def held_out_scores(one: Sample) -> NDArray[np.float64]:
    """Return the log-odds of each row by weights fitted on the other repositories."""
    scores = np.zeros(len(one.items))
    for name in sorted(set(one.repositories)):
        inside = one.repositories == name
        scores[inside] = fit(*one.of(~inside)).scores(one.rows[inside])
    return scores


def ranking(one: Sample) -> ActionRates:
    """Fit the weights of the counters, and the threshold that keeps most of the alerts acted on.

    Raises:
        UsageError: too little was mined.
    """
    if len(set(one.repositories)) <= REPOSITORIES or not one.fixed.any():
        raise UsageError(f"rates need more than {REPOSITORIES} repositories with alerts; add more")
    fitted: Logistic = fit(one.rows, one.fixed)
    threshold = float(np.quantile(held_out_scores(one)[one.fixed], 1 - _KEPT_SHARE))
    named = zip(COUNTERS, fitted.weights, strict=True)
    means = zip(COUNTERS, one.rows.mean(axis=0), strict=True)
    return ActionRates(
        bias=round(fitted.bias, _DIGITS),
        weights={name: round(weight, _DIGITS) for name, weight in named},
        means={name: round(float(mean), _DIGITS) for name, mean in means},
        threshold=round(threshold, _DIGITS),
    )


def rates(mined: Sequence[tuple[AlertRecipe, Sequence[AlertItem]]]) -> Rates:
    """Return the table of mined repositories.

    Raises:
        UsageError: too little was mined, or with different versions of the tool.
    """
    versions = sorted({recipe.version for recipe, _ in mined})
    if len(versions) != 1:
        raise UsageError(f"mined with ruff {' and '.join(versions)}; mine all of them again with one version")
    items = distinct(items for _, items in mined)
    tallies = Tallies(items)
    return Rates(
        tool="ruff",
        version=versions[0],
        repositories=tuple(f"{recipe.repository}@{recipe.head[:12]}" for recipe, _ in mined),
        items=len(items),
        rules=tallies.rates(),
        ranking=ranking(sample(items, tallies)),
    )


_HEAD = """\
# How often ruff's complaints were acted on, and weights that rank them. Written by
#   wardround data mine --alerts --table FILE REPO...
# from {items} complaints in {count} repositories: snapshots 18 months apart, ruff {version} without
# configuration. Do not edit by hand. A rate is (fixed + 1) / (items + 20), at most 60 items of a rule in a
# repository; rules of fewer than {few} repositories are left out. The placebo is the same for plain lines 8
# to 20 lines off. The ranking is a logistic regression over complaints that did not go in sweeps; nine in
# ten of those acted on score above its threshold.
"""


def written(table: Rates) -> str:
    """Return the table as YAML, one rule per line."""
    lines = [
        _HEAD.format(
            items=table.items, count=len(table.repositories), version=table.version, few=REPOSITORIES
        ).rstrip("\n"),
        f"tool: {table.tool}",
        f'version: "{table.version}"',
        f"items: {table.items}",
        "repositories:",
        *(f"  - {name}" for name in table.repositories),
        "ranking:",
        f"  bias: {table.ranking.bias}",
        f"  threshold: {table.ranking.threshold}",
        f"  weights: {_flow(table.ranking.weights)}",
        f"  means: {_flow(table.ranking.means)}",
        "rules:",
    ]
    for rule, rate in sorted(table.rules.items()):
        lines.append(
            f"  {rule}: {{fix: {rate.fix}, placebo: {rate.placebo}, "
            f"repositories: {rate.repositories}, items: {rate.items}}}"
        )
    return "\n".join(lines) + "\n"


def _flow(values: Mapping[str, float]) -> str:
    return "{" + ", ".join(f"{name}: {value}" for name, value in values.items()) + "}"
