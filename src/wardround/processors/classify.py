"""Classification: each result becomes a finding of its rule that is new, caused by the change or existing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from wardround.change.diff import ChangedFile
from wardround.findings import Finding, Plane, RawFinding, Severity, Status
from wardround.processors.model import Candidate, PipelineInputs, ReviewFindings, SideResults
from wardround.processors.result_pairs import ResultPair, ResultPairing
from wardround.processors.statements import StatementIndex
from wardround.rules.model import Rule
from wardround.rules.off_in import runs_in


class ClassifyResults:
    """Turn results into candidates, with the severity that the configuration gives them."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        hidden = _candidates(inputs, inputs.unwaived_results, is_hidden=True)
        candidates = (*_candidates(inputs, inputs.results, is_hidden=False), *hidden)
        return replace(review, candidates=candidates)


def _candidates(inputs: PipelineInputs, results: SideResults, *, is_hidden: bool) -> Iterator[Candidate]:
    pairs = ResultPairing(inputs, results, unwaived=is_hidden).pairs()
    for (specialist, tool), of_tool in sorted(pairs.items(), key=lambda entry: entry[0]):
        for pair, statuses in zip(of_tool, classify(of_tool), strict=True):
            for result, status in zip(pair.head, statuses, strict=True):
                finding = _to_finding(inputs, pair.file.path, specialist, tool, result, status)
                if finding is not None:
                    yield Candidate(finding, result, pair.base is None, is_hidden)


def _to_finding(
    inputs: PipelineInputs, path: str, specialist: str, tool: str, result: RawFinding, status: Status
) -> Finding | None:
    """Return the finding of a result; None where its rule is off, or reports only what a change causes."""
    rule = inputs.catalogue.rule(f"{tool}/{result.code}")
    settings = inputs.config.for_file(path)
    is_on = runs_in(rule, path, preview=settings.preview) or result.is_error_of_project
    default = (result.severity or rule.severity) if is_on else None
    severity = settings.severity(rule.id, default)
    if severity is None or (result.only_caused and status is not Status.CAUSED):
        return None
    return new_finding(result, rule, specialist, severity, status)


def new_finding(
    result: RawFinding, rule: Rule, specialist: str, severity: Severity, status: Status
) -> Finding:
    """Return a finding without its identity."""
    return Finding(
        fingerprint="",
        rule=rule.id,
        defect_class=rule.defect_class,
        plane=Plane(rule.plane),
        specialist=specialist,
        severity=severity,
        file=result.file,
        span=result.span,
        message=result.message,
        rationale=rule.why,
        status=status,
        confidence=result.confidence,
        sources=(rule.id,),
        url=result.url or rule.url,
        suggested_fix=result.fix,
        masked=rule.masked,
        is_confirmed=result.is_confirmed,
        claim=result.claim,
    )


def classify(pairs: Sequence[ResultPair]) -> list[list[Status]]:
    """Separate new, caused and existing results of one tool, over all files of the change.

    A result exists already if the base has the same code on the line it came from, or in the same statement
    of the same file, or in the same statement of any file that no longer has it (moved code). Comments at the
    ends of its lines may differ. Each result of the base accounts for one of the head.
    """
    statuses: list[list[Status | None]] = []
    remaining: list[list[RawFinding]] = []
    for pair in pairs:
        remaining.append(list(pair.base or ()))
        statuses.append([_match_same_line(pair.file, result, remaining[-1]) for result in pair.head])
    for statement_at in (_statement_at, _code_at):
        if any(remaining):
            remaining = _match_same_statements(pairs, statuses, remaining, statement_at)
    return [
        [status or _status_without_match(pair, result) for status, result in zip(row, pair.head, strict=True)]
        for pair, row in zip(pairs, statuses, strict=True)
    ]


_StatementAt = Callable[[StatementIndex, RawFinding], str | None]


def _statement_at(statements: StatementIndex, result: RawFinding) -> str | None:
    return statements.statement_at(result.span.line)


def _code_at(statements: StatementIndex, result: RawFinding) -> str | None:
    """Return the statement of a result without comments; None if the result is about a comment."""
    return statements.code_at(result.span)


def _match_same_statements(
    pairs: Sequence[ResultPair],
    statuses: Sequence[list[Status | None]],
    remaining: Sequence[Sequence[RawFinding]],
    statement_at: _StatementAt,
) -> list[list[RawFinding]]:
    """Mark the results whose statement equals that of a result at the base, and return the remaining results
    of the base.
    """
    pools = [
        _pool_by_statement(number, pair.base_statements, results, statement_at)
        for number, (pair, results) in enumerate(zip(pairs, remaining, strict=True))
    ]
    for pair, row, pool in zip(pairs, statuses, pools, strict=True):
        _mark_existing(pair, row, pool, statement_at)
    moved = _merge_pools(pools)
    for pair, row in zip(pairs, statuses, strict=True):
        _mark_existing(pair, row, moved, statement_at)
    left: list[list[RawFinding]] = [[] for _ in pairs]
    for number, result in (entry for entries in moved.values() for entry in entries):
        left[number].append(result)
    return left


_Pool = dict[tuple[str, str], list[tuple[int, RawFinding]]]
"""(code, statement) -> the results at the base, each with the number of its pair."""


def _pool_by_statement(
    number: int, statements: StatementIndex | None, results: Sequence[RawFinding], statement_at: _StatementAt
) -> _Pool:
    pool: _Pool = defaultdict(list)
    if statements is None:
        return pool
    for result in results:
        statement = statement_at(statements, result)
        if statement is not None:
            pool[result.code, statement].append((number, result))
    return pool


def _merge_pools(pools: Sequence[_Pool]) -> _Pool:
    merged: _Pool = defaultdict(list)
    for pool in pools:
        for identity, entries in pool.items():
            merged[identity] += entries
    return merged


def _mark_existing(
    pair: ResultPair, row: list[Status | None], pool: _Pool, statement_at: _StatementAt
) -> None:
    """Mark the results that a pool has too as existing, and remove those from the pool."""
    for index, result in enumerate(pair.head):
        if row[index] is not None or not pool:
            continue
        statement = statement_at(pair.head_statements, result)
        if statement is not None and pool.get((result.code, statement)):
            pool[result.code, statement].pop()
            row[index] = Status.EXISTING


def _status_without_match(pair: ResultPair, result: RawFinding) -> Status:
    if pair.file.is_added_line(result.span.line):
        return Status.NEW
    return Status.EXISTING if pair.base is None else Status.CAUSED


def _match_same_line(file: ChangedFile, result: RawFinding, remaining: list[RawFinding]) -> Status | None:
    """Existing if the base has the code on the line this result came from; that result is then removed."""
    line = file.base_line(result.span.line)
    if line is None:
        return None
    same = [b for b in remaining if b.code == result.code and b.span.line == line]
    if not same:
        return None
    same.sort(key=lambda b: (b.message != result.message, abs(b.span.column - result.span.column)))
    remaining.remove(same[0])
    return Status.EXISTING
