"""Measure which tests recorded runs select, on planted mutants and on real commits of a repository.

    python evals/test_selection.py mutants REPOSITORY [--count N] [--python P] [--out FILE] [-- ...]
    python evals/test_selection.py commits|sources REPOSITORY [--count N] [--python P] [--out FILE] [-- ...]
    python evals/test_selection.py table FILE ...

``mutants`` records the contexts of all tests at a commit, plants one mutant at a time in a function or
outside of them, runs all tests, and compares the failing ones with the plan. A killed mutant is missed if
none of its failing tests is selected.

``commits`` records at the parent of each of the newest commits that change Python source, and compares the
tests whose outcome the commit changes with the plan. ``sources`` uses the tests of the commit in both
versions, so that the tests of a fix fail before it.

With ``--compare``, pytest-testmon, which has to be installed for P, and the graph of imports select too.

REPOSITORY is a clone or a bare mirror, which is only read. Arguments after ``--`` go to pytest. FILE receives
one line of JSON per mutant or commit; those that it already contains are skipped; ``table`` aggregates files.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from selection.baselines import Testmon, importing_tests
from selection.checkout import Checkout, Suite, belongs_to_tests

from wardround.workflows.test.plans.plan import TestPlan
from wardround.workflows.test.plans.selection import Scope, Target, plan_tests, without_parameters
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import Recording

_SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.And: "or", ast.Or: "and",
}  # fmt: skip


def mutants(text: str) -> Iterator[tuple[str, bool, str]]:
    """Yield a description, True outside of functions, and the mutated text for each place."""
    lines = text.split("\n")
    tree = ast.parse(text)
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        for start, end, new in _edits(node):
            edited = _replace_range(lines, start, end, new)
            if edited is not None:
                yield f"{type(node).__name__} line {start[0]}: {new}", id(node) not in inner, edited


def _edits(node: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    match node:
        case ast.Compare(left=left, ops=[operator, *_], comparators=[right, *_]) if (
            type(operator) in _SWAPPED
        ):
            yield _end(left), _start(right), f" {_SWAPPED[type(operator)]} "
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _SWAPPED:
            yield _end(left), _start(right), f" {_SWAPPED[type(operator)]} "
        case ast.BoolOp(op=operator, values=[left, right, *_]):
            yield _end(left), _start(right), f" {_SWAPPED[type(operator)]} "
        case ast.Constant(value=bool() as value):
            yield _start(node), _end(node), repr(not value)
        case ast.Constant(value=int() | float() as value):
            yield _start(node), _end(node), repr(value + 1)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _start(value), _end(value), "None"
        case ast.If(test=test):
            yield _start(test), _end(test), f"not ({ast.unparse(test)})"


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _replace_range(lines: list[str], start: tuple[int, int], end: tuple[int, int], new: str) -> str | None:
    """Return the text with a part of one line replaced; None if it spans lines or does not parse."""
    if start[0] != end[0] or not lines[start[0] - 1].isascii() or start[1] > end[1]:
        return None
    line = lines[start[0] - 1]
    edited = [*lines]
    edited[start[0] - 1] = f"{line[: start[1]]}{new}{line[end[1] :]}"
    text = "\n".join(edited)
    try:
        same = ast.dump(ast.parse(text)) == ast.dump(ast.parse("\n".join(lines)))
    except SyntaxError:
        return None
    return None if same else text


_TESTMON_SHARE = 3
"""pytest-testmon selects for one mutant in so many, as each selection is another run of pytest."""


_MOST_UNTESTED = 6
"""Commits in a row whose tests do not run today, after which older ones are not tried."""


class _Selections:
    """The tests that each method selects for the files of a checkout, compared with the required ones."""

    def __init__(self, checkout: Checkout, *, compares: bool) -> None:
        self._checkout = checkout
        self._testmon = Testmon(checkout) if compares else None
        self.costs: dict[str, float] = {}

    def record(self) -> tuple[Recording | None, dict[str, str]]:
        """Record all tests; return the recording and the outcome of each test."""
        recording, outcomes, cpu = self._checkout.record()
        self.costs["recorded_cpu"] = cpu
        if self._testmon is not None and recording is not None:
            self.costs["testmon_cpu"] = self._testmon.record()
        return recording, outcomes

    def run(self) -> dict[str, str]:
        """Return the outcome of each test in a run without a recording."""
        outcomes, self.costs["cpu"] = self._checkout.outcomes()
        return outcomes

    def compared(
        self, plan: TestPlan, tree: TreeUnderTest, changed: Collection[str],
        tests: Collection[str], needed: Collection[str], *, with_testmon: bool = True,
    ) -> dict[str, Any]:  # fmt: skip
        """Return the share of the tests and the missed ones.

        Args:
            changed: the paths that changed.
            tests: all tests.
            needed: those that had to be selected.
        """
        chosen = {test.id for test in plan.selected}
        planned = {test for test in tests if {test, without_parameters(test)} & chosen}
        row: dict[str, Any] = {"tests": len(tests), "needed": len(needed)}
        row |= _selection_figures("", planned, tests, needed)
        if self._testmon is not None and with_testmon:
            row |= _selection_figures("testmon_", self._testmon.selected(), tests, needed)
        if self._testmon is not None:
            row |= _selection_figures("imports_", importing_tests(tree, changed, tests), tests, needed)
        causes: dict[str, int] = {}
        for selected in plan.selected:
            causes[selected.cause] = causes.get(selected.cause, 0) + 1
        reason = plan.selected[-1].reason if plan.selected else ""
        return {**row, "causes": causes, "reason": reason}


def _selection_figures(
    label: str, chosen: Collection[str], tests: Collection[str], needed: Collection[str]
) -> dict[str, Any]:
    files = {test.partition("::")[0] for test in chosen}  # a file that cannot be imported fails as such
    missed = sorted(test for test in needed if test not in chosen and test not in files)
    share = sum(test in chosen for test in tests) / max(len(tests), 1)
    return {f"{label}missed": len(missed), f"{label}examples": missed[:5], f"{label}share": share}


def measure_mutants(arguments: argparse.Namespace, suite: Suite, results: _Results) -> None:
    checkout = Checkout(suite)
    commit = suite.git("rev-parse", f"{arguments.commit}^{{commit}}").decode().strip()
    checkout.become(commit)
    selections = _Selections(checkout, compares=arguments.compare)
    outcomes = selections.run()
    recording, _ = selections.record()
    if recording is None:
        raise SystemExit(f"the tests of {commit[:12]} recorded nothing")
    print(f"{commit[:12]}: {len(recording.runs)} tests, {selections.costs}", flush=True)
    base = checkout.tree()
    for path, name, is_outside, text in _sample_mutants(checkout, recording, arguments):
        key = f"{commit[:12]} {path} {name}"
        if key not in results.rows:
            original = checkout.read(path) or ""
            checkout.write(path, text)
            tree = checkout.tree()
            plan = plan_tests([recording], tree, Target(), base=base, installed=suite.installed)
            current, _ = checkout.outcomes()
            needed = {item for item, outcome in current.items() if outcome == "failed" != outcomes.get(item)}
            is_third = len(results.rows) % _TESTMON_SHARE == 0
            row = selections.compared(plan, tree, [path], outcomes, needed, with_testmon=is_third)
            checkout.write(path, original)
            if row[
                "missed"
            ]:  # a mutant can leave files outside of the checkout, so that a test fails ever after
                current, _ = checkout.outcomes()
                outcomes |= {test: current[test] for test in needed if current.get(test) == "failed"}
                needed = {test for test in needed if outcomes.get(test) != "failed"}
                row = selections.compared(plan, tree, [path], outcomes, needed, with_testmon=False)
            results.add({"key": key, "outside": is_outside, **row, **selections.costs})
    checkout.remove()


def _sample_mutants(
    checkout: Checkout, recording: Recording, arguments: argparse.Namespace
) -> list[tuple[str, str, bool, str]]:
    """Return random mutants, a fifth of them outside of functions."""
    generator = random.Random(arguments.seed)
    inside, outside = [], []
    for path in sorted({path for path, _ in recording.files if not belongs_to_tests(path)}):
        for name, is_outside, text in mutants(checkout.read(path) or ""):
            (outside if is_outside else inside).append((path, name, is_outside, text))
    share = arguments.count // 5
    chosen = generator.sample(outside, min(share, len(outside)))
    return chosen + generator.sample(inside, min(arguments.count - len(chosen), len(inside)))


def measure_commits(arguments: argparse.Namespace, suite: Suite, results: _Results) -> None:
    log = suite.git("log", "--no-merges", "--format=%H", arguments.commit, "--", "*.py").decode().split()
    if arguments.only is not None:
        only = set(arguments.only.read_text().split())
        log = [commit for commit in log if commit in only]
    checkout = Checkout(suite)
    commits = _Commits(suite, checkout, _Selections(checkout, compares=arguments.compare))
    for commit in log:
        known = [*results.rows.values()]
        is_too_old = len(known) > _MOST_UNTESTED and not any(row["tests"] for row in known[-_MOST_UNTESTED:])
        if is_too_old or sum(row["tests"] > 0 for row in known) >= arguments.count:
            break
        if commit not in results.rows:
            row = commits.compared(commit, is_source=arguments.measurement == "sources")
            results.add({"key": commit, **row})
    checkout.remove()


class _Commits:
    """Compares plans of commits with the outcomes before and after; each commit is run once."""

    def __init__(self, suite: Suite, checkout: Checkout, selections: _Selections) -> None:
        self._suite = suite
        self._checkout = checkout
        self._selections = selections
        self._outcomes: dict[str, dict[str, str]] = {}

    def compared(self, commit: str, *, is_source: bool) -> dict[str, Any]:
        """Return the row of a commit; ``tests`` is 0 if there is nothing to compare."""
        try:
            parent = self._suite.git("rev-parse", f"{commit}^").decode().strip()
        except subprocess.CalledProcessError:
            return {"tests": 0, "reason": "it has no parent"}
        if is_source and not self._changes_both(parent, commit):
            return {"tests": 0, "reason": "it does not change both code and tests"}
        self._checkout.become(parent, tests_of=commit if is_source else None)
        base = self._checkout.tree()
        recording, before = self._selections.record()
        if not is_source:
            self._outcomes[parent] = before
        if recording is None or not recording.runs:
            return {"tests": 0, "reason": "nothing is recorded"}
        self._checkout.become(commit)
        tree = self._checkout.tree()
        after = self._outcomes.get(commit) or self._selections.run()
        self._outcomes[commit] = after
        scope = Target(Scope.CHANGED)
        plan = plan_tests([recording], tree, scope, base=base, installed=self._suite.installed)
        needed = {one for one, outcome in after.items() if before.get(one) != outcome}
        tests = {test for test in after if "::" in test}
        row = self._selections.compared(plan, tree, tree.differing(base), tests, needed)
        return {**row, "new": sum(test not in before for test in needed), **self._selections.costs}

    def _changes_both(self, parent: str, commit: str) -> bool:
        paths = self._suite.git("diff", "--name-only", "-z", parent, commit).decode().split("\0")
        code = [path for path in paths if path.endswith(".py") and not belongs_to_tests(path)]
        return bool(code) and any(map(belongs_to_tests, paths))


class _Results:
    """The lines of a file, by key."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self.rows = {} if file is None or not file.exists() else _read(file)

    def add(self, row: dict[str, Any]) -> None:
        self.rows[row["key"]] = row
        print(row, flush=True)
        if self._file is not None:
            with self._file.open("a") as stream:
                stream.write(json.dumps(row) + "\n")


