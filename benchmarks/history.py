"""Measure the duration of reviews of a repository's last commits, each with an empty cache.

    python benchmarks/history.py PATH/TO/REPOSITORY             # its last 50 commits
    python benchmarks/history.py PATH/TO/REPOSITORY --last 20
    python benchmarks/history.py PATH/TO/REPOSITORY --last 30 --json docs/cost.json   # adds this repository

Each commit is reviewed against its parent, with nothing cached of either. The figures depend on the machine;
the share of reviews that take less than a second is what a developer notices.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import figures
from commit import WARDROUND, quiet

_FELT_S = 1.0


def commits(root: Path, last: int) -> list[str]:
    """Return the newest commits that are not merges and have a parent here, newest first."""
    listing = ["git", "-C", str(root), "log", "--no-merges", f"-{last}", "--format=%H"]
    listed = subprocess.run(listing, capture_output=True, text=True).stdout.split()
    return [
        commit for commit in listed if not quiet(["git", "cat-file", "-e", f"{commit}~1"], root).returncode
    ]


def seconds_of(root: Path, commit: str, env: dict[str, str]) -> float | None:
    """Return the seconds of one review; None if it failed."""
    with tempfile.TemporaryDirectory(prefix="bench-") as cache:
        # The first review reads which plugins there are; what it keeps of tools and files must go.
        quiet([str(WARDROUND), "plugins"], root, {**env, "XDG_CACHE_HOME": cache})
        started = time.perf_counter()
        done = quiet(
            [str(WARDROUND), "review", "--base", f"{commit}~1", "--head", commit],
            root,
            {**env, "XDG_CACHE_HOME": cache},
        )
        return time.perf_counter() - started if done.returncode in (0, 1, 4) else None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repository", type=Path)
    parser.add_argument("--last", type=int, default=50)
    figures.add_json_option(parser)
    options = parser.parse_args()
    env = dict(os.environ)
    used: list[tuple[float, str]] = []
    failed = 0
    for commit in commits(options.repository, options.last):
        seconds = seconds_of(options.repository, commit, env)
        if seconds is None:
            failed += 1
        else:
            used.append((seconds, commit[:10]))
    if not used:
        print(f"no commit of {options.repository} could be reviewed; give a clone with some history")
        return 1
    times = sorted(seconds for seconds, _ in used)
    under = sum(seconds < _FELT_S for seconds in times) / len(times)
    slowest, which = max(used)
    repository = {
        "commits": len(times),
        "median": statistics.median(times),
        "under_a_second": under,
        "slowest": slowest,
    }
    figures.write(options.json, "history", {options.repository.resolve().name: repository})
    print(
        f"{len(times)} commits: median {statistics.median(times):.2f} s, nine in ten under "
        f"{times[math.ceil(0.9 * len(times)) - 1]:.2f} s, {under:.0%} under a second, "
        f"slowest {slowest:.2f} s ({which}); {failed} not reviewed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
