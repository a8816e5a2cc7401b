"""Measure the cost of the sandbox, and kill its processes at random moments.

The first part runs ``true`` with and without the sandbox, in turns. The second starts a program that runs a
command in the sandbox, kills this program, the launcher of the isolation or its first process after a random
time, and counts the remaining processes, mounts and folders after the next run, and changes of the
repository. Both are done for bubblewrap and for namespaces.

Exit status: 0 if nothing was left behind and the median cost is at most 0.1 s, 1 otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wardround.change.repository import Repository
from wardround.sandbox.choices import BUBBLEWRAP, NAMESPACES
from wardround.sandbox.model import Limits, State
from wardround.sandbox.process_control import adopted_orphans
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree

MOST_COST_S = 0.1
SETTLING_S = 10.0
"""Seconds in which processes must end."""
LONGEST_S = 0.6
"""The latest moment of a kill, after the modules are loaded."""
CALLER = """\
import sys
from pathlib import Path
from wardround.change.repository import Repository
from wardround.sandbox.model import Limits
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
print("ready", flush=True)
with Repository(Path(sys.argv[1])) as repository, EphemeralTree(repository, repository.head()) as tree:
    script = "echo x >new; (setsid sleep 300 &); : " + sys.argv[3] + "; sleep " + sys.argv[4]
    run(["sh", "-c", script, sys.argv[3]], tree, Limits(), log=Path(sys.argv[2]), isolation=sys.argv[5])
"""
ISOLATING = (b"bwrap\0--args", b"wardround.sandbox.confinement")
"""Arguments of the processes of a back end; the caller has others, of git."""
TARGETS = ("caller", "start program", "first process")
DURATIONS_S = ("300", "0.1")
"""Phases of the command: the kill can come while it runs, or while the run ends."""


@dataclass(frozen=True)
class Bench:
    """A repository, and a folder for everything temporary."""

    repository: Path
    scratch: Path
    log: Path

    @property
    def environ(self) -> dict[str, str]:
        return {**os.environ, "TMPDIR": str(self.scratch)}


def processes_with(marker: str) -> list[int]:
    """Return the processes that have a text in their arguments."""
    running = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in running if marker.encode() in _arguments(pid) and pid != os.getpid()]


def _arguments(process: int) -> bytes:
    """Return the arguments of a process; empty after its end."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


@dataclass(frozen=True)
class Kill:
    """A kill of one process of a run: the process, the time, and the duration of the command."""

    target: str
    after_s: float
    duration_s: str

    @classmethod
    def drawn(cls, moments: random.Random) -> Kill:
        """Return a random kill."""
        return cls(moments.choice(TARGETS), moments.uniform(0, LONGEST_S), moments.choice(DURATIONS_S))