def _read(file: Path) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in map(json.loads, file.read_text().splitlines())}


def print_table(groups: Mapping[str, Sequence[dict[str, Any]]]) -> None:
    """Print a line for each group of mutants or commits."""
    columns = "cases, with needed tests, all missed, needed tests, missed, median share"
    print(f"{columns}; for each other selection: all missed, missed, median share")
    for name, group in groups.items():
        rows = [row for row in group if row["tests"]]
        needing = [row for row in rows if row["needed"]]
        cells = [len(rows), len(needing), *_misses("", rows)]
        cells.insert(3, sum(row["needed"] for row in needing))
        for label in ("testmon_", "imports_"):
            if compared := [row for row in rows if f"{label}share" in row]:
                cells += [f"| {label.rstrip('_')}", *_misses(label, compared)]
        print(name, *cells)


def _misses(label: str, rows: Sequence[dict[str, Any]]) -> list[object]:
    missed = [row[f"{label}missed"] for row in rows]
    fully = sum(bool(row["needed"]) and row["needed"] == row[f"{label}missed"] for row in rows)
    share = statistics.median(row[f"{label}share"] for row in rows) if rows else 0.0
    return [fully, sum(missed), f"{share:.0%}"]


def main() -> None:
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    own, rest = sys.argv[1:at], sys.argv[at + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measurement", choices=("mutants", "commits", "sources", "table"))
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=Path, help="a file of commit ids, one a line; no others are measured")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args(own)
    if arguments.measurement == "table":
        groups = {path.stem: [*_read(path).values()] for path in arguments.paths}
        print_table({**groups, "total": [row for rows in groups.values() for row in rows]})
        return
    results = _Results(arguments.out)
    suite = Suite(arguments.paths[0].resolve(), arguments.python, rest)
    measure = measure_mutants if arguments.measurement == "mutants" else measure_commits
    measure(arguments, suite, results)
    print_table({arguments.paths[0].name: [*results.rows.values()]})


if __name__ == "__main__":
    main()
