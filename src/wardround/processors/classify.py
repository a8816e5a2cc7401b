"""What the change brought: results at the head compared with those at the base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from wardround.change.diff import ChangedFile
from wardround.findings import RawFinding, Status
from wardround.processors.fingerprint import StatementIndex


class ResultPair(msgspec.Struct, frozen=True):
    """The results of one tool for one file on both sides.

    Attributes:
        base: None where the base could not be looked at, so nothing off the added lines can be blamed on
            the change.
    """

    file: ChangedFile
    head: Sequence[RawFinding]
    base: Sequence[RawFinding] | None
    head_anchors: StatementIndex
    base_anchors: StatementIndex | None


def classify(compared: Sequence[ResultPair]) -> list[list[Status]]:
    """Tell new, caused and existing results of one tool apart, over all files of the change.

    A result exists already if the base has the same complaint on the line it came from, or about the same
    statement in the same file, or about the same statement anywhere it has vanished from (moved code).
    Each result of the base accounts for one of the head.
    """
    found: list[list[Status | None]] = []
    pools: list[_Pool] = []
    everywhere: _Pool = Counter()
    for pair in compared:
        remaining = list(pair.base or ())
        found.append([_match_same_line(pair.file, result, remaining) for result in pair.head])
        pools.append(_pool(pair.base_anchors, remaining))
    for pair, row, pool in zip(compared, found, pools, strict=True):
        _take(pair, row, pool)
        everywhere += pool
    for pair, row in zip(compared, found, strict=True):
        _take(pair, row, everywhere)
    return [
        [status or _status_without_match(pair, result) for status, result in zip(row, pair.head, strict=True)]
        for pair, row in zip(compared, found, strict=True)
    ]


_Pool = Counter[tuple[str, str]]
"""How many results of the base have a code and a statement."""


def _pool(anchors: StatementIndex | None, results: Sequence[RawFinding]) -> _Pool:
    if anchors is None:
        return Counter()
    return Counter((result.code, anchors.statement_at(result.span.line)) for result in results)


def _take(pair: ResultPair, row: list[Status | None], pool: _Pool) -> None:
    """Mark as existing what a pool has the like of, and use that up."""
    for index, result in enumerate(pair.head):
        if row[index] is not None:
            continue
        identity = (result.code, pair.head_anchors.statement_at(result.span.line))
        if pool[identity] > 0:
            pool[identity] -= 1
            row[index] = Status.EXISTING


def _status_without_match(pair: ResultPair, result: RawFinding) -> Status:
    if pair.file.is_added_line(result.span.line):
        return Status.NEW
    return Status.EXISTING if pair.base is None else Status.CAUSED


def _match_same_line(file: ChangedFile, result: RawFinding, remaining: list[RawFinding]) -> Status | None:
    """Existing, if the same complaint stood on the line this one came from; that one is then used up."""
    line = file.base_line(result.span.line)
    if line is None:
        return None
    same = [b for b in remaining if b.code == result.code and b.span.line == line]
    if not same:
        return None
    same.sort(key=lambda b: (b.message != result.message, abs(b.span.column - result.span.column)))
    remaining.remove(same[0])
    return Status.EXISTING
