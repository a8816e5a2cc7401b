"""Evaluate the tests that the code graph finds for a function, against the tests that execute it.

    python evals/reaching_tests.py ran CLONE COVERAGE [--show N]

``ran`` compares with a test run: COVERAGE is the data of ``pytest --cov --cov-context=test`` at the commit
that the work tree of CLONE has. A test executes a function if a line of its body, apart from inner functions,
ran in the context of that test. It prints precision and recall of "some test reaches it", of "no test reaches
it", and of the pairs of function and test.
"""

from __future__ import annotations

import argparse
import ast
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import CALLABLE, Certainty, Reach, Symbol, SymbolKind
from wardround.context.code_graph.tree_files import tree_at
from wardround.retrieval.test_discovery import holds_tests


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


def own_lines(tree: ast.Module) -> Iterator[tuple[int, set[int]]]:
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
            if holds_tests(path) or not path.endswith(".py"):
                continue
            lines = dict(own_lines(ast.parse((root / path).read_text())))
            for symbol in graph.symbols_in(path):
                first = next((at for at in range(symbol.line, symbol.end_line + 1) if at in lines), 0)
                if symbol.kind in CALLABLE and symbol.kind is not SymbolKind.TEST and lines.get(first):
                    by = frozenset(test for test, some in tests.items() if some & lines[first])
                    yield Function(path, symbol.name, by, graph.tests_reaching(symbol))


def share(part: int, total: int) -> str:
    return f"{part} of {total} = {part / total:.3f}" if total else "none"


def report(found: list[Function], show: int) -> None:
    for label, certainties, steps in (
        ("all", set(Certainty), 9),
        ("resolved", {Certainty.RESOLVED}, 9),
        ("resolved, direct", {Certainty.RESOLVED}, 1),
        ("named", {Certainty.NAMED}, 9),
    ):
        reach = {
            (one.path, one.name): {
                test_id(r.test) for r in one.reached_by if r.certainty in certainties and r.distance <= steps
            }
            for one in found
        }
        ran = [one for one in found if one.executed_by]
        reached = [one for one in found if reach[one.path, one.name]]
        both = [one for one in reached if one.executed_by]
        print(f"{label}: reached: precision {share(len(both), len(reached))}, "
              f"recall {share(len(both), len(ran))}")  # fmt: skip
        unreached = [one for one in found if not reach[one.path, one.name]]
        neither = [one for one in unreached if not one.executed_by]
        print(f"  unreached: precision {share(len(neither), len(unreached))}, "
              f"recall {share(len(neither), len(found) - len(ran))}")  # fmt: skip
        pairs = [(one, test) for one in found for test in reach[one.path, one.name]]
        right = sum(_is_executed(one, test) for one, test in pairs)
        print(f"  pairs: precision {share(right, len(pairs))}, "
              f"recall {share(right, sum(len(one.executed_by) for one in found))}")  # fmt: skip
        if show and label == "all":
            for one in [one for one in reached if not one.executed_by][:show]:
                print("   wrong reached:", one.path, one.name, [(test_id(r.test), r.certainty.value, r.via) for r in one.reached_by[:2]])
            for one in [one for one in unreached if one.executed_by][:show]:
                print("   wrong unreached:", one.path, one.name, sorted(one.executed_by)[:2])


def _is_executed(one: Function, test: str) -> bool:
    return any(ran == test or ran.startswith(f"{test}::") for ran in one.executed_by)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    ran = commands.add_parser("ran")
    ran.add_argument("clone", type=Path)
    ran.add_argument("coverage", type=Path)
    ran.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    found = list(functions(options.clone.resolve(), options.coverage))
    print(f"{options.clone.name}: {len(found)} functions, {sum(bool(f.executed_by) for f in found)} executed by tests")
    report(found, options.show)


if __name__ == "__main__":
    main()