def kill_once(bench: Bench, kill: Kill, isolation: str) -> list[str]:
    """Kill a process of a run, or its caller if there is none yet; return the remains: processes, mounts,
    folders.
    """
    marker = f"marker-{os.urandom(8).hex()}"
    before = _digest(bench.repository), Path("/proc/self/mounts").read_text()
    argv = [sys.executable, "-c", CALLER, str(bench.repository), str(bench.log), marker, kill.duration_s]
    with adopted_orphans():
        others = set(_child_processes(os.getpid()))
        with subprocess.Popen(
            [*argv, isolation], env=bench.environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as caller:
            assert caller.stdout is not None
            caller.stdout.readline()
            time.sleep(kill.after_s)
            _send_kill(caller.pid, TARGETS.index(kill.target))
            caller.wait(SETTLING_S * 3)
        left = [f"process {pid}" for pid in _remaining_processes(marker, others)]
    _next_run(bench)
    left += [f"folder {folder.name}" for folder in bench.scratch.iterdir()]
    if before != (_digest(bench.repository), Path("/proc/self/mounts").read_text()):
        left.append("a change of the repository, or a mount")
    return left


def _send_kill(caller: int, generation: int) -> None:
    """Kill the child of a process in some generation, or the process itself if it has none."""
    process = caller
    for _ in range(generation):
        started = [
            pid for pid in _child_processes(process) if any(text in _arguments(pid) for text in ISOLATING)
        ]
        process = next(iter(started), caller)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _child_processes(process: int) -> list[int]:
    """Return the child processes of every thread."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):
            found += map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    return found


def _remaining_processes(marker: str, others: set[int]) -> list[int]:
    """Return the processes that are left once they had time to end: by their text, or as orphans."""
    end = time.monotonic() + SETTLING_S
    while True:
        orphans = [pid for pid in _child_processes(os.getpid()) if pid not in others]
        for pid in orphans:
            os.waitpid(pid, os.WNOHANG)
        if not (found := orphans + processes_with(marker)) or time.monotonic() > end:
            return found
        time.sleep(0.02)


def _next_run(bench: Bench) -> None:
    """Create a tree and remove it in another process, as the next run does."""
    program = (
        "import sys; from pathlib import Path\n"
        "from wardround.change.snapshot import Snapshot, scratch_root\n"
        "with Snapshot(scratch_root(Path(sys.argv[1]))): pass"
    )
    subprocess.run([sys.executable, "-c", program, bench.repository], env=bench.environ, check=True)


def _digest(folder: Path) -> str:
    """Return one digest of every path and content in a folder, the git folder included."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        digest.update(f"{path} {state.st_mode} {state.st_size}".encode())
        if path.is_file() and not path.is_symlink():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def make_bench(folder: Path, environ: Mapping[str, str] | None = None) -> Bench:
    """Create a repository of 200 files in a folder."""
    repository, scratch = folder / "repository", folder / "scratch"
    repository.mkdir()
    scratch.mkdir()
    for number in range(200):
        file = repository / f"package{number % 10}" / f"module{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"VALUE = {number}\n" * 40)
    identity = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgSign=false")
    for arguments in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "-m", "files"]):
        subprocess.run(["git", *arguments], cwd=repository, check=True, env=environ)
    return Bench(repository, scratch, folder / "output.log")


def measure(bench: Bench, rounds: int, isolation: str) -> dict[str, list[float]]:
    """Return the seconds of ``true`` outside of the sandbox, in it, and with its own tree."""
    seconds: dict[str, list[float]] = {"bare": [], "sandbox": [], "tree": []}
    with Repository(bench.repository) as repository:
        head = repository.head() or ""
        for _ in range(rounds):
            begun = time.perf_counter()
            with EphemeralTree(repository, head) as tree:
                created = time.perf_counter()
                outcome = run(["true"], tree, Limits(), log=bench.log, isolation=isolation)
                ended = time.perf_counter()
                assert outcome.state is State.FINISHED, outcome.detail
            removed = time.perf_counter()
            subprocess.run(["true"], check=True)
            seconds["sandbox"].append(ended - created)
            seconds["tree"].append(created - begun + removed - ended)
            seconds["bare"].append(time.perf_counter() - removed)
    return seconds


def failures_of(bench: Bench, isolation: str, rounds: int, kills: int, seed: int) -> int:
    """Print both measurements of a back end; return the number of goals that it misses."""
    seconds = measure(bench, rounds, isolation)
    for name, values in seconds.items():
        print(f"{isolation}: {name:8} median {statistics.median(values):.3f} s, most {max(values):.3f} s")
    cost = statistics.median(seconds["sandbox"]) - statistics.median(seconds["bare"])
    print(f"{isolation}: start and end over the bare command: {cost:.3f} s", flush=True)
    moments = random.Random(seed)
    left = [kill_once(bench, Kill.drawn(moments), isolation) for _ in range(kills)]
    failed = [failure for failure in left if failure]
    print(f"{isolation}: {kills} kills, {len(failed)} left something behind: {failed[:5]}", flush=True)
    return int(cost > MOST_COST_S) + len(failed)


def main() -> int:
    """Measure every back end, or the chosen one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sandbox", choices=(BUBBLEWRAP, NAMESPACES), action="append")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = make_bench(Path(folder))
        os.environ["TMPDIR"] = str(bench.scratch)
        missed = 0
        for isolation in chosen.sandbox or (BUBBLEWRAP, NAMESPACES):
            missed += failures_of(bench, isolation, chosen.rounds, chosen.kills, chosen.seed)
        return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
