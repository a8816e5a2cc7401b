"""Measure which tests recorded runs select, on planted mutants and on real commits of a repository.

    python evals/test_selection.py mutants REPOSITORY [--commit C] [--count N] [--out FILE] [-- ...]
    python evals/test_selection.py commits REPOSITORY [--count N] [--out FILE] [-- ...]

``mutants`` records the contexts of all tests at a commit, plants one mutant at a time in a function or
outside of them, runs all tests, and compares the failing ones with the plan. A killed mutant is missed if
none of its failing tests is selected.

``commits`` records at the parent of each of the newest commits that change Python source, and prints the
share of the tests that the plan for the commit has.

REPOSITORY is a clone or a bare mirror, which is only read. Arguments after ``--`` go to pytest. FILE receives
one line of JSON per mutant or commit; those that it has are not repeated.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wardround.retrieval.test_discovery import holds_tests
from wardround.workflows.test.plan import TestPlan
from wardround.workflows.test.recorded_runs import Recording
from wardround.workflows.test.recording import ENVIRONMENT, read_recording, recording_options
from wardround.workflows.test.selection import Scope, Target, plan_tests, without_parameters
from wardround.workflows.test.tree import TreeUnderTest

_LONGEST_RUN_S = 60
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+(?:\[.*?\])?)(?: - |$)", re.MULTILINE)
_SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Checkout:
    """The files of a commit in a scratch folder."""

    def __init__(self, repository: Path, commit: str, pytest: Sequence[str]) -> None:
        self._git = ("git", "-C", str(repository))
        self._pytest = pytest
        self.commit = self._output("rev-parse", f"{commit}^{{commit}}").strip()
        self.folder = Path(tempfile.mkdtemp(prefix="test-selection-"))
        archive = subprocess.run([*self._git, "archive", self.commit], capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", str(self.folder)], input=archive.stdout, check=True)
        rows = self._output("ls-tree", "-r", "-z", self.commit).split("\0")
        entries = (row.split("\t", 1) for row in rows if row.startswith("100"))
        self.blobs = {path: head.split()[2] for head, path in entries}

    def _output(self, *arguments: str) -> str:
        return subprocess.run([*self._git, *arguments], capture_output=True, check=True, text=True).stdout

    def read(self, path: str) -> str | None:
        try:
            return (self.folder / path).read_text("utf-8", "surrogateescape")
        except OSError:
            return None

    def tree(self, edited: dict[str, str] | None = None) -> TreeUnderTest:
        edited = edited or {}
        blobs = {**self.blobs, **{path: f"edited-{hash(text)}" for path, text in edited.items()}}
        return TreeUnderTest(blobs, lambda path: edited.get(path) or self.read(path))

    def run(self, *options: str, data: str = "") -> tuple[str, float]:
        """Run the tests; return their output and the CPU time of all processes."""
        environment = {
            **os.environ,
            "PYTHONPATH": f"{self.folder}:{self.folder}/src",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if data:
            environment |= {**ENVIRONMENT, "COVERAGE_FILE": data}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--tb=no",
            "-rfE",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
        ]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(
                [*command, *options, *self._pytest],
                cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
                timeout=_LONGEST_RUN_S,
            )  # fmt: skip
            output = done.stdout
        except subprocess.TimeoutExpired:
            output = ""  # such a mutant counts as not killed
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def record(self) -> tuple[Recording, float, float]:
        """Record all tests; return the CPU time of a plain run and of the recorded one too."""
        _, plain = self.run("-o", "addopts=")
        data = f"{self.folder}.data"
        output, measured = self.run(*recording_options(os.devnull), data=data)
        try:
            content = Path(data).read_bytes()
        except OSError as cause:
            raise SystemExit(
                f"the tests of {self.commit[:12]} recorded nothing:\n{output[-2000:]}"
            ) from cause
        finally:
            Path(data).unlink(missing_ok=True)
        return read_recording(content, self.tree(), str(self.folder), is_complete=True), plain, measured

    def failing(self) -> set[str]:
        output, _ = self.run("-o", "addopts=")
        return set(_FAILED.findall(output))

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


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
            edited = _replaced(lines, start, end, new)
            if edited is not None:
                yield f"{type(node).__name__} line {start[0]}: {new}", id(node) not in inner, edited


def _edits(node: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int], str]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPPED:
        left, right = node.left, node.comparators[0]
        yield _end(left), _start(right), f" {_SWAPPED[type(node.ops[0])]} "
    elif isinstance(node, ast.BinOp) and type(node.op) in _SWAPPED:
        yield _end(node.left), _start(node.right), f" {_SWAPPED[type(node.op)]} "
    elif isinstance(node, ast.BoolOp):
        yield _end(node.values[0]), _start(node.values[1]), f" {_SWAPPED[type(node.op)]} "
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield (
            _start(node),
            _end(node),
            repr(not node.value if isinstance(node.value, bool) else node.value + 1),
        )
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield _start(node.value), _end(node.value), "None"
    elif isinstance(node, ast.If):
        yield _start(node.test), _end(node.test), f"not ({ast.unparse(node.test)})"


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _replaced(lines: list[str], start: tuple[int, int], end: tuple[int, int], new: str) -> str | None:
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


def measure_mutants(arguments: argparse.Namespace, out: Path | None) -> None:
    checkout = Checkout(arguments.repository, arguments.commit, arguments.pytest)
    recording, plain, measured = checkout.record()
    flaky = checkout.failing()
    costs = f"CPU {plain:.1f} s, recorded {measured:.1f} s ({measured / max(plain, 0.01):.1f}x)"
    print(f"{checkout.commit[:12]}: {len(recording.runs)} tests, {costs}, failing {len(flaky)}", flush=True)
    done = _results(out)
    for path, name, is_outside, text in _sampled(checkout, recording, arguments):
        key = f"{checkout.commit[:12]} {path} {name}"
        if key in done:
            continue
        plan = plan_tests([recording], checkout.tree({path: text}), Target())
        original = checkout.read(path) or ""
        (checkout.folder / path).write_text(text, "utf-8", "surrogateescape")
        failing = checkout.failing() - flaky
        (checkout.folder / path).write_text(original, "utf-8", "surrogateescape")
        row = {"key": key, "outside": is_outside, **_compared(plan, failing, recording)}
        done[key] = row
        _write(out, row)
        print(row, flush=True)
    checkout.remove()
    _print_mutants(list(done.values()))


def _sampled(
    checkout: Checkout, recording: Recording, arguments: argparse.Namespace
) -> list[tuple[str, str, bool, str]]:
    """Return random mutants, a fifth of them outside of functions."""
    generator = random.Random(arguments.seed)
    inside, outside = [], []
    for path in sorted({path for path, _ in recording.files if not holds_tests(path) and "test" not in path}):
        for name, is_outside, text in mutants(checkout.read(path) or ""):
            (outside if is_outside else inside).append((path, name, is_outside, text))
    share = arguments.count // 5
    chosen = generator.sample(outside, min(share, len(outside)))
    return chosen + generator.sample(inside, min(arguments.count - len(chosen), len(inside)))


def _compared(plan: TestPlan, failing: set[str], recording: Recording) -> dict[str, Any]:
    chosen = {one.id for one in plan.selected}
    files = {test.partition("::")[0] for test in chosen}  # a file that cannot be imported fails as such
    found = {test for test in failing if {test, without_parameters(test)} & chosen or test in files}
    known = [one.test for one in recording.runs]
    selected = sum(test in chosen or without_parameters(test) in chosen for test in known)
    causes = sorted({one.cause.value for one in plan.selected})
    return {"failing": len(failing), "found": len(found), "missed": sorted(failing - found)[:5],
            "share": selected / max(len(known), 1), "causes": causes}  # fmt: skip


def _print_mutants(rows: Sequence[dict[str, Any]]) -> None:
    for label, group in (
        ("in functions", [row for row in rows if not row["outside"]]),
        ("outside of functions", [row for row in rows if row["outside"]]),
    ):
        killed = [row for row in group if row["failing"]]
        missed = [row for row in killed if not row["found"]]
        failing, found = (sum(row[key] for row in killed) for key in ("failing", "found"))
        median = statistics.median(row["share"] for row in group) if group else 0.0
        print(f"{label}: {len(group)} mutants, {len(killed)} killed, {len(missed)} missed")
        print(f"  failing tests missed {failing - found} of {failing}; median share of tests {median:.0%}")
        for row in missed:
            print(f"  missed: {row}")


def measure_commits(arguments: argparse.Namespace, out: Path | None) -> None:
    git = ("git", "-C", str(arguments.repository))
    log = subprocess.run(
        [*git, "log", "--no-merges", "--format=%H", f"-{arguments.count}", arguments.commit, "--", "*.py"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    done = _results(out)
    for commit in log[: arguments.count]:
        if commit not in done:
            done[commit] = {"key": commit, **_commit_share(arguments, commit)}
            _write(out, done[commit])
            print(done[commit], flush=True)
    shares = sorted(row["share"] for row in done.values() if row["tests"])
    if shares:
        print(f"{len(shares)} commits: median share of tests {statistics.median(shares):.0%}")


def _commit_share(arguments: argparse.Namespace, commit: str) -> dict[str, Any]:
    base = Checkout(arguments.repository, f"{commit}^", arguments.pytest)
    head = Checkout(arguments.repository, commit, arguments.pytest)
    try:
        recording, _, _ = base.record()
        plan = plan_tests([recording], head.tree(), Target(Scope.CHANGED), base=base.tree())
        causes: dict[str, int] = {}
        for one in plan.selected:
            causes[one.cause] = causes.get(one.cause, 0) + 1
        total = len(plan.selected) + len(plan.omitted)
        reason = plan.selected[-1].reason if plan.selected else ""
        return {
            "tests": total,
            "share": len(plan.selected) / max(total, 1),
            "causes": causes,
            "reason": reason,
        }
    finally:
        base.remove()
        head.remove()


def _results(out: Path | None) -> dict[str, dict[str, Any]]:
    if out is None or not out.exists():
        return {}
    return {row["key"]: row for row in map(json.loads, out.read_text().splitlines())}


def _write(out: Path | None, row: dict[str, Any]) -> None:
    if out is not None:
        with out.open("a") as stream:
            stream.write(json.dumps(row) + "\n")


def main() -> None:
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    own, rest = sys.argv[1:at], sys.argv[at + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measurement", choices=("mutants", "commits"))
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args(own)
    arguments.pytest = rest
    (measure_mutants if arguments.measurement == "mutants" else measure_commits)(arguments, arguments.out)


if __name__ == "__main__":
    main()
