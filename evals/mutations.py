"""Try mutants of the lines that real commits changed, and print those that no test notices, for reading.

    python evals/mutations.py REPOSITORY --python ENVIRONMENT [--count N] [--seconds S] --out FILE

The newest N commits that change Python source are tried, each with the tests that it has, in the sandbox.
REPOSITORY is a clone, which is not modified; ENVIRONMENT is the folder of a virtual environment with the
packages that its tests import. FILE receives one line of JSON per commit; commits that it already contains
are skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from wardround.change.repository import Repository
from wardround.languages.python.module import is_test_path
from wardround.workflows.environments.existing_python import existing_python
from wardround.workflows.mutation.running import MutationOptions, mutate_change
from wardround.workflows.test.python_code.tree import TreeUnderTest


def _try_mutants(repository: Repository, commit: str, arguments: argparse.Namespace) -> dict[str, Any]:
    change = repository.range(repository.commit(f"{commit}^"), repository.commit(commit))
    blobs = dict(repository.blobs_of(change.head))

    def read(path: str) -> str | None:
        content = repository.blobs.get(blobs[path])
        return None if content is None else content.decode("utf-8", "replace")

    tree = TreeUnderTest(blobs, read)
    found = [test for path in tree.test_files for test in tree.tests_in(path)]
    tests = [test for test in found if not any(test.startswith(path) for path in arguments.without)]
    environment = existing_python(arguments.repository, {"VIRTUAL_ENV": str(arguments.python)})
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        result = mutate_change(
            repository, change, change.head, tests, environment,
            MutationOptions(budget_s=arguments.seconds, most=arguments.most), log, environ=os.environ,
        )  # fmt: skip
        end = log.read_text("utf-8", "replace")[-500:] if log.exists() else ""
    return {
        "commit": commit,
        "tests": len(tests),
        "seconds": round(time.monotonic() - begun, 1),
        "log": end,
        **msgspec.to_builtins(result),
    }


def _commits(arguments: argparse.Namespace) -> list[str]:
    log = subprocess.run(
        ["git", "-C", arguments.repository, "log", "--no-merges", "--format=%H", "--name-only",
         arguments.commit, "--", "*.py"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found: list[str] = []
    current = ""
    for line in log.splitlines():
        if line.endswith(".py"):
            if not is_test_path(line) and current not in found[-1:]:
                found.append(current)
        elif line:
            current = line
    return found[: arguments.count]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repository", type=Path)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    known = arguments.out.read_text().splitlines() if arguments.out.exists() else []
    rows = {row["commit"]: row for row in map(json.loads, known)}
    with Repository(arguments.repository) as repository:
        for commit in _commits(arguments):
            if commit not in rows:
                rows[commit] = _try_mutants(repository, commit, arguments)
                with arguments.out.open("a") as stream:
                    stream.write(json.dumps(rows[commit]) + "\n")
    print_rows([*rows.values()])


def print_rows(rows: list[dict[str, Any]]) -> None:
    """Print each unnoticed mutant, and the counts by kind of edit."""
    tried: Counter[str] = Counter()
    unnoticed: Counter[str] = Counter()
    for row in rows:
        print(
            row["commit"][:12], row["state"], f"{len(row['tried'])} tried, {row['seconds']} s", row["detail"]
        )
        for mutant in row["tried"]:
            tried[mutant["kind"]] += 1
            if not mutant["is_noticed"]:
                unnoticed[mutant["kind"]] += 1
                place = f"{mutant['path']}:{mutant['line']}"
                edit = f"{mutant['before']} -> {mutant['after']}"
                print(f"  {place} {mutant['kind']} ({mutant['tests']} tests): {edit}")
    for kind, count in tried.most_common():
        print(f"{kind}: {unnoticed[kind]} of {count}")


if __name__ == "__main__":
    main()
