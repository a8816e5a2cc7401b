"""Evaluate the notes of the security and perf planes on commits of external repositories.

    python evals/plane_notes.py scan REPOSITORY ... --out FILE [--each N] [--source]
    python evals/plane_notes.py counts FILE
    python evals/plane_notes.py sample FILE --kind KIND [--show N] [--seed N]

``scan`` samples commits with one parent that touch a manifest or a lock file, with ``--source`` those that
touch source, evenly spaced over the newer half of a history, and appends a line of JSON for each; commits
that the file already contains are skipped. ``counts`` prints the notes by kind, and the times. ``sample``
prints notes for manual judgement.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.analyses.boundaries import boundaries_of
from wardround.analyses.supply_chain import supply_chain_of
from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import ChangedFile
from wardround.change.repository import Repository
from wardround.context.weights import weights_of
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.retrieval.test_discovery import contains_tests
from wardround.semantics.growth import growth_of
from wardround.tools.tool import Profile

_PATHS = (
    "*package.json", "*package-lock.json", "*pnpm-lock.yaml", "*pnpm-workspace.yaml", "*yarn.lock",
    "*bun.lock", "*pyproject.toml", "*uv.lock", "*poetry.lock", "*pdm.lock", "*Pipfile", "*Pipfile.lock",
    "*requirements*.txt", "*setup.cfg", "*setup.py", "*Dockerfile", ".github/workflows/*", "*.npmrc",
    "*.yarnrc.yml",
)  # fmt: skip
_SOURCES = ("*.py", "*.ts", "*.tsx", "*.js", ".github/workflows/*")


def commits(git_dir: Path, count: int, paths: Sequence[str]) -> list[str]:
    """Commits of the newer half that touch such a file, evenly spaced."""
    command = ["git", "--git-dir", str(git_dir), "log", "--no-merges", "--format=%H", "HEAD", "--", *paths]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    newer = found[: max(1, len(found) // 2)]
    step = max(1, len(newer) // count)
    return newer[::step][:count]


def notes_of(repository: Repository, commit: str, *, of_source: bool) -> dict[str, Any]:
    """The notes as plain values: about the supply chain, or about source."""
    change = repository.range(f"{commit}^", commit)
    source = GitChangeSource(repository, change)
    texts = FileTexts(source, change)

    def read(file: ChangedFile, base: bool) -> str | None:
        return texts.readable(file.path, base=base)

    tests = {file.path for file in change.files if contains_tests(file.path)}
    if not of_source:
        notes: dict[str, Any] = msgspec.to_builtins(supply_chain_of(source, change))
        return notes
    return {
        "boundaries": msgspec.to_builtins(boundaries_of(change, read, tests)),
        "growth": msgspec.to_builtins(growth_of(source, change, read, GRAPH_LIMITS[Profile.CI])),
        "weights": msgspec.to_builtins(weights_of(change, source.content, read)),
    }


def scan(arguments: argparse.Namespace) -> None:
    """Append the notes of each commit."""
    out: Path = arguments.out
    known = {json.loads(line)["commit"] for line in out.read_text().splitlines()} if out.exists() else set()
    with out.open("a") as file:
        for path in arguments.repositories:
            for commit in commits(path, arguments.each, _SOURCES if arguments.source else _PATHS):
                if commit not in known:
                    with Repository(path) as repository:
                        start = time.process_time()
                        notes = notes_of(repository, commit, of_source=arguments.source)
                    seconds = round(time.process_time() - start, 3)
                    row = {"repository": path.parent.name, "commit": commit, "seconds": seconds}
                    file.write(json.dumps(row | {"notes": notes}) + "\n")
                    file.flush()


def listed(file: Path) -> Iterator[tuple[dict[str, object], str, dict[str, object]]]:
    """Row, kind and note of each note."""
    for line in file.read_text().splitlines():
        row = json.loads(line)
        for group in ("dependencies", "locks", "installs", "boundaries", "growth", "weights"):
            for note in row["notes"].get(group, ()):
                yield row, f"{group} {note.get('change') or note.get('kind')}", note


def counts(arguments: argparse.Namespace) -> None:
    """Print the notes and the commits that have them, by kind."""
    rows = [json.loads(line) for line in arguments.file.read_text().splitlines()]
    found = Counter(kind for _, kind, _ in listed(arguments.file))
    in_commits = Counter(
        kind for kind, _ in {(kind, row["commit"]) for row, kind, _ in listed(arguments.file)}
    )
    seconds = sorted(row["seconds"] for row in rows)
    print(f"{len(rows)} commits of {len({row['repository'] for row in rows})} repositories")
    print(f"seconds: median {seconds[len(seconds) // 2]}, greatest {seconds[-1]}")
    for kind, number in sorted(found.items()):
        print(f"{kind:32} {number:6} notes in {in_commits[kind]:4} commits")


def sample(arguments: argparse.Namespace) -> None:
    """Print notes of a kind, at most one per commit."""
    by_commit = {
        row["commit"]: (row, note) for row, kind, note in listed(arguments.file) if kind == arguments.kind
    }
    chosen = sorted(by_commit)
    random.Random(arguments.seed).shuffle(chosen)
    for commit in chosen[: arguments.show]:
        row, note = by_commit[commit]
        print(row["repository"], commit[:12], json.dumps(note))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    item = commands.add_parser("scan")
    item.add_argument("repositories", nargs="+", type=Path)
    item.add_argument("--out", type=Path, required=True)
    item.add_argument("--each", type=int, default=40)
    item.add_argument("--source", action="store_true")
    item.set_defaults(run=scan)
    item = commands.add_parser("counts")
    item.add_argument("file", type=Path)
    item.set_defaults(run=counts)
    item = commands.add_parser("sample")
    item.add_argument("file", type=Path)
    item.add_argument("--kind", required=True)
    item.add_argument("--show", type=int, default=10)
    item.add_argument("--seed", type=int, default=1)
    item.set_defaults(run=sample)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
