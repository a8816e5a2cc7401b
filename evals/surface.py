"""Evaluate the changes of published surfaces that a review lists.

    python evals/surface.py scan REPOSITORY ... --out FILE [--commits N] [--skip N] [--touching PATH]
    python evals/surface.py show FILE [--breaking]
    python evals/surface.py precision FILE JUDGED

``scan`` compares base and head of the newest commits on the first-parent line of each repository, which are
pull requests in projects that merge them, and appends one line for each change; commits that the file already
contains are skipped. ``precision`` reads lines ``ID CHANGE BREAKING ANNOUNCED`` of a reader, each ``yes`` or
``no``: the change is described correctly, it is classified correctly, and so is its announcement. It prints
the shares with Wilson intervals of 95%, by kind, and the share worth a finding among the breaking changes
that nothing announces.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from wardround.change.change_source import GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.surface.comparison import surface_of
from wardround.context.surface.model import NotCompared, SurfaceChange

_MOST_FILES = 400


class Row(msgspec.Struct):
    """A commit with its changes of surfaces."""

    repository: str
    commit: str
    subject: str
    seconds: float
    changes: tuple[SurfaceChange, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()

    def identified(self) -> Iterator[tuple[str, SurfaceChange]]:
        """Yield the changes, each with an id that later scans repeat."""
        for change in self.changes:
            key = f"{self.repository}\0{self.commit}\0{change.path}\0{change.name}\0{change.detail}"
            yield hashlib.sha256(key.encode()).hexdigest()[:8], change


def name_of(path: Path) -> str:
    return path.name if path.name != "repo" else path.parent.name.rpartition("+")[2]


def commits(
    repository: Repository, number: int, skip: int, touching: Sequence[str] = ()
) -> Iterator[tuple[str, Change]]:
    """Yield the newest commits of the first-parent line, of those that change some paths."""
    rows = repository._git.output("rev-list", "--first-parent", "HEAD", "--", *touching).split("\n")
    for commit in rows[skip : skip + number]:
        parents = repository._git.output("rev-parse", f"{commit}^@").split() if commit else []
        if parents:
            change = repository.range(parents[0], commit)
            if 0 < len(change.files) <= _MOST_FILES:
                yield commit, change


def scan(paths: Sequence[Path], out: Path, number: int, skip: int, touching: Sequence[str]) -> None:
    known = {(row.repository, row.commit) for row in read(out)} if out.exists() else set()
    with out.open("ab") as file:
        for path in paths:
            with Repository(path) as repository:
                for commit, change in commits(repository, number, skip, touching):
                    if (name_of(path), commit) not in known:
                        file.write(msgspec.json.encode(scanned(repository, name_of(path), commit, change)))
                        file.write(b"\n")
                        file.flush()


def scanned(repository: Repository, name: str, commit: str, change: Change) -> Row:
    started = time.monotonic()
    messages = repository.messages(change.base, change.head)
    surface = surface_of(GitChangeSource(repository, change), change, messages)
    seconds = round(time.monotonic() - started, 3)
    subject = messages[0].split("\n")[0] if messages else ""
    return Row(name, commit, subject, seconds, surface.changes, surface.not_compared)


def read(file: Path) -> list[Row]:
    return [msgspec.json.decode(line, type=Row) for line in file.read_bytes().splitlines()]


def show(file: Path, *, breaking: bool) -> None:
    rows = read(file)
    for row in rows:
        _print_row(row, breaking=breaking)
    changes = [change for row in rows for change in row.changes]
    breaks = [change for change in changes if change.is_breaking]
    unannounced = [change for change in breaks if change.announced_by is None]
    slowest = max((row.seconds for row in rows), default=0.0)
    print(
        f"{len(rows)} commits, {len(changes)} changes, {len(breaks)} breaking, "
        f"{len(unannounced)} of them not announced; slowest {slowest} s"
    )


def _print_row(row: Row, *, breaking: bool) -> None:
    shown = [(key, change) for key, change in row.identified() if change.is_breaking or not breaking]
    if shown or row.not_compared:
        print(f"{row.repository} {row.commit[:10]} {row.subject[:90]}")
    for key, change in shown:
        weight = f"BREAKING, {change.announced_by}" if change.is_breaking else "not breaking"
        print(f"  {key} {change.kind} {change.path}:{change.line} {change.name} {change.detail}  [{weight}]")
    for missing in row.not_compared:
        print(f"  not compared: {missing.kind}: {missing.reason}")


def precision(file: Path, judged: Path) -> None:
    verdicts = {words[0]: words[1:] for words in map(str.split, judged.read_text().splitlines()) if words}
    by_kind: dict[str, list[list[bool]]] = {}
    for row in read(file):
        for key, item in row.identified():
            if key in verdicts:
                answers = [word == "yes" for word in verdicts[key][:3]]
                for kind in (item.kind.value, "all"):
                    by_kind.setdefault(kind, []).append(answers)
    for kind, answers in sorted(by_kind.items()):
        columns = zip(("change", "breaking", "announced"), zip(*answers, strict=True), strict=False)
        shares = ", ".join(f"{name} {share(sum(column), len(column))}" for name, column in columns)
        print(f"{kind}: {len(answers)} read; {shares}")


def share(hits: int, total: int) -> str:
    """Return a share with its Wilson interval of 95%."""
    z, part = 1.96, hits / total
    centre = (part + z * z / (2 * total)) / (1 + z * z / total)
    spread = z * math.sqrt(part * (1 - part) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{hits} of {total} = {part:.2f} [{centre - spread:.2f}, {centre + spread:.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    item = commands.add_parser("scan")
    item.add_argument("repositories", nargs="+", type=Path)
    item.add_argument("--out", type=Path, required=True)
    item.add_argument("--commits", type=int, default=30)
    item.add_argument("--skip", type=int, default=0)
    item.add_argument("--touching", action="append", default=[])
    item = commands.add_parser("show")
    item.add_argument("file", type=Path)
    item.add_argument("--breaking", action="store_true")
    item = commands.add_parser("precision")
    item.add_argument("file", type=Path)
    item.add_argument("judged", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "scan":
        scan(arguments.repositories, arguments.out, arguments.commits, arguments.skip, arguments.touching)
    elif arguments.command == "show":
        show(arguments.file, breaking=arguments.breaking)
    else:
        precision(arguments.file, arguments.judged)


if __name__ == "__main__":
    main()
