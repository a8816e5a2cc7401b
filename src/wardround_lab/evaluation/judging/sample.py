"""The findings that are read: bounded by rule and repository, rare rules first, the same for a seed."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from wardround.rules.judgements import FindingKey
from wardround_lab.evaluation.judging.hits import Hit


@dataclass(frozen=True, slots=True)
class Limits:
    """The greatest number of findings of one rule, and of one repository."""

    per_rule: int = 40
    per_repository: int = 60


def sample(hits: Iterable[Hit], judged: Collection[FindingKey], limits: Limits, seed: int = 1) -> list[Hit]:
    """Draw findings, rules with fewest findings first, each spread over the repositories.

    More reviewed commits extend a sample: judged findings are drawn first, and the others in an order that
    depends only on their keys and the seed.
    """
    by_rule: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_rule[hit.rule].append(hit)
    in_repository: Counter[str] = Counter(
        h.repository for some in by_rule.values() for h in some if h.key in judged
    )
    drawn: list[Hit] = []
    for rule in sorted(by_rule, key=lambda name: (len(by_rule[name]), name)):
        known = sorted(hit for hit in by_rule[rule] if hit.key in judged)
        new = _spread([hit for hit in by_rule[rule] if hit.key not in judged], seed)
        drawn += known + _limit_hits(new, limits.per_rule - len(known), in_repository, limits.per_repository)
    return drawn


def _limit_hits(hits: Sequence[Hit], count: int, in_repository: Counter[str], limit: int) -> list[Hit]:
    used: list[Hit] = []
    for hit in hits:
        if len(used) < count and in_repository[hit.repository] < limit:
            in_repository[hit.repository] += 1
            used.append(hit)
    return used


def _spread(hits: Sequence[Hit], seed: int) -> list[Hit]:
    """Order findings at random, so that each repository has had one before any has a second."""
    shuffled = sorted(hits, key=lambda hit: hashlib.sha256(f"{seed} {hit.id}".encode()).digest())
    rounds: Counter[str] = Counter()
    ordered: list[tuple[int, int, Hit]] = []
    for number, hit in enumerate(shuffled):
        ordered.append((rounds[hit.repository], number, hit))
        rounds[hit.repository] += 1
    return [hit for _, _, hit in sorted(ordered, key=lambda entry: entry[:2])]
