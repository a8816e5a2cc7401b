"""Measure which files of JavaScript tests recorded runs select, on planted mutants of a checkout.

    python evals/script_test_selection.py FOLDER --framework vitest|jest [--count N] [--out FILE]

FOLDER is a clone with installed packages; its files are edited one at a time and restored. All tests are
recorded once. Each mutant is one edited operator, condition, number or return in a function; all tests run
with it, and the newly failing files are compared with the selected ones. A killed mutant is missed if none of
its failing files is selected. The number of files that ``vitest related`` or ``jest --findRelatedTests`` runs
is listed for comparison. FILE receives one line of JSON per mutant; mutants that it already contains are
skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wardround.languages.script.code import FUNCTIONS
from wardround.languages.script.syntax import Node, ScriptModule, inside
from wardround.workflows.test.plans.script_selection import plan_script_tests
from wardround.workflows.test.plans.selection import Target
from wardround.workflows.test.project.script_arguments import ScriptArguments, script_arguments
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.recorded_runs import MODULE, Recording
from wardround.workflows.test.recordings.script_recording import read_script_recording
from wardround.workflows.test.runs import script_commands
from wardround.workflows.test.runs.script_commands import ScriptCommand
from wardround.workflows.test.scripts.results import ReportUnreadable, ScriptResult, read_results
from wardround.workflows.test.scripts.roles import is_script
from wardround.workflows.test.scripts.tree import ScriptTree

_LONGEST_RUN_S = 400
_SWAPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "==": "!=", "!=": "==", "+": "-",
    "-": "+", "*": "+", "&&": "||", "||": "&&",
}  # fmt: skip
_FOLDER = ".wardround-eval"


class Checkout:
    """A clone with installed packages."""

    def __init__(self, root: Path, framework: str) -> None:
        self.root = root
        self.framework = framework
        self._folder = root / _FOLDER
        script = json.loads((root / "package.json").read_text()).get("scripts", {}).get("test", "")
        self._found: ScriptArguments = script_arguments(framework, script)
        rows = self._output("git", "ls-tree", "-r", "-z", "HEAD").split("\0")
        entries = (row.split("\t", 1) for row in rows if row.startswith("100"))
        self.blobs = {path: head.split()[2] for head, path in entries}

    def _output(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.root, capture_output=True, check=False, text=True)
        return done.stdout

    def text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8", "surrogateescape")

    def tree(self, edited: dict[str, str] | None = None) -> TreeUnderTest:
        edited = edited or {}
        blobs = {**self.blobs, **{path: f"edited-{hash(text)}" for path, text in edited.items()}}
        return TreeUnderTest(blobs, lambda path: edited.get(path) or self._readable(path))

    def _readable(self, path: str) -> str | None:
        try:
            return self.text(path)
        except OSError:
            return None

    def run(self, *, is_recorded: bool) -> tuple[tuple[ScriptResult, ...], float]:
        """Run all tests; return the results and the CPU time of all processes."""
        shutil.rmtree(self._folder, ignore_errors=True)
        (self._folder / script_commands.RECORDS).mkdir(parents=True)
        runtime = Path(script_commands.__file__).parent / "script_runtime"
        for name in script_commands.RUNTIME:
            shutil.copy(runtime / name, self._folder)
        (command,) = script_commands.script_commands(
            self.framework, self._found, (), str(self._folder), root=str(self.root), is_recorded=is_recorded
        )
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._start(command)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        report = self._folder / command.report
        content = report.read_bytes() if report.exists() else None
        return read_results(self.framework, content, str(self.root)), seconds

    def _start(self, command: ScriptCommand) -> None:
        programs = f"{self.root}/node_modules/.bin:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": programs, **dict(command.variables)}
        try:
            subprocess.run(
                command.arguments, cwd=self.root, env=environment, capture_output=True, check=False,
                timeout=_LONGEST_RUN_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return  # without a report such a mutant is left out

    def recording(self, tests: Sequence[str]) -> Recording:
        def read(name: str) -> bytes | None:
            path = self._folder / script_commands.RECORDS / name
            return path.read_bytes() if path.exists() else None

        return read_script_recording(tests, read, self.tree(), is_complete=True)

    def related(self, path: str) -> int:
        """Return the number of files that the framework's own selection by imports runs."""
        if self.framework == "jest":
            found = self._output("node_modules/.bin/jest", "--listTests", "--findRelatedTests", path)
            return len(found.splitlines())
        report = self._folder / "related.json"
        options = ("--run", "--reporter=json", f"--outputFile={report}", "--coverage.enabled=false")
        self._output("node_modules/.bin/vitest", "related", path, *options)
        return len(json.loads(report.read_text())["testResults"]) if report.exists() else 0


