"""Measure the duration of a review against the floor: the same tool commands in a bare process pool.

    python benchmarks/commit.py            # every comparison, medians of 9
    python benchmarks/commit.py --runs 3 --only small
    python benchmarks/commit.py --processor   # processor time, the least of 3: beside other programs
    python benchmarks/commit.py --json docs/cost.json

All input is generated in a temporary directory, and compared commands run alternately in one loop, so that a
slow machine slows down both. The floor is a pool of as many processes as there are cores, running the
commands of wardround over files that already exist. Processor time of a review is compared with that of the
same commands and with the start of a bare interpreter; the bounds are wide, since they have to be valid on
any machine.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import resources
from pathlib import Path

import figures

from wardround import host
from wardround.rules.model import RULES_PACKAGE
from wardround.specialists import Specialist
from wardround.tools.tool import Invocation, Profile, Tool

WARDROUND = Path(sys.executable).parent / "wardround"
BIN = Path(sys.executable).parent
WIDTH = os.cpu_count() or 1


def module(seed: int, functions: int = 12) -> str:
    """Return a plausible module, different for each seed, without findings."""
    rng = random.Random(seed)
    lines = ['"""Orders and what they cost."""', "", "from __future__ import annotations", "",
             "from collections.abc import Iterable", ""]  # fmt: skip
    for number in range(functions):
        name = f"total_{seed}_{number}"
        factor = rng.randrange(2, 90)
        lines += [
            "", f"def {name}(prices: Iterable[int], rate: int = {factor}) -> int:",
            f'    """Sum the prices above {factor} at a rate."""', "    result = 0",
            "    for price in prices:", f"        if price > {factor}:",
            "            result += price * rate", f"        elif price == {rng.randrange(100)}:",
            "            result -= 1", "    return result", "",
        ]  # fmt: skip
    return "\n".join(lines)


class Project:
    """A repository with ``files`` modules in packages of 50, some of them changed and staged."""

    def __init__(self, root: Path, files: int, functions: int = 12) -> None:
        self.root = root
        self.paths = [f"src/shop/part{n // 50}/module{n}.py" for n in range(files)]
        self.functions = functions
        for number, path in enumerate(self.paths):
            self.write(path, module(number, functions))
        for folder in {str(Path(path).parent) for path in self.paths}:
            self.write(f"{folder}/__init__.py", "")
        self.write("src/shop/__init__.py", "")
        self.write("pyproject.toml", '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.11"\n')
        self.git("init", "-q")
        self.git("config", "user.email", "bench@example.org")
        self.git("config", "user.name", "bench")
        self.git("config", "gc.auto", "0")
        self.git("add", "-A")
        self.git("commit", "-qm", "start")

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.root, check=True, stdout=subprocess.DEVNULL)

    def change(self, count: int) -> list[str]:
        """Edit and stage the first files; each gets two new functions."""
        for number, path in enumerate(self.paths[:count]):
            added = "\n".join(module(10**6 + number, 2).split("\n")[6:])
            self.write(path, f"{module(number, self.functions)}\n\n{added}")
        self.git("add", "-A")
        return self.paths[:count]


def tool_commands(files: Sequence[str], rules: Path, config: Path) -> list[list[str]]:
    """Return wardround's tool commands at commit."""
    return [
        [str(BIN / "ty"), "check", "--output-format", "gitlab", "--no-progress",
         "--ignore", "import-not-found", *files],
        [str(BIN / "ruff"), "check", "--no-cache", "--output-format", "json",
         "--config", str(config), *files],
        [str(BIN / "ast-grep"), "scan", "-c", str(rules / "sgconfig.yml"), "--json=compact", *files],
    ]  # fmt: skip


def floor(root: Path, files: Sequence[str], rules: Path, config: Path) -> None:
    """Run the Python tools in parallel and wait."""
    side_by_side(tool_commands(files, rules, config), root)


def side_by_side(commands: Sequence[Sequence[str]], root: Path) -> None:
    """Run commands in parallel, at most as many as there are cores, and wait."""
    with ThreadPoolExecutor(WIDTH) as pool:
        for done in pool.map(lambda argv: quiet(argv, root), commands):
            assert done.returncode in (0, 1, *range(11, 15)), done.args


