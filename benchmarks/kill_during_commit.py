"""Kill wardround at random moments of ``git commit`` and compare every byte of work tree and index.

The repository is created once, with staged, unstaged, partially staged, intent-to-add and untracked files,
and wardround is its pre-commit git hook. Each run starts with a cold cache, so that the tools run. SIGINT and
SIGHUP are sent to the process group, as by a terminal; SIGTERM and SIGKILL to wardround only.

Exit status: 0 if nothing was lost or left behind, 1 otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import stat
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FILES = 24
GROUP = {signal.SIGINT, signal.SIGHUP}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
SETTLING_S = 10.0
"""Seconds for processes to end; a tool that outlives its review ends by itself."""
HOOK = """\
#!/bin/sh
echo $$ > "$KILL_PID_FILE.new" && mv "$KILL_PID_FILE.new" "$KILL_PID_FILE"
exec wardround hook
"""
FUNCTIONS = '''


def load_{name}(path: Path) -> dict[str, object]:
    """Read a file."""
    with path.open(encoding="utf-8") as file:
        return dict(json.load(file))


def total_{name}(prices: list[float]) -> float:
    """Add up."""
    return sum(price for price in prices if price > {name})
'''
LENGTH = 20
"""Number of these in a file: enough that a review forks, and the forks must end with it."""

State = dict[str, object]


@dataclass(frozen=True)
class Bench:
    """The repository and all files of wardround, below one directory."""

    base: Path
    env: dict[str, str]

    @property
    def root(self) -> Path:
        return self.base / "repo"

    @property
    def pid_file(self) -> Path:
        return self.base / "hook.pid"

    @property
    def temporary(self) -> Path:
        return self.base / "tmp"

    def git(self, *arguments: str) -> bytes:
        """Run git, which must succeed and performs no optional writes."""
        env = {**self.env, "GIT_OPTIONAL_LOCKS": "0"}
        return subprocess.run(
            ["git", *arguments], cwd=self.root, env=env, check=True, capture_output=True
        ).stdout

    def commit(self) -> subprocess.Popen[bytes]:
        """Start ``git commit`` in a separate session, with a cold cache."""
        self.pid_file.unlink(missing_ok=True)
        shutil.rmtree(self.base / "cache", ignore_errors=True)
        with (self.base / "stderr").open("wb") as stderr:
            return subprocess.Popen(
                ["git", "commit", "-q", "-m", "x"], cwd=self.root, env=self.env,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True,
            )  # fmt: skip

    def hook_pid(self, commit: subprocess.Popen[bytes]) -> int:
        """Wait for the git hook and return its process id, which becomes wardround's."""
        while not self.pid_file.exists():
            if commit.poll() is not None:
                raise SystemExit(f"the git hook was not called: {(self.base / 'stderr').read_text()}")
            time.sleep(0.001)
        return int(self.pid_file.read_text())

    def state(self) -> State:
        """Return every byte of the work tree, and all index entries."""
        found: State = {}
        for folder, folders, names in os.walk(self.root):
            if ".git" in folders:
                folders.remove(".git")
            for name in (*folders, *names):
                path = Path(folder, name)
                found[str(path.relative_to(self.root))] = _read_content(path)
        found[":entries"] = self.git("ls-files", "--stage", "-z")
        found[":staged"] = self.git("diff-index", "--cached", "--raw", "-z", "HEAD")
        found[":status"] = self.git("status", "--porcelain=v2", "-z", "--untracked-files=all")
        return found

    def snapshots(self) -> list[str]:
        return sorted(os.listdir(self.temporary))


@dataclass
class Counts:
    """Counts over all runs."""

    sent: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    through: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    locks: int = 0
    tracebacks: Counter[str] = field(default_factory=Counter)
    lingering: int = 0
    snapshots_left: int = 0
    longest_s: float = 0.0


def _read_content(path: Path) -> tuple[int, str]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return mode, os.readlink(path)
    return mode, hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else ""


def _source(number: int) -> str:
    names = (f"{number}_{part}" for part in range(LENGTH))
    functions = "".join(FUNCTIONS.format(name=name) for name in names)
    return f'"""Part {number} of a program."""\n\nimport json\nfrom pathlib import Path{functions}'


def build(base: Path) -> Bench:
    """Create the repository with every kind of file that a commit can contain."""
    for name in ("repo", "home", "tmp", "state"):
        (base / name).mkdir()
    env = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(base / "home"),
        "TMPDIR": str(base / "tmp"),
        "XDG_CACHE_HOME": str(base / "cache"),
        "XDG_STATE_HOME": str(base / "state"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "KILL_PID_FILE": str(base / "hook.pid"),
    }
    if "PYTHONPATH" in os.environ:
        env["PYTHONPATH"] = os.environ["PYTHONPATH"]
    (base / "home/.gitconfig").write_text("[user]\n name = Test\n email = test@example.org\n")
    bench = Bench(base, env)
    bench.git("init", "-q", "-b", "main")
    names = [bench.root / f"part{number}.py" for number in range(FILES)]
    for number, path in enumerate(names):
        path.write_text(_source(number))
    (bench.root / ".gitignore").write_text("*.log\n")
    bench.git("add", "--all")
    bench.git("commit", "-q", "-m", "base")
    third = FILES // 3
    for path in names[: 2 * third]:  # staged; the second third will be so in part
        path.write_text(path.read_text() + "\n\nSTAGED = 1\n")
    (bench.root / "new.py").write_text(_source(99))
    (bench.root / "new.sh").write_text("#!/bin/sh\n")
    (bench.root / "new.sh").chmod(0o755)
    bench.git("add", "--all")
    for path in names[third:]:  # partly staged, and not staged
        path.write_text("UNSTAGED = 1\n" + path.read_text())
    (bench.root / "intended.py").write_text("INTENDED = 1\n")
    bench.git("add", "--intent-to-add", "intended.py")
    (bench.root / "untracked.py").write_text("def broken(:\n")
    (bench.root / "ignored.log").write_text("log\n")
    hook = bench.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)
    return bench


