"""Evaluate the tests that the code graph finds for a function, against the tests that execute it.

    python evals/reaching_tests.py ran CLONE COVERAGE [--show N]
    python evals/reaching_tests.py data CLONE COVERAGE REPORT
    python evals/reaching_tests.py missed CLONE
    python evals/reaching_tests.py commits REPOSITORY ... [--each N] [--seed N] [--out FILE]

``ran`` compares with a test run: COVERAGE is the data of ``pytest --cov --cov-context=test`` at the commit
that the work tree of CLONE has. A test executes a function if a line of its body, apart from inner functions,
ran in the context of that test. It prints precision and recall of "a test reaches the function", of "no test
reaches it", and of the pairs of function and test.

``data`` compares the statements that a review derives from COVERAGE with REPORT, which coverage.py writes
from the same data as JSON.

``missed`` prints the changed lines of the last commit of CLONE that were not executed, for manual judgement;
the work tree contains a coverage file of that commit.

``commits`` takes commits that change source, from blocks evenly spaced over the newer half of a history, and
prints how often a test of the changed functions is found, and which tests assert less than before.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import msgspec

from wardround import host
from wardround.analyses.test_search.lost_tests import changed_test_files, lost_tests
from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import ChangedFile
from wardround.change.repository import Repository
from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Certainty, Reach, Symbol, SymbolKind
from wardround.context.code_graph.reached_functions import changed_functions, reached_functions
from wardround.context.code_graph.symbol_moves import find_moves
from wardround.context.code_graph.tree_files import tree_at
from wardround.context.line_coverage.formats import read_coverage
from wardround.context.line_coverage.python_statements import executable_lines
from wardround.context.line_coverage.work_tree import work_tree_coverage
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.retrieval.test_discovery import contains_tests
from wardround.specialists import Specialist
from wardround.tools.tool import Profile


class Function(msgspec.Struct):
    """A function with the tests that execute it and those that the graph finds, by their ids."""

    path: str
    name: str
    executed_by: frozenset[str]
    reached_by: tuple[Reach, ...]


def numbits(blob: bytes) -> set[int]:
    return {8 * at + bit for at, byte in enumerate(blob) for bit in range(8) if byte >> bit & 1}


def executed(database: Path, root: Path) -> dict[str, dict[str, set[int]]]:
    """Return path -> test -> the lines that ran in its context."""
    found: dict[str, dict[str, set[int]]] = {}
    for path, context, lines in recorded(database):
        if context and Path(path).is_relative_to(root):
            test = context.partition("|")[0].partition("[")[0]
            tests = found.setdefault(Path(path).relative_to(root).as_posix(), {})
            tests[test] = tests.get(test, set()) | lines
    return found


def recorded(database: Path) -> Iterator[tuple[str, str, set[int]]]:
    """Yield the path, the context and the lines of each entry; with branches, lines are the ends of arcs."""
    names = " JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        for path, context, bits in connection.execute(f"SELECT path, context, numbits FROM line_bits{names}"):
            yield path, context, numbits(bits)
        for path, context, line in connection.execute(f"SELECT path, context, tono FROM arc{names}"):
            yield path, context, {line}


def lines_by_function(tree: ast.Module) -> Iterator[tuple[int, set[int]]]:
    """Yield the first line of each function, and the lines of its body without inner definitions."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, functions):
            lines = {n.lineno for part in node.body for n in ast.walk(part) if isinstance(n, ast.stmt)}
            for part in node.body:
                for inner in ast.walk(part):
                    if isinstance(inner, (*functions, ast.ClassDef)):
                        lines -= set(range(inner.lineno, (inner.end_lineno or inner.lineno) + 1))
            yield node.lineno, lines


def test_id(symbol: Symbol) -> str:
    return "::".join((symbol.path, *symbol.name.split("."))) if symbol.name else symbol.path


def functions(root: Path, database: Path) -> Iterator[Function]:
    ran = executed(database, root)
    with Repository(root) as repository, CodeGraph.in_memory() as graph:
        graph.update(tree_at(repository, repository._git.output("rev-parse", "HEAD").strip()))
        for path, tests in sorted(ran.items()):
            if contains_tests(path) or not path.endswith(".py"):
                continue
            lines = dict(lines_by_function(ast.parse((root / path).read_text())))
            for symbol in graph.symbols_in(path):
                first = next((at for at in range(symbol.line, symbol.end_line + 1) if at in lines), 0)
                if symbol.kind in CALLABLE and symbol.kind is not SymbolKind.TEST and lines.get(first):
                    by = frozenset(test for test, some in tests.items() if some & lines[first])
                    yield Function(path, symbol.name, by, graph.tests_reaching(symbol))