def quiet(
    argv: Sequence[str], cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class WallTime:
    """The median of the seconds that pass; for a machine that does nothing else."""

    def read(self) -> float:
        return time.perf_counter()

    def summary(self, seconds: Sequence[float]) -> float:
        return statistics.median(seconds)


class ProcessorTime:
    """The least processor time of the started programs and of those that they waited for."""

    def read(self) -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def summary(self, seconds: Sequence[float]) -> float:
        return min(seconds)


Clock = WallTime | ProcessorTime


def seconds_of(clock: Clock, runs: int, *tasks: Callable[[], object]) -> list[float]:
    """Return the seconds of each task, run alternately; one warm-up of each is not counted."""
    times: list[list[float]] = [[] for _ in tasks]
    for number in range(runs + 1):
        for task, seconds in zip(tasks, times, strict=True):
            started = clock.read()
            task()
            if number:
                seconds.append(clock.read() - started)
    return [clock.summary(seconds) for seconds in times]


PARTS = ("small", "mixed", "wide", "large", "memory")
MIXED = {
    "shop/orders.py": module(1),
    "web/Orders.tsx": (
        "export function Orders({ orders }: { orders: { id: string; name: string }[] }) {\n"
        "  return <ul>{orders.map((order) => <li key={order.id}>{order.name}</li>)}</ul>;\n}\n"
    ),
    "db/migrations/0002_notes.sql": "alter table orders add column note text;\n",
    "Dockerfile": (
        "FROM python:3.13-slim\nWORKDIR /app\nCOPY . .\nRUN pip install --no-cache-dir .\nUSER 1000\n"
        'CMD ["python", "-m", "shop"]\n'
    ),
    ".github/workflows/ci.yml": (
        "on: [push]\npermissions: {}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    timeout-minutes: 5\n"
        "    steps:\n      - run: make test\n"
    ),
    "tests/test_orders.py": "from shop import orders\n\n\ndef test_name():\n    assert orders.__name__\n",
}
"""A commit that touches every kind of code; the tools' findings do not matter here."""


def commit_commands(root: Path, paths: Sequence[str], scratch: Path) -> list[list[str]]:
    """Return the commands of all specialists' tools at commit for some files.

    A tool that the host does not start is not started here either.
    """
    loaded = host.load()
    looked_at: dict[Tool, list[str]] = {}
    for path in paths:
        text = (root / path).read_text()
        for specialist in loaded.specialists_for(path, text[:256].encode()):
            for tool in specialist.tools:
                if runs_for(tool, specialist, path, text):
                    looked_at.setdefault(tool, []).append(path)
    commands = []
    for tool, files in looked_at.items():
        program = tool.find(root)
        if program is None:
            if not tool.optional:
                raise SystemExit(f"{tool.name} is not installed; {tool.install}")
            continue
        if (fallback := tool.fallback_config(lambda path: None)) is not None:
            name, content = fallback
            (root.parent / name).write_text(content)
        commands.append(list(tool.command(Invocation(program, root, tuple(files), None, scratch))))
    return commands


def runs_for(tool: Tool, specialist: Specialist, path: str, text: str) -> bool:
    """Return True if the host starts a tool for a file of a project without configuration."""
    options = None if specialist.options is None else specialist.options()
    return (
        Profile.COMMIT in tool.profiles
        and tool.is_enabled(options, path, text)
        and tool.accepts(path, text)
        and tool.can_match(text)
    )


class Bench:
    """The comparisons; each prints one line with its ratio and its bound."""

    def __init__(self, folder: Path, runs: int, clock: Clock) -> None:
        self.folder = folder
        self.runs = runs
        self.clock = clock
        self.cache = folder / "cache"
        self.env = {**os.environ, "XDG_CACHE_HOME": str(self.cache), "XDG_STATE_HOME": str(folder / "state")}
        self.failed = False
        self.figures: dict[str, dict[str, float]] = {}
        self.rules = Path(str(resources.files(RULES_PACKAGE) / "python"))
        self.config = folder / "ruff.toml"
        from wardround_python.tools.ruff_config import ruff_fallback_config

        self.config.write_text(ruff_fallback_config(lambda path: None)[1])

    def review(self, root: Path, *, cold: bool) -> None:
        if cold:
            (self.cache / "wardround" / "results.sqlite").unlink(missing_ok=True)
        done = quiet([str(WARDROUND), "review"], root, self.env)
        assert done.returncode in (0, 1), done.returncode

    def line(self, name: str, value: float, bound: float, text: str, **measured: float) -> None:
        """Print a value with its bound, and add it to the recorded figures."""
        verdict = "ok" if value <= bound else "OVER"
        self.failed |= value > bound
        self.figures[name] = {"value": value, "bound": bound, **measured}
        print(f"{name:<44} {text:<52} {value:6.3f} of {bound:.3f}  {verdict}", flush=True)

    def bound(self, floor: float, *, wall: tuple[float, float], processor: tuple[float, float]) -> float:
        """Return the bound for a review, from the seconds that its tools take.

        Args:
            wall: a factor of the floor, and seconds.
            processor: a factor of the floor, and a number of starts of a bare interpreter.
        """
        if isinstance(self.clock, WallTime):
            return wall[0] * floor + wall[1]
        (start,) = self.seconds(lambda: quiet([sys.executable, "-I", "-c", "pass"], self.folder))
        return processor[0] * floor + processor[1] * start

    def seconds(self, *tasks: Callable[[], object]) -> list[float]:
        return seconds_of(self.clock, self.runs, *tasks)

    def small(self) -> None:
        project = Project(self.folder / "small", 200)
        files = project.change(5)
        cold, bare = self.seconds(
            lambda: self.review(project.root, cold=True),
            lambda: floor(project.root, files, self.rules, self.config),
        )
        bound = self.bound(bare, wall=(1.35, 0.15), processor=(1.35, 36))
        self.line("5-file change, cold cache", cold, bound, compared(cold, bare), tools_alone=bare)
        (warm,) = self.seconds(lambda: self.review(project.root, cold=False))
        bound = self.bound(0, wall=(0, 0.30), processor=(0, 32))
        self.line("5-file change, warm cache", warm, bound, f"review {warm:.3f} s")
        (shown,) = self.seconds(lambda: quiet([str(WARDROUND), "--help"], project.root))
        bound = self.bound(0, wall=(0, 0.15), processor=(0, 9))
        self.line("wardround --help", shown, bound, f"{shown:.3f} s")

    def mixed(self) -> None:
        project = Project(self.folder / "mixed", 20)
        for path, text in MIXED.items():
            project.write(path, text)
        project.git("add", "-A")
        scratch = self.folder / "scratch"
        scratch.mkdir()
        commands = commit_commands(project.root, list(MIXED), scratch)
        measured, bare = self.seconds(
            lambda: self.review(project.root, cold=True),
            lambda: side_by_side(commands, project.root),
        )
        text = f"review {measured:.3f} s, floor {bare:.3f} s of {len(commands)} tools"
        bound = self.bound(bare, wall=(1.35, 0.2), processor=(1.35, 55))
        self.line(
            "6 files of every kind, cold cache", measured, bound, text, tools_alone=bare, tools=len(commands)
        )

    def wide(self) -> None:
        project = Project(self.folder / "wide", 400, 35)
        files = project.change(200)
        measured, bare = self.seconds(
            lambda: self.review(project.root, cold=True),
            lambda: floor(project.root, files, self.rules, self.config),
        )
        bound = self.bound(bare, wall=(1.25, 0), processor=(2.2, 0))
        self.line("200-file change, cold cache", measured, bound, compared(measured, bare), tools_alone=bare)

    def large(self) -> None:
        little, big = Project(self.folder / "little", 200), Project(self.folder / "big", 20_000, 4)
        little.change(1)
        big.change(1)
        in_big, in_little = self.seconds(
            lambda: self.review(big.root, cold=True),
            lambda: self.review(little.root, cold=True),
        )
        bound = self.bound(1, wall=(1.2, 0), processor=(1.5, 0))
        self.line("1 file in 20,000 against 1 file in 200", in_big / in_little, bound,
                  f"{in_big:.3f} s against {in_little:.3f} s")  # fmt: skip

    def memory(self) -> None:
        project = Project(self.folder / "memory", 5000)
        project.change(5000)
        review = subprocess.Popen(
            [str(WARDROUND), "review"], cwd=project.root, env=self.env,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        peak = 0.0
        while review.poll() is None:
            peak = max(peak, sum(map(proportional_mib, process_and_forks(review.pid))))
            time.sleep(_LOOK_EVERY_S)
        assert review.returncode in (0, 1), review.returncode
        self.line("5,000-file change, memory of the host", peak, 150.0, f"{peak:.0f} MiB, its forks included")


def compared(measured: float, bare: float) -> str:
    """Return the figures of a review and its floor."""
    return f"review {measured:.3f} s, floor {bare:.3f} s, ratio {measured / bare:.2f}"


_LOOK_EVERY_S = 0.05


def process_and_forks(pid: int) -> list[int]:
    """Return a process and its children of the same program: no tools, no git."""
    command = Path(f"/proc/{pid}/cmdline").read_bytes()
    found = [pid]
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid and (entry / "cmdline").read_bytes() == command:
                found.append(int(entry.name))
    return found


def proportional_mib(pid: int) -> float:
    """Return the proportional memory of a process in MiB; 0 if it has ended."""
    with suppress(OSError):
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024
    return 0.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, help="default: 9, or 3 of processor time")
    parser.add_argument("--only", choices=PARTS, action="append", help="repeatable")
    parser.add_argument("--processor", action="store_true", help="measure processor time")
    figures.add_json_option(parser)
    options = parser.parse_args()
    if options.json is not None and options.processor:
        parser.error("--json is for wall time, which people notice; leave --processor out")
    clock: Clock = ProcessorTime() if options.processor else WallTime()
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        bench = Bench(folder, options.runs or (3 if options.processor else 9), clock)
        for name in options.only or PARTS:
            getattr(bench, name)()
        figures.write(options.json, "commit", bench.figures)
        return 1 if bench.failed else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
