"""Measure how long `wardround test` takes to print its first line, and to plan the tests of a change.

    python benchmarks/test_plan.py [--files N] [--rounds N] [--tests N] [--json docs/cost.json]

A repository with N Python files, half of them test files, and a recorded run of all tests are made.
Each round stages the change of another function, then that of a constant, and plans both. The processor time
counts, as other processes do not change it; `wardround --help` is the measure of the machine.

Exit status: 1 if the median of the plans is above ``PLAN_S``, or that of the first lines above
``FIRST_LINE_S``.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import figures

from wardround.change.repository import INDEX, Repository
from wardround.context.line_coverage.context_lines import ContextLines
from wardround.workflows.test.plans.planning import tree_of
from wardround.workflows.test.recordings.recorded_runs import record
from wardround.workflows.test.recordings.run_store import RunStore

PLAN_S = 2.0
"""Seconds of processor time for 2,000 files."""
FIRST_LINE_S = 0.5
_FUNCTIONS = 12
_REACH = 15
"""Modules with a function that one test runs."""


def write_files(folder: Path, modules: int, tests: int) -> None:
    """Write modules and as many test files."""
    for name in ("shop", "tests"):
        (folder / name).mkdir()
    for at in range(modules):
        functions = "\n\n".join(
            f"def work_{at}_{number}(value, other=LIMIT_{at}):\n    if value > other:\n"
            f"        return value - {number}\n"
            f"    return [value + each for each in range({number})]"
            for number in range(_FUNCTIONS)
        )
        (folder / "shop" / f"module_{at}.py").write_text(f"import os\n\nLIMIT_{at} = {at}\n\n\n{functions}\n")
        cases = "\n\n".join(
            f"def test_{at}_{number}():\n    assert module_{at}.work_{at}_{number}(1)"
            for number in range(tests)
        )
        text = f"from shop import module_{at}\n\n\n{cases}\n"
        (folder / "tests" / f"test_module_{at}.py").write_text(text)
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")


def recorded_rows(modules: int, tests: int) -> Iterator[ContextLines]:
    """Yield the lines of a run of all tests: of its own file, and a function of some modules."""
    for at in range(modules):
        path = f"tests/test_module_{at}.py"
        for number in range(tests):
            test = f"{path}::test_{at}_{number}"
            yield ContextLines(path, test, "run", 1 << (5 + 3 * number))
            for step in range(_REACH):
                reached = (at + step * step) % modules
                yield ContextLines(
                    f"shop/module_{reached}.py", test, "run", 1 << (7 + 5 * (number % _FUNCTIONS))
                )


def commit_and_record(folder: Path, modules: int, tests: int) -> None:
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "Start")
    with Repository(folder) as repository:
        tree = tree_of(repository, INDEX)
        rows = list(recorded_rows(modules, tests))
        paths = {path: path for path in tree.blobs}
        recording = record(rows, paths, tree.blobs, tree.text, is_complete=True)
        store = RunStore.open(repository.git_dir)
        store.add(recording)
        store.close()


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True)


def cpu_of(folder: Path, arguments: Sequence[str]) -> tuple[float, str]:
    """Return the processor time of a command with the processes that it starts, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "wardround", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def first_line_of(folder: Path, arguments: Sequence[str]) -> float:
    """Return the processor time that a command has used when its first line is there; it is ended then."""
    command = [sys.executable, "-m", "wardround", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        assert running.stdout.readline()
        ticks = Path(f"/proc/{running.pid}/stat").read_text().rpartition(")")[2].split()
        running.kill()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--tests", type=int, default=5, help="in each file")
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_json_option(parser)
    arguments = parser.parse_args()
    modules = arguments.files // 2
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "repository"
        folder.mkdir()
        os.environ |= {"XDG_CACHE_HOME": f"{scratch}/cache", "WARDROUND_CACHE_DIR": f"{scratch}/cache"}
        write_files(folder, modules, arguments.tests)
        commit_and_record(folder, modules, arguments.tests)
        plans, starts, lines = [], [], []
        for at in range(arguments.rounds):
            for old, new in ((f"return value - {at}\n", f"return value + {at}\n"), (f" = {at}\n", " = -1\n")):
                _edit(folder, folder / "shop" / f"module_{at}.py", old, new)
                cpu, output = cpu_of(folder, ["test", "--dry-run"])
                plans.append(cpu)
                print(f"{cpu:.2f} s of processor time, {output.count('which changed')} tests", flush=True)
            starts.append(cpu_of(folder, ["--help"])[0])
            lines.append(first_line_of(folder, ["test", "--sandbox", "none"]))
    plan, line = statistics.median(plans), statistics.median(lines)
    print(f"plan {plan:.2f} s, first line {line:.2f} s, `wardround --help` {statistics.median(starts):.2f} s")
    size = {"files": arguments.files, "tests": modules * arguments.tests}
    figures.write(arguments.json, "test_plan", {**size, "plan": plan, "first_line": line})
    return int(plan > PLAN_S or line > FIRST_LINE_S)


def _edit(folder: Path, file: Path, old: str, new: str) -> None:
    file.write_text(file.read_text().replace(old, new, 1))
    _git(folder, "add", ".")


if __name__ == "__main__":
    sys.exit(main())
