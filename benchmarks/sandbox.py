"""Measure the cost of the sandbox, and kill its caller at random moments.

The first part runs ``true`` with and without the sandbox, in turns. The second starts a program that runs a
command in the sandbox, kills it with SIGKILL after a random time, and counts what is left: processes, mounts,
folders after the next run, and changes of the repository.

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
from dataclasses import dataclass
from pathlib import Path

from wardround.change.repository import Repository
from wardround.sandbox.model import Limits, State
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
    script = "echo x >new; (setsid sleep 300 &); : " + sys.argv[3] + "; sleep 300"
    run(["sh", "-c", script, sys.argv[3]], tree, Limits(), log=Path(sys.argv[2]))
"""


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
    found = []
    for name in os.listdir("/proc"):
        try:
            arguments = Path("/proc", name, "cmdline").read_bytes() if name.isdigit() else b""
        except OSError:
            continue
        if marker.encode() in arguments and int(name) != os.getpid():
            found.append(int(name))
    return found


def kill_once(bench: Bench, after_s: float) -> list[str]:
    """Kill a caller of the sandbox after a time; return what it left behind."""
    marker = f"marker-{os.urandom(8).hex()}"
    before = _digest(bench.repository), Path("/proc/self/mounts").read_text()
    argv = [sys.executable, "-c", CALLER, str(bench.repository), str(bench.log), marker]
    with subprocess.Popen(
        argv, env=bench.environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as caller:
        assert caller.stdout is not None
        caller.stdout.readline()
        time.sleep(after_s)
        caller.send_signal(signal.SIGKILL)
    left = [f"process {one}" for one in _settled(marker)]
    _next_run(bench)
    left += [f"folder {one.name}" for one in bench.scratch.iterdir()]
    if before != (_digest(bench.repository), Path("/proc/self/mounts").read_text()):
        left.append("a change of the repository, or a mount")
    return left


def _settled(marker: str) -> list[int]:
    """Return the processes that are left once they had time to end."""
    end = time.monotonic() + SETTLING_S
    while (found := processes_with(marker)) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def _next_run(bench: Bench) -> None:
    """Make a tree and remove it, in another process, as the next run does."""
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


def measure(bench: Bench, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of ``true`` by itself, in the sandbox, and with a tree of its own."""
    seconds: dict[str, list[float]] = {"bare": [], "sandbox": [], "tree": []}
    with Repository(bench.repository) as repository:
        head = repository.head() or ""
        for _ in range(rounds):
            begun = time.perf_counter()
            with EphemeralTree(repository, head) as tree:
                made = time.perf_counter()
                outcome = run(["true"], tree, Limits(), log=bench.log)
                ended = time.perf_counter()
                assert outcome.state is State.FINISHED, outcome.detail
            removed = time.perf_counter()
            subprocess.run(["true"], check=True)
            seconds["sandbox"].append(ended - made)
            seconds["tree"].append(made - begun + removed - ended)
            seconds["bare"].append(time.perf_counter() - removed)
    return seconds


def main() -> int:
    """Print both measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = make_bench(Path(folder))
        os.environ["TMPDIR"] = str(bench.scratch)
        seconds = measure(bench, chosen.rounds)
        for name, values in seconds.items():
            print(f"{name:8} median {statistics.median(values):.3f} s, most {max(values):.3f} s")
        cost = statistics.median(seconds["sandbox"]) - statistics.median(seconds["bare"])
        print(f"start and end over the bare command: {cost:.3f} s")
        moments = random.Random(chosen.seed)
        left = [kill_once(bench, moments.uniform(0, LONGEST_S)) for _ in range(chosen.kills)]
    failed = [one for one in left if one]
    print(f"{chosen.kills} kills, {len(failed)} left something behind: {failed[:5]}")
    return int(cost > MOST_COST_S or bool(failed))


if __name__ == "__main__":
    sys.exit(main())
