"""One defect, one finding: tools that say the same about the same place become one."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from wardround.findings import SYNTAX_ERROR, Finding, Status

_WEIGHT = {Status.EXISTING: 0, Status.SUPPRESSED: 1, Status.CAUSED: 2, Status.NEW: 3}


def deduplicate(findings: Iterable[Finding], tools: Sequence[str] = ()) -> list[Finding]:
    """Merge findings of one defect class whose places overlap or begin on the same line.

    Two findings of one rule are never merged: a tool that says a thing twice means two things. But of a file
    that does not parse the first finding, of the most severe ones, speaks for all: what follows is mostly the
    parser not finding back. Of a group, the most severe finding speaks, then one that brings a fix, then that
    of the tool named first, then the first by rule name; the others become its sources.

    Args:
        tools: who speaks first, so that the same rule speaks at commit and in CI, where more tools run.
    """
    by_class: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_class[finding.file, finding.defect_class].append(finding)
    out = []
    for group in by_class.values():
        out += [
            _merge_cluster(cluster, tools) for cluster in _clusters(sorted(group, key=lambda f: f.sort_key))
        ]
    return sorted(out, key=lambda f: f.sort_key)


class _Cluster:
    """Findings that become one.

    Attributes:
        number: its place among the clusters, in the order of their first findings.
        last_line: the last line that one of its findings reaches.
    """

    def __init__(self, number: int, finding: Finding) -> None:
        self.number = number
        self.findings = [finding]
        self.last_line = finding.span.end_line

    def add(self, finding: Finding) -> None:
        self.findings.append(finding)
        self.last_line = max(self.last_line, finding.span.end_line)

    def meets(self, finding: Finding) -> bool:
        """Return True if one of its findings overlaps ``finding`` or begins on the same line."""
        spans = (other.span for other in self.findings)
        return any(span.line == finding.span.line or span.overlaps(finding.span) for span in spans)


def _clusters(group: Sequence[Finding]) -> list[list[Finding]]:
    """Findings of one class and file, in order, by what they become one with."""
    if group[0].defect_class == SYNTAX_ERROR:
        return [list(group)]
    clusters: list[_Cluster] = []
    near: dict[frozenset[str], list[_Cluster]] = {}  # by their rules, those that reach the line at hand
    line = 0
    for finding in group:
        if finding.span.line != line:
            line = finding.span.line
            near = _reaching(line, near)
        homes = [_first_met(finding, some) for rules, some in near.items() if finding.rule not in rules]
        home = min(filter(None, homes), key=lambda one: one.number, default=None)
        if home is None:
            home = _Cluster(len(clusters), finding)
            clusters.append(home)
        else:
            near[_rules(home)].remove(home)
            home.add(finding)
        insort(near.setdefault(_rules(home), []), home, key=lambda one: one.number)
    return [cluster.findings for cluster in clusters]


def _reaching(line: int, near: dict[frozenset[str], list[_Cluster]]) -> dict[frozenset[str], list[_Cluster]]:
    left = {rules: [one for one in some if one.last_line >= line] for rules, some in near.items()}
    return {rules: some for rules, some in left.items() if some}


def _first_met(finding: Finding, clusters: Sequence[_Cluster]) -> _Cluster | None:
    return next((one for one in clusters if one.meets(finding)), None)


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
    """One of the candidates, with what the whole cluster knows."""
    rank = {tool: number for number, tool in enumerate(tools)}

    def order(finding: Finding) -> tuple[int, bool, int, str]:
        place = rank.get(finding.rule.partition("/")[0], len(rank))
        return (-finding.severity, finding.suggested_fix is None, place, finding.rule)

    speaker = min(candidates, key=order)
    return replace(
        speaker,
        sources=tuple(sorted({source for f in cluster for source in f.sources})),
        confidence=max(f.confidence for f in cluster),
        status=max((f.status for f in cluster), key=_WEIGHT.__getitem__),
        masked=any(f.masked for f in cluster),
        rationale=speaker.rationale or next((f.rationale for f in cluster if f.rationale), ""),
        url=speaker.url or next((f.url for f in cluster if f.url), None),
    )
