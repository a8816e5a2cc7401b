"""Deduplication: results of several tools about one defect become one finding."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

from msgspec.structs import replace

from wardround.execution.model import reviewers_of
from wardround.findings import SYNTAX_ERROR, Finding, Status
from wardround.processors.model import PipelineInputs, ReviewFindings

_WEIGHT = {Status.EXISTING: 0, Status.SUPPRESSED: 1, Status.CAUSED: 2, Status.NEW: 3}


class MergeDuplicates:
    """Turn the candidates into findings, one for each defect."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        merged = deduplicate((candidate.finding for candidate in review.candidates), _preferred_tools(inputs))
        return replace(review, candidates=(), findings=tuple(merged))


def _preferred_tools(inputs: PipelineInputs) -> list[str]:
    """The tools of the specialists that reviewed something, each after the checks of its specialist."""
    reviewing = {s for specialists in inputs.reviewers.values() for s in specialists}
    return [r.name for s in sorted(reviewing, key=lambda s: s.name) for r in reviewers_of(s)]


class Sameness(Protocol):
    """Decides which findings are one defect.

    Attributes:
        distance: the most lines between two of them.
    """

    distance: int

    def scope(self, finding: Finding) -> Hashable:
        """Return the group of a finding; only findings of one group are compared."""

    def matches(self, first: Finding, second: Finding) -> bool:
        """Return True if two findings of one group are one defect."""

    def preference(self, finding: Finding) -> int:
        """Return the order among equally severe findings of one defect; the first is shown."""


class SameClass:
    """Findings of one defect class that overlap or begin on the same line are one defect.

    A finding that the change waives is merged with others of that kind only: an open finding keeps its
    severity.

    Args:
        tools: in order of preference, so that commit and CI, where more tools run, report the same rule.
    """

    distance = 0

    def __init__(self, tools: Sequence[str] = ()) -> None:
        self._rank = {tool: number for number, tool in enumerate(tools)}

    def scope(self, finding: Finding) -> Hashable:
        """Return the file, the class, and whether the change silences it."""
        return finding.file, finding.defect_class, finding.is_silenced

    def matches(self, first: Finding, second: Finding) -> bool:
        """Return True if the spans overlap or begin on the same line."""
        return first.span.line == second.span.line or first.span.overlaps(second.span)

    def preference(self, finding: Finding) -> int:
        """Return the rank of its tool."""
        return self._rank.get(finding.rule.partition("/")[0], len(self._rank))


def deduplicate(findings: Iterable[Finding], tools: Sequence[str] = ()) -> list[Finding]:
    """Merge findings of one defect class whose spans overlap or begin on the same line; see ``SameClass``."""
    return merge(findings, SameClass(tools))


def merge(findings: Iterable[Finding], sameness: Sameness) -> list[Finding]:
    """Merge the findings that are one defect.

    Two findings of one rule are never merged: a tool that reports a line twice reports two defects. But a
    file that does not parse has one syntax error, the first of the most severe: the others are mostly its
    consequences. The primary finding of a cluster is the most severe, then one with a fix, then the preferred
    one, then the first by rule name; the others become its sources.
    """
    groups: dict[Hashable, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[sameness.scope(finding)].append(finding)
    merged = []
    for group in groups.values():
        clusters = _clusters(sorted(group, key=lambda f: f.sort_key), sameness)
        merged += [_merge_cluster(cluster, sameness) for cluster in clusters]
    return sorted(merged, key=lambda f: f.sort_key)


class _Cluster:
    """Findings that become one.

    Attributes:
        number: its position among the clusters, in the order of their first findings.
        last_line: the last line of its findings.
    """

    def __init__(self, number: int, finding: Finding) -> None:
        self.number = number
        self.findings = [finding]
        self.last_line = finding.span.end_line

    def add(self, finding: Finding) -> None:
        self.findings.append(finding)
        self.last_line = max(self.last_line, finding.span.end_line)

    def has_match(self, finding: Finding, sameness: Sameness) -> bool:
        """Return True if one of its findings is the same defect as ``finding``."""
        return any(sameness.matches(other, finding) for other in self.findings)


def _clusters(group: Sequence[Finding], sameness: Sameness) -> list[list[Finding]]:
    """Return the clusters of the findings of one group, which are sorted by position."""
    if group[0].defect_class == SYNTAX_ERROR:
        return [list(group)]
    clusters: list[_Cluster] = []
    open_clusters: dict[frozenset[str], list[_Cluster]] = {}  # rules -> those that reach the current line
    line = 0
    for finding in group:
        if finding.span.line != line:
            line = finding.span.line
            open_clusters = _clusters_reaching(line - sameness.distance, open_clusters)
        matches = [
            _first_match(finding, some, sameness)
            for rules, some in open_clusters.items()
            if finding.rule not in rules
        ]
        cluster = min(filter(None, matches), key=lambda match: match.number, default=None)
        if cluster is None:
            cluster = _Cluster(len(clusters), finding)
            clusters.append(cluster)
        else:
            open_clusters[_rules(cluster)].remove(cluster)
            cluster.add(finding)
        insort(open_clusters.setdefault(_rules(cluster), []), cluster, key=lambda other: other.number)
    return [cluster.findings for cluster in clusters]


def _clusters_reaching(
    line: int, clusters: dict[frozenset[str], list[_Cluster]]
) -> dict[frozenset[str], list[_Cluster]]:
    reaching = {rules: [c for c in some if c.last_line >= line] for rules, some in clusters.items()}
    return {rules: some for rules, some in reaching.items() if some}


def _first_match(finding: Finding, clusters: Sequence[_Cluster], sameness: Sameness) -> _Cluster | None:
    return next((cluster for cluster in clusters if cluster.has_match(finding, sameness)), None)


def _rules(cluster: _Cluster) -> frozenset[str]:
    return frozenset(finding.rule for finding in cluster.findings)


def _merge_cluster(cluster: list[Finding], sameness: Sameness) -> Finding:
    if len(cluster) == 1:
        return cluster[0]
    if cluster[0].defect_class == SYNTAX_ERROR:
        worst = max(f.severity for f in cluster)
        first = next(f.span.start for f in cluster if f.severity == worst)
        return _primary([f for f in cluster if f.span.start == first], cluster, sameness)
    return _primary(cluster, cluster, sameness)


def _primary(candidates: list[Finding], cluster: list[Finding], sameness: Sameness) -> Finding:
    """Return the best candidate, completed by the other findings of the cluster."""

    def order(finding: Finding) -> tuple[int, bool, int, str]:
        preference = sameness.preference(finding)
        return (-finding.severity, finding.suggested_fix is None, preference, finding.rule)

    primary = min(candidates, key=order)
    sources = {source for finding in cluster for source in finding.sources}
    rationales = [finding.rationale for finding in (primary, *cluster)]
    urls = [finding.url for finding in (primary, *cluster)]
    return replace(
        primary,
        sources=tuple(sorted(sources)),
        confidence=max(finding.confidence for finding in cluster),
        status=max((finding.status for finding in cluster), key=_WEIGHT.__getitem__),
        masked=any(finding.masked for finding in cluster),
        is_confirmed=any(finding.is_confirmed for finding in cluster),
        rationale=next(filter(None, rationales), ""),
        url=next(filter(None, urls), None),
    )
