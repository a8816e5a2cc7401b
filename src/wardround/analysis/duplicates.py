"""One defect, one finding: tools that say the same about the same place become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from wardround.findings import SYNTAX_ERROR, Finding, Status

_WEIGHT = {Status.EXISTING: 0, Status.SUPPRESSED: 1, Status.CAUSED: 2, Status.NEW: 3}


def merged(findings: Iterable[Finding], tools: Sequence[str] = ()) -> list[Finding]:
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
        out += [_as_one(cluster, tools) for cluster in _clusters(sorted(group, key=lambda f: f.sort_key))]
    return sorted(out, key=lambda f: f.sort_key)


def _clusters(group: Sequence[Finding]) -> list[list[Finding]]:
    """Findings of one class and file, in order, by what they become one with."""
    clusters: list[list[Finding]] = []
    near: list[list[Finding]] = []  # that reach as far down as the finding at hand
    for finding in group:
        if finding.defect_class != SYNTAX_ERROR:
            near = [one for one in near if any(f.span.end_line >= finding.span.line for f in one)]
        home = next((c for c in near if _belongs(finding, c)), None)
        if home is None:
            clusters.append([finding])
            near.append(clusters[-1])
        else:
            home.append(finding)
    return clusters


def _belongs(finding: Finding, cluster: list[Finding]) -> bool:
    if finding.defect_class == SYNTAX_ERROR:
        return True
    if any(other.rule == finding.rule for other in cluster):
        return False
    return any(other.span.line == finding.span.line or other.span.overlaps(finding.span) for other in cluster)


def _as_one(cluster: list[Finding], tools: Sequence[str]) -> Finding:
    if len(cluster) == 1:
        return cluster[0]
    if cluster[0].defect_class == SYNTAX_ERROR:
        worst = max(f.severity for f in cluster)
        first = next(f.span.start for f in cluster if f.severity == worst)
        return _spoken([f for f in cluster if f.span.start == first], cluster, tools)
    return _spoken(cluster, cluster, tools)


def _spoken(candidates: list[Finding], cluster: list[Finding], tools: Sequence[str]) -> Finding:
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