def is_running(pid: int) -> bool:
    """Return True if a process exists and is not a zombie."""
    reported = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False).stdout
    return bool(reported.strip()) and not reported.strip().startswith(b"Z")


def processes_of_bench(bench: Bench) -> Iterator[int]:
    """Return the processes started by this benchmark: all have its directory in their environment."""
    marker = os.fsencode(f"{bench.base}/tmp")
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                if marker in Path("/proc", entry, "environ").read_bytes() and is_running(int(entry)):
                    yield int(entry)
            except OSError:
                continue


def settle(bench: Bench) -> float | None:
    """Wait until all started processes have ended; return the seconds, or None if one remains."""
    started = time.monotonic()
    while any(True for _ in processes_of_bench(bench)):
        if time.monotonic() - started > SETTLING_S:
            return None
        time.sleep(0.01)
    return time.monotonic() - started


def restore_head(bench: Bench, base: str) -> bool:
    """Undo a commit that succeeded; return True if there was one."""
    if bench.git("rev-parse", "HEAD").decode().strip() == base:
        return False
    bench.git("update-ref", "HEAD", base)
    return True


def typical_duration(bench: Bench, base: str) -> float:
    """Return the seconds from the start of the git hook to its end, the median of five."""
    used = []
    for _ in range(5):
        commit = bench.commit()
        bench.hook_pid(commit)
        started = time.monotonic()
        status = commit.wait()
        used.append(time.monotonic() - started)
        if status != 0 or not restore_head(bench, base):
            raise SystemExit(f"an undisturbed commit fails: {(bench.base / 'stderr').read_text()}")
    return statistics.median(used)


def kill_once(bench: Bench, number: signal.Signals, after_s: float, counts: Counts) -> None:
    """Start a commit, send the signal, and wait until all processes have ended."""
    commit = bench.commit()
    pid = bench.hook_pid(commit)
    time.sleep(after_s)
    hit = is_running(pid)
    try:
        if number in GROUP:
            os.killpg(commit.pid, number)
        else:
            os.kill(pid, number)
    except ProcessLookupError:
        hit = False
    counts.sent[number.name] += 1
    counts.hit[number.name] += hit
    counts.statuses[commit.wait()] += 1
    took = settle(bench)
    counts.lingering += took is None
    counts.longest_s = max(counts.longest_s, took or 0.0)
    reported = (bench.base / "stderr").read_text(errors="backslashreplace")
    if "Traceback" in reported:
        counts.tracebacks[f"{number.name}: {reported.strip().splitlines()[-1]}"] += 1


def compare(bench: Bench, before: State, what: str, counts: Counts) -> None:
    """Record every path that differs."""
    after = bench.state()
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            counts.differences.append(f"{what}: {path}")


def run(bench: Bench, kills: int, chance: random.Random) -> tuple[Counts, float]:
    """Kill the requested number of times and compare after each."""
    base = bench.git("rev-parse", "HEAD").decode().strip()
    duration = typical_duration(bench, base)
    before = bench.state()
    counts = Counts()
    for turn in range(kills):
        number = SIGNALS[turn % len(SIGNALS)]
        after_s = chance.uniform(0.0, duration)
        kill_once(bench, number, after_s, counts)
        lock = bench.root / ".git/index.lock"
        counts.locks += lock.exists()
        lock.unlink(missing_ok=True)  # git's own, when git is killed
        counts.through[number.name] += restore_head(bench, base)
        compare(bench, before, f"turn {turn}, {number.name} after {after_s:.3f} s", counts)
    commit = bench.commit()
    if commit.wait() != 0:
        counts.differences.append("the commit after the last kill failed")
    restore_head(bench, base)
    compare(bench, before, "after the last commit", counts)
    counts.snapshots_left = len(bench.snapshots())
    return counts, duration


def report(counts: Counts, duration: float) -> bool:
    """Print the results; return True if no file was lost or left over."""
    print(f"git hook, undisturbed, cold cache: {duration:.2f} s")
    print(f"{'signal':8} {'sent':>5} {'while running':>14} {'commit went through':>20}")
    for number in SIGNALS:
        name = number.name
        print(f"{name:8} {counts.sent[name]:5} {counts.hit[name]:14} {counts.through[name]:20}")
    print(f"all      {counts.sent.total():5} {counts.hit.total():14} {counts.through.total():20}")
    statuses = ", ".join(f"{status}: {count}" for status, count in sorted(counts.statuses.items()))
    print(f"exit statuses of git commit    {statuses}")
    print(f"files or entries that differ   {len(counts.differences)}")
    print(f"index.lock left by killed git  {counts.locks}")
    print(f"tracebacks on the terminal     {counts.tracebacks.total()}")
    print(f"processes left                 {counts.lingering} (the last went after {counts.longest_s:.2f} s)")
    print(f"snapshots after the next run   {counts.snapshots_left}")
    for last, count in sorted(counts.tracebacks.items()):
        print(f"TRACEBACK {count} x {last}")
    for difference in counts.differences[:20]:
        print(f"DIFFERS {difference}")
    return not (counts.differences or counts.lingering or counts.snapshots_left)


def main() -> int:
    """Parse the arguments, run, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=300, help="how many commits to kill (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments (default 1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kill-", ignore_cleanup_errors=True) as folder:
        bench = build(Path(folder).resolve())
        counts, duration = run(bench, options.kills, random.Random(options.seed))
    return 0 if report(counts, duration) else 1


if __name__ == "__main__":
    sys.exit(main())