def mutants(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield a description and the mutated text for each place in a function."""
    module = ScriptModule(path, text)
    source = text.encode("utf-8", "surrogatepass")
    for node in inside(module.root):
        if _is_in_function(node):
            for start, end, new in _edits(module, node):
                edited = source[:start] + new.encode() + source[end:]
                old = source[start:end].decode("utf-8", "replace")[:40]
                line = node.start_point[0] + 1
                yield f"{path}:{line} {old!r} -> {new!r}", edited.decode("utf-8", "surrogatepass")


def _is_in_function(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type not in FUNCTIONS:
        above = above.parent
    return above is not None


def _edits(module: ScriptModule, node: Node) -> Iterator[tuple[int, int, str]]:
    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        new = _SWAPPED.get(operator.type) if operator is not None else None
        if operator is not None and new is not None:
            yield operator.start_byte, operator.end_byte, new
    elif node.type == "number" and module.of(node).isdigit():
        yield node.start_byte, node.end_byte, str(int(module.of(node)) + 1)
    elif node.type in ("true", "false"):
        yield node.start_byte, node.end_byte, "false" if node.type == "true" else "true"
    elif node.type == "if_statement":
        condition = node.child_by_field_name("condition")
        if condition is not None:
            yield condition.start_byte, condition.end_byte, f"(!{module.of(condition)})"
    elif node.type == "return_statement" and node.named_children:
        value = node.named_children[0]
        yield (
            value.start_byte,
            value.end_byte,
            "undefined as any" if module.path.endswith("ts") else "undefined",
        )


def failing(results: Sequence[ScriptResult]) -> set[tuple[str, str]]:
    return {(result.file, result.id) for result in results if result.outcome in ("failed", "error")}


def measure(checkout: Checkout, count: int, out: Path) -> None:
    plain, bare_s = checkout.run(is_recorded=False)
    again, _ = checkout.run(is_recorded=False)
    results, recorded_s = checkout.run(is_recorded=True)
    files = sorted({result.file for result in results})
    recording = checkout.recording(files)
    print(f"{len(files)} files, {len(recording.runs)} recorded, overhead {recorded_s / bare_s:.2f}")
    before = failing(plain) | failing(again) | failing(results)
    done = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    found = _candidates(checkout, recording, files)
    random.Random(7).shuffle(found)
    related: dict[str, int] = {}
    for name, path, text in found[:count]:
        if name in {row["name"] for row in done}:
            continue
        row = _try_mutant(checkout, recording, before, name, path, text)
        if row is not None:
            related[path] = related[path] if path in related else checkout.related(path)
            row |= {"related": related[path], "files": len(files)}
            done.append(row)
            with out.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(row, flush=True)
    _summary(done)


def _candidates(checkout: Checkout, recording: Recording, tests: Sequence[str]) -> list[tuple[str, str, str]]:
    sources = sorted({path for path, _ in recording.files if is_script(path) and path not in tests})
    found = []
    for path in sources:
        ours = [(name, path, text) for name, text in mutants(path, checkout.text(path))]
        random.Random(path).shuffle(ours)
        found += ours[:8]
    return found


def _try_mutant(
    checkout: Checkout, recording: Recording, before: set[tuple[str, str]], name: str, path: str, text: str
) -> dict[str, Any] | None:
    original = checkout.text(path)
    try:
        (checkout.root / path).write_text(text, "utf-8", "surrogateescape")
        results, _ = checkout.run(is_recorded=False)
    except ReportUnreadable:
        return None
    finally:
        (checkout.root / path).write_text(original, "utf-8", "surrogateescape")
    killers = {file for file, _ in failing(results) - before}
    plan = plan_script_tests([recording], ScriptTree(checkout.tree({path: text})), Target())
    selected = {test.id for test in plan.selected}
    loaded = sum(any(key[0] == path for key in run.ran) for run in recording.runs)
    ran = sum(
        len(run.ran.get((path, checkout.blobs[path]), frozenset()) - {MODULE}) > 0 for run in recording.runs
    )
    return {
        "name": name, "killers": len(killers), "found": len(killers & selected), "selected": len(selected),
        "loaded": loaded, "ran_file": ran, "missed": sorted(killers - selected)[:5],
    }  # fmt: skip


def _summary(rows: Sequence[dict[str, Any]]) -> None:
    killed = [row for row in rows if row["killers"]]
    missed = [row for row in killed if not row["found"]]
    print(f"{len(rows)} mutants, {len(killed)} killed, {len(missed)} missed")
    failing_files = sum(row["killers"] for row in killed)
    print(f"{sum(row['found'] for row in killed)} of {failing_files} failing files selected")
    for key in ("selected", "loaded", "related"):
        print(f"{key}: median {statistics.median(row[key] / row['files'] for row in rows):.0%} of the files")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--framework", choices=("vitest", "jest"), required=True)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--out", type=Path, default=Path("script-mutants.jsonl"))
    arguments = parser.parse_args()
    measure(Checkout(arguments.folder.resolve(), arguments.framework), arguments.count, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
