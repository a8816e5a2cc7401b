"""The findings about changed lines that tests run, half run or do not check: few, and each fact once."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.change.diff import ChangedFile
from wardround.context.line_coverage.ranges import adjacent
from wardround.context.run_evidence import LineEvidence, UnnoticedMutation
from wardround.context.run_summary import count_of
from wardround.findings import RawFinding, Span
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import UNREADABLE, parse

_MOST_RANGES = 4
_MOST_MUTATIONS = 5
"""Notes on unnoticed mutations in one change; ``--format json`` has all of them."""
_BRANCHES = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Match)
_LOOPS = ast.For | ast.AsyncFor
"""Statements with a branch that is rarely of interest: a loop over nothing, or one that is left early."""


class FileLines(msgspec.Struct, frozen=True):
    """The head of a changed file, for the statements around its lines.

    Attributes:
        tree: None if it is not known or does not parse.
    """

    file: ChangedFile
    tree: ast.Module | None = None

    @classmethod
    def read(cls, file: ChangedFile, text: str | None) -> FileLines:
        """Return the file with its syntax tree."""
        try:
            return cls(file, parse(text) if text else None)
        except UNREADABLE:
            return cls(file)

    def functions(self) -> Sequence[tuple[int, int]]:
        """Return the first and the last lines of all functions, the outer ones first."""
        nodes = ast.walk(self.tree) if self.tree is not None else ()
        found = [
            (node.lineno, node.end_lineno or node.lineno) for node in nodes if isinstance(node, FunctionNode)
        ]
        return sorted(found)

    def branch(self, line: int) -> ast.stmt | None:
        """Return the statement whose condition is on a line."""
        nodes = ast.walk(self.tree) if self.tree is not None else ()
        return next(
            (node for node in nodes if isinstance(node, _BRANCHES) and line in _condition_lines(node)), None
        )

    def condition(self, line: int) -> range:
        """Return the lines of the condition that is on a line."""
        found = self.branch(line)
        return _condition_lines(found) if isinstance(found, _BRANCHES) else range(line, line + 1)


def line_findings(lines: LineEvidence, known: FileLines) -> Iterator[RawFinding]:
    """Yield a finding for each function with changed lines that no passing test runs, and for branches.

    A file in which no changed line was executed has one finding, as has one with many ranges and no known
    functions. A branch whose other direction is reported has none.
    """
    groups = _group_by_function(lines.uncovered, known.functions())
    if not lines.covered and len(groups) > 1:
        first, last = adjacent(lines.uncovered)[0]
        message = f"no passing test runs any of the {len(lines.uncovered)} changed statements of this file"
        yield RawFinding("uncovered-lines", lines.path, Span(first, 1, last, 2), message)
        return
    if known.tree is None and len(groups) > _MOST_RANGES:
        groups = [lines.uncovered]
    for group in groups:
        joined = _join_ranges(group, frozenset(lines.covered), known.file)
        span = Span(joined[0][0], 1, joined[0][1], 2)
        yield RawFinding("uncovered-lines", lines.path, span, f"no passing test runs {_name_ranges(joined)}")
    for line in sorted(set(lines.partial)):
        if not _is_shown_otherwise(known.branch(line), lines):
            message = "the passing tests take only one way at this branch"
            yield RawFinding("partial-branch", lines.path, Span(line, 1, line, 2), message)


def mutation_findings(
    unnoticed: Sequence[UnnoticedMutation],
    lines: Iterable[LineEvidence],
    known: Mapping[str, FileLines],
    confidence: float,
) -> Iterator[RawFinding]:
    """Yield a finding for each line with unnoticed edits, those with the most edits first, up to a limit.

    The condition of a branch that was taken in one direction only has none.

    Args:
        known: path -> the changed file; edits elsewhere are excluded.
    """
    partial = {
        (evidence.path, line)
        for evidence in lines
        if evidence.path in known
        for begin in evidence.partial
        for line in known[evidence.path].condition(begin)
    }
    by_line: dict[tuple[str, int], list[UnnoticedMutation]] = {}
    for mutation in unnoticed:
        if mutation.path in known and (mutation.path, mutation.line) not in partial:
            by_line.setdefault((mutation.path, mutation.line), []).append(mutation)
    chosen = sorted(by_line, key=lambda line: -len(by_line[line]))[:_MOST_MUTATIONS]
    for path, line in sorted(chosen):
        first, *others = by_line[path, line]
        more = f", nor {count_of(len(others), 'other small edit')} of this line" if others else ""
        message = f"no test notices if {first.before} becomes {first.after}{more}"
        span = Span(line, 1, line, 2)
        yield RawFinding("unnoticed-mutation", path, span, message, confidence=confidence)


def _group_by_function(lines: Iterable[int], functions: Sequence[tuple[int, int]]) -> Sequence[Sequence[int]]:
    """Return the lines in groups by the innermost function around them; others are apart by range."""
    found: dict[object, list[int]] = {}
    for first, last in adjacent(lines):
        for line in range(first, last + 1):
            around = [function for function in functions if function[0] <= line <= function[1]]
            found.setdefault(around[-1] if around else (first,), []).append(line)
    return list(found.values())


def _join_ranges(
    lines: Sequence[int], covered: frozenset[int], file: ChangedFile
) -> Sequence[tuple[int, int]]:
    """Return ranges that include the lines without a statement of their own between two statements."""
    found: list[tuple[int, int]] = []
    for first, last in adjacent(lines):
        between = range(found[-1][1] + 1, first) if found else range(0)
        if found and all(file.is_added_line(number) and number not in covered for number in between):
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _name_ranges(found: Sequence[tuple[int, int]]) -> str:
    if len(found) == 1:
        first, last = found[0]
        return "this line" if first == last else f"the lines {first} to {last}"
    shown = [f"{first} to {last}" if first != last else f"{first}" for first, last in found[:_MOST_RANGES]]
    left = len(found) - len(shown)
    *before, end = [*shown, *([f"{left} more ranges"] if left else [])]
    return f"the lines {', '.join(before)} and {end}"


def _is_shown_otherwise(branch: ast.stmt | None, lines: LineEvidence) -> bool:
    """Return True for a loop, and for a branch into lines that are reported as not run."""
    if isinstance(branch, _LOOPS):
        return True
    blocks = [getattr(branch, name, None) for name in ("body", "orelse")]
    begins = {block[0].lineno for block in blocks if isinstance(block, list) and block}
    begins |= {case.body[0].lineno for case in getattr(branch, "cases", ())}
    return not begins.isdisjoint(lines.uncovered)


def _condition_lines(branch: ast.If | ast.While | ast.For | ast.AsyncFor | ast.Match) -> range:
    if isinstance(branch, ast.Match):
        condition = branch.subject
    else:
        condition = branch.iter if isinstance(branch, _LOOPS) else branch.test
    return range(branch.lineno, (condition.end_lineno or branch.lineno) + 1)