def share(part: int, total: int) -> str:
    return f"{part} of {total} = {part / total:.3f}" if total else "none"


def report(found: Sequence[Function], show: int) -> None:
    resolved = [function for function in found if _tests(function, {Certainty.RESOLVED})]
    named = [function for function in found if function.reached_by and function not in resolved]
    ran = _count_executed(found)
    for label, reached in (("any", resolved + named), ("resolved", resolved), ("by name alone", named)):
        right = _count_executed(reached)
        print(f"  reached, {label}: precision {share(right, len(reached))}, recall {share(right, ran)}")
    unreached = [function for function in found if not function.reached_by]
    right = len(unreached) - _count_executed(unreached)
    recall = share(right, len(found) - ran)
    print(f"  unreached: precision {share(right, len(unreached))}, recall {recall}")
    _report_pairs(found)
    _print_wrong(resolved + named, unreached, show)


def _count_executed(functions: Sequence[Function]) -> int:
    return sum(bool(function.executed_by) for function in functions)


def _report_pairs(found: Sequence[Function]) -> None:
    """Print how many pairs of a function and a test are right, by how certain the call is."""
    total = sum(len(function.executed_by) for function in found)
    for label, kinds in (("resolved", {Certainty.RESOLVED}), ("by name", {Certainty.NAMED})):
        pairs = [(function, test) for function in found for test in _tests(function, kinds)]
        right = sum(_is_executed(function, test) for function, test in pairs)
        print(f"  pairs, {label}: precision {share(right, len(pairs))}, recall {share(right, total)}")


def _print_wrong(reached: Sequence[Function], unreached: Sequence[Function], show: int) -> None:
    for function in [function for function in reached if not function.executed_by][:show]:
        tests = [test_id(reach.test) for reach in function.reached_by[:2]]
        print("  wrong reached:", function.path, function.name, tests)
    for function in [function for function in unreached if function.executed_by][:show]:
        print("  wrong unreached:", function.path, function.name, sorted(function.executed_by)[:2])


def _tests(function: Function, certainties: set[Certainty]) -> set[str]:
    return {test_id(reach.test) for reach in function.reached_by if reach.certainty in certainties}


def _is_executed(function: Function, test: str) -> bool:
    return any(ran == test or ran.startswith(f"{test}::") for ran in function.executed_by)


def compare_data(root: Path, database: Path, report_file: Path) -> None:
    """Print how many statements of a data file have the state that coverage.py reports."""
    _, measured = read_coverage(database.read_bytes())
    reported = json.loads(report_file.read_text())["files"]
    counts: Counter[str] = Counter()
    for path, lines in measured.files.items():
        name = Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else path
        known = reported.get(name)
        derived = executable_lines((root / name).read_text(), lines) if known else None
        for number, ran in (derived or {}).items():
            state = {True: "executed_lines", False: "missing_lines"}[ran]
            is_listed = number in known["executed_lines"] or number in known["missing_lines"]
            counts["right" if number in known[state] else "wrong" if is_listed else "not reported"] += 1
        counts["reported"] += len(known["executed_lines"]) + len(known["missing_lines"]) if known else 0
    print(root.name, dict(counts))


def print_unexecuted_lines(root: Path) -> None:
    """Print the changed lines of the last commit that did not run, with their text."""
    with Repository(root) as repository:
        change = repository.between("HEAD~1", "HEAD")
        origin = GitChangeSource(repository, change)
        texts = FileTexts(origin, change)
        coverage = work_tree_coverage(origin, change, (), lambda file: _is_source(file.path), texts.head)
        head = repository._git.output("rev-parse", "--short", "HEAD").strip()
        states = ", ".join(f"{file.path} {file.state} {file.reason}".strip() for file in coverage.files)
        print(f"{root.name} {head}: {coverage.executed} ran, {coverage.missed} missed ({states})")
        for file in coverage.lines:
            lines = (texts.head(file.path) or "").split("\n")
            for first, last in file.missed:
                print(f"  {file.path}:{first}")
                print("\n".join(f"    {lines[at - 1]}" for at in range(first, last + 1)))


class CommitRow(msgspec.Struct):
    """One commit: its changed functions by the certainty of their tests, and its lost tests."""

    repository: str
    commit: str
    resolved: int
    named: int
    unreached: list[str]
    lost: list[str]
    changes_tests: bool
    problem: str
    seconds: float


def commit_rows(paths: Sequence[Path], each: int, seed: int) -> Iterator[CommitRow]:
    specialists = host.load().specialists
    for path in paths:
        draw = random.Random(f"{path.name} {seed}")
        with Repository(path) as repository:
            found = 0
            for commit in _sample_commits(repository, draw):
                row = _commit_row(repository, path, commit, specialists)
                if row is not None:
                    found += 1
                    yield row
                if found == each:
                    break


