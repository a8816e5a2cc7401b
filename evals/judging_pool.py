"""Review commits of the pool of repositories, so that their findings can be judged.

    python evals/judging_pool.py scan --clones DIR --results FILE [--commits N] [--kind KIND]
    python evals/judging_pool.py counts --results FILE

``scan`` reviews the newest commits of the repositories in ``evals/judgements/pool.yml`` that have a clone
in ``DIR/OWNER+NAME``, with or without a work tree, one process and one commit at a time, at low priority. It
takes a few commits of each repository before more of any, and resumes from the file. ``counts`` prints the
findings by specialist and by rule, and the rules with fewer than ten. Then judge them:

    wardround eval judge --results FILE --reader NAME
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from wardround import host
from wardround.rules.yaml_loader import parse_yaml
from wardround_lab.evaluation.judging.hits import HitFile, Source, scan

POOL = Path(__file__).parent / "judgements" / "pool.yml"
_NICENESS = 10
_ROUND = 10
"""Commits of each repository in one round."""
_FEWEST = 10


def pool() -> dict[str, list[str]]:
    """Kind -> names of repositories."""
    return msgspec.convert(parse_yaml(POOL.read_text("utf-8")), dict[str, list[str]])


def sources(clones: Path, kind: str | None) -> Iterator[Source]:
    """Yield the repositories that have a clone, and print those that have none."""
    for name in [one for some, names in pool().items() if kind in (None, some) for one in names]:
        folder = clones / name.replace("/", "+")
        folder = folder / "repo" if (folder / "repo").is_dir() else folder
        if folder.is_dir():
            yield Source(name, folder)
        else:
            print(f"{name}: no clone in {folder}")


def scan_pool(arguments: argparse.Namespace) -> None:
    """Review the commits in rounds over all repositories."""
    os.nice(_NICENESS)
    file, loaded = HitFile(arguments.results), host.load()
    found = list(sources(arguments.clones, arguments.kind))
    for commits in [*range(_ROUND, arguments.commits, _ROUND), arguments.commits]:
        scan(found, commits, file, loaded)
        print(f"{commits} commits each: {len(file.commits)} commits, {len(file.hits())} findings", flush=True)


def counts(arguments: argparse.Namespace) -> None:
    """Print the findings by specialist and by rule."""
    file = HitFile(arguments.results)
    hits = file.hits()
    failed = sum(bool(one.trouble) for one in file.commits)
    added = sum(one.added_lines for one in file.commits)
    repositories = len({one.repository for one in file.commits})
    print(f"{len(file.commits)} commits of {repositories} repositories, {failed} failed, {added} added lines")
    for title, found in (
        ("specialist", Counter(hit.specialist for hit in hits)),
        ("severity", Counter(hit.severity for hit in hits)),
        ("rule", Counter(hit.rule for hit in hits)),
    ):
        print(f"\nfindings  {title}")
        for name, count in found.most_common():
            print(f"{count:8}  {name}{'  (rare)' if title == 'rule' and count < _FEWEST else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("scan")
    one.add_argument("--clones", type=Path, required=True)
    one.add_argument("--results", type=Path, required=True)
    one.add_argument("--commits", type=int, default=30)
    one.add_argument("--kind", choices=sorted(pool()))
    one.set_defaults(run=scan_pool)
    one = commands.add_parser("counts")
    one.add_argument("--results", type=Path, required=True)
    one.set_defaults(run=counts)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
