"""The share of each verdict by rule, specialist, kind of file and repository."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from wardround.host import PluginHost
from wardround.rules.intervals import wilson
from wardround.rules.judgements import FindingKey, Verdict, key_id
from wardround.rules.reading_counts import ReadingCounts
from wardround.rules.renamed import current_ids

Verdicts = Mapping[FindingKey, Verdict]
DRAWS = 1000
"""Samples of repositories for an interval; the same seed draws the same."""


def counts_by(verdicts: Verdicts, group: Callable[[FindingKey], str]) -> dict[str, ReadingCounts]:
    """Count the verdicts of each group of findings, sorted by its name."""
    return {name: counts_of(some) for name, some in group_verdicts(verdicts, group).items()}


def group_verdicts(
    verdicts: Verdicts, group: Callable[[FindingKey], str]
) -> dict[str, dict[FindingKey, Verdict]]:
    """Return the verdicts of each group of findings, sorted by its name."""
    groups: dict[str, dict[FindingKey, Verdict]] = defaultdict(dict)
    for key, verdict in verdicts.items():
        groups[group(key)][key] = verdict
    return dict(sorted(groups.items()))


def counts_of(verdicts: Verdicts) -> ReadingCounts:
    """Count verdicts; of at least one finding."""
    number = {verdict: sum(other is verdict for other in verdicts.values()) for verdict in Verdict}
    return ReadingCounts(
        repositories=len({key.repository for key in verdicts}),
        worth=number[Verdict.WORTH],
        true=number[Verdict.TRUE],
        wrong=number[Verdict.WRONG],
        unclear=number[Verdict.UNCLEAR],
    )


def split_verdicts(
    verdicts: Verdicts, no_longer: Collection[str]
) -> tuple[dict[FindingKey, Verdict], dict[FindingKey, Verdict]]:
    """Return the verdicts about findings that the present version reports, and those about all others.

    Args:
        no_longer: ids of findings that it does not report.
    """
    found: tuple[dict[FindingKey, Verdict], dict[FindingKey, Verdict]] = ({}, {})
    for key, verdict in verdicts.items():
        found[key_id(key) in no_longer][key] = verdict
    return found


def rule_of(key: FindingKey) -> str:
    """Return the present id of the rule of a finding: a renamed rule keeps its readings."""
    ids = current_ids(key.rule)
    return ids[0] if len(ids) == 1 else key.rule


def specialist_of(key: FindingKey, host: PluginHost) -> str:
    """Return the specialist that reports a rule for a file; the tool where none claims the file."""
    prefix, _, code = key.rule.partition("/")
    if any(specialist.name == prefix for specialist in host.specialists):
        return prefix
    if prefix in host.maps and (named := host.maps[prefix].rule(code).specialist):
        return named
    owners = [
        specialist for specialist in host.specialists if any(tool.name == prefix for tool in specialist.tools)
    ]
    claiming = [owner.name for owner in owners if owner.claims_name(key.path)]
    return next(iter(claiming or [owner.name for owner in owners]), prefix)


def interval(verdicts: Verdicts, verdict: Verdict, *, by_repository: bool) -> tuple[float, float]:
    """Return the 95% interval of the share of a verdict.

    Args:
        by_repository: resample repositories, whose findings resemble each other; the interval is Wilson's
            otherwise.
    """
    if not by_repository:
        return wilson(sum(other is verdict for other in verdicts.values()), len(verdicts))
    return repository_interval((key.repository, other is verdict) for key, other in verdicts.items())


def repository_interval(results: Iterable[tuple[str, bool]]) -> tuple[float, float]:
    """Return the 95% interval of the share of hits, over samples of the repositories.

    Args:
        results: the repository of each item, and True for a hit; at least one item.
    """
    groups: dict[str, list[bool]] = defaultdict(list)
    for repository, is_hit in results:
        groups[repository].append(is_hit)
    return _share_interval([(sum(some), len(some)) for _, some in sorted(groups.items())])


def _share_interval(groups: list[tuple[int, int]]) -> tuple[float, float]:
    """Return the 95% interval of a share over groups of (hits, of) that are resampled, and not less than
    Wilson's, since a sample of few groups varies too little.
    """
    low, high = wilson(*map(sum, zip(*groups, strict=True)))
    drawn = _resampled_quantiles(groups)
    return min(low, drawn[0]), max(high, drawn[1])


def _resampled_quantiles(groups: list[tuple[int, int]]) -> tuple[float, float]:
    """Return the 2.5% and 97.5% quantiles of a share over samples of groups of (hits, of)."""
    generator = random.Random(0)  # noqa: S311  (a sample of readings)
    found = sorted(_share(generator.choices(groups, k=len(groups))) for _ in range(DRAWS))
    return found[round(0.025 * (DRAWS - 1))], found[round(0.975 * (DRAWS - 1))]


def _share(groups: Iterable[tuple[int, int]]) -> float:
    hits, of = zip(*groups, strict=True)
    return float(sum(hits) / sum(of))