def _sample_commits(repository: Repository, draw: random.Random) -> Iterator[str]:
    """Yield the commits of the newer half of a history, from one of ten blocks after the other."""
    every = repository._git.output("rev-list", "--no-merges", "HEAD").split()
    every = every[: max(len(every) // 2, min(len(every), 500))]
    size = -(-len(every) // 10)
    blocks = [every[at : at + size] for at in range(0, len(every), size)]
    for block in blocks:
        draw.shuffle(block)
    for row in zip_longest(*blocks):
        yield from filter(None, row)


def _commit_row(
    repository: Repository, path: Path, commit: str, specialists: Sequence[Specialist]
) -> CommitRow | None:
    parents = repository._git.output("rev-list", "--parents", "-n1", commit).split()[1:]
    if len(parents) != 1:
        return None
    change = repository.range(parents[0], commit)
    sources = [file for file in change.files if file.is_regular and _is_source(file.path)]
    if not sources or len(change.files) > 60:
        return None
    origin = GitChangeSource(repository, change)
    texts = FileTexts(origin, change)

    def read(file: ChangedFile, base: bool) -> str | None:
        return texts.readable(file.path, base=base)

    began = time.process_time()
    functions = changed_functions(sources, read, find_moves(change, read))
    if not functions:
        return None
    sides = changed_test_files(change, specialists, read)
    reached = reached_functions(origin, change, functions, GRAPH_LIMITS[Profile.CI], with_base=bool(sides))
    lost = lost_tests(sides, reached.base_tests)
    name = path.name if path.name != "repo" else path.parent.name.rpartition("+")[2]
    return CommitRow(
        name, commit,
        sum(function.is_resolved for function in reached.functions),
        sum(function.is_reached and not function.is_resolved for function in reached.functions),
        [f"{function.path}::{function.name}" for function in reached.functions if not function.is_reached],
        [f"{function.path}::{function.name} {function.how}" for function in lost],
        bool(sides), reached.problem, time.process_time() - began,
    )  # fmt: skip


def _is_source(path: str) -> bool:
    return (
        language_of(path) in ("python", "script") and not contains_tests(path) and "test" not in path.lower()
    )


def report_commits(rows: Sequence[CommitRow]) -> None:
    for name in sorted({row.repository for row in rows}):
        _report_repository(name, [row for row in rows if row.repository == name])
    _report_repository("all", rows)


def _report_repository(name: str, rows: Sequence[CommitRow]) -> None:
    functions = sum(row.resolved + row.named + len(row.unreached) for row in rows)
    complete = [row for row in rows if not row.unreached and not row.problem]
    tested = [row for row in rows if row.changes_tests]
    both = [row for row in tested if row in complete]
    times = sorted(row.seconds for row in rows)
    print(
        f"{name:14} {len(rows)} commits, {functions} functions: "
        f"resolved {share(sum(row.resolved for row in rows), functions)}, "
        f"by name {share(sum(row.named for row in rows), functions)}; every function reached "
        f"{share(len(complete), len(rows))}, of those with tests {share(len(both), len(tested))}; "
        f"{sum(bool(row.lost) for row in rows)} with lost tests; "
        f"median {times[len(times) // 2]:.2f} s, worst {times[-1]:.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    ran = commands.add_parser("ran")
    ran.add_argument("clone", type=Path)
    ran.add_argument("coverage", type=Path)
    ran.add_argument("--show", type=int, default=0)
    data = commands.add_parser("data")
    for name in ("clone", "coverage", "report"):
        data.add_argument(name, type=Path)
    commands.add_parser("missed").add_argument("clone", type=Path)
    mining = commands.add_parser("commits")
    mining.add_argument("repositories", nargs="+", type=Path)
    mining.add_argument("--each", type=int, default=20)
    mining.add_argument("--seed", type=int, default=1)
    mining.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.command == "commits":
        rows = list(commit_rows(options.repositories, options.each, options.seed))
        if options.out is not None:
            options.out.write_bytes(msgspec.json.format(msgspec.json.encode(rows)))
        report_commits(rows)
        return
    if options.command == "missed":
        print_unexecuted_lines(options.clone.resolve())
        return
    if options.command == "data":
        compare_data(options.clone.resolve(), options.coverage, options.report)
        return
    found = list(functions(options.clone.resolve(), options.coverage))
    ran_count = sum(bool(function.executed_by) for function in found)
    print(f"{options.clone.name}: {len(found)} functions, {ran_count} executed by tests")
    report(found, options.show)


if __name__ == "__main__":
    main()
