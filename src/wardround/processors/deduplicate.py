"""Deduplication: results of several tools about one defect become one finding."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Sequence

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


def deduplicate(findings: Iterable[Finding], tools: Sequence[str] = ()) -> list[Finding]:
    """Merge findings of one defect class whose spans overlap or begin on the same line.

    What the change silences is merged with its like alone: an open finding stays as severe as it is reported.
    Two findings of one rule are never merged: a tool that reports a line twice means two defects. But a file
    that does not parse has one syntax error, the first of the most severe: the others are mostly its
    consequences. The primary finding of a cluster is the most severe, then one with a fix, then that of the
    first tool in ``tools``, then the first by rule name; the others become its sources.

    Args:
        tools: in order of preference, so that commit and CI, where more tools run, report the same rule.
    """
    by_class: dict[tuple[str, str, bool], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_class[finding.file, finding.defect_class, finding.is_silenced].append(finding)
    out = []
    for group in by_class.values():
        out += [
            _merge_cluster(cluster, tools) for cluster in _clusters(sorted(group, key=lambda f: f.sort_key))
        ]
    return sorted(out, key=lambda f: f.sort_key)


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

    def overlaps(self, finding: Finding) -> bool:
        """Return True if one of its findings overlaps ``finding`` or begins on the same line."""
        spans = (other.span for other in self.findings)
        return any(span.line == finding.span.line or span.overlaps(finding.span) for span in spans)


def _clusters(group: Sequence[Finding]) -> list[list[Finding]]:
    """The clusters of the findings of one class and file, which come in order."""
    if group[0].defect_class == SYNTAX_ERROR:
        return [list(group)]
    clusters: list[_Cluster] = []
    open_clusters: dict[frozenset[str], list[_Cluster]] = {}  # rules -> those that reach the current line
    line = 0
    for finding in group:
        if finding.span.line != line:
            line = finding.span.line
            open_clusters = _reaching(line, open_clusters)
        matches = [
            _first_overlapping(finding, some)
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


def _reaching(
    line: int, clusters: dict[frozenset[str], list[_Cluster]]
) -> dict[frozenset[str], list[_Cluster]]:
    reaching = {rules: [c for c in some if c.last_line >= line] for rules, some in clusters.items()}
    return {rules: some for rules, some in reaching.items() if some}


def _first_overlapping(finding: Finding, clusters: Sequence[_Cluster]) -> _Cluster | None:
    return next((cluster for cluster in clusters if cluster.overlaps(finding)), None)


def _rules(cluster: _Cluster) -> frozenset[str]:
    return frozenset(finding.rule for finding in cluster.findings)


def _merge_cluster(cluster: list[Finding], tools: Sequence[str]) -> Finding:
    if len(cluster) == 1:
        return cluster[0]
    if cluster[0].defect_class == SYNTAX_ERROR:
        worst = max(f.severity for f in cluster)
        first = next(f.span.start for f in cluster if f.severity == worst)
        return _primary([f for f in cluster if f.span.start == first], cluster, tools)
    return _primary(cluster, cluster, tools)


def _primary(candidates: list[Finding], cluster: list[Finding], tools: Sequence[str]) -> Finding:
    """The best candidate, completed by the other findings of the cluster."""
    rank = {tool: number for number, tool in enumerate(tools)}

    def order(finding: Finding) -> tuple[int, bool, int, str]:
        preference = rank.get(finding.rule.partition("/")[0], len(rank))
        return (-finding.severity, finding.suggested_fix is None, preference, finding.rule)

    primary = min(candidates, key=order)
    return replace(
        primary,
        sources=tuple(sorted({source for f in cluster for source in f.sources})),
        confidence=max(f.confidence for f in cluster),
        status=max((f.status for f in cluster), key=_WEIGHT.__getitem__),
        masked=any(f.masked for f in cluster),
        is_confirmed=any(f.is_confirmed for f in cluster),
        rationale=primary.rationale or next((f.rationale for f in cluster if f.rationale), ""),
        url=primary.url or next((f.url for f in cluster if f.url), None),
    )
