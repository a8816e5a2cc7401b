"""Review the pool of repositories, so that their findings can be judged.

    python evals/judging_pool.py windows --clones DIR --windows FILE [--kind KIND] [--length N] [--count N]
                                         [--most N] [--only SPECIALIST --paths PATHSPEC ...]
    python evals/judging_pool.py verify  --windows FILE ... --results FILE [--most N] [--wait]
    python evals/judging_pool.py scan    --clones DIR --results FILE [--commits N] [--kind KIND]
    python evals/judging_pool.py counts  --results FILE [--windows FILE ...]
    python evals/judging_pool.py again   --clones DIR --examples FILE [--judgements DIR] [--rules PATTERN ...]

The repositories are those of ``evals/judgements/pool.yml`` that have a clone in ``DIR/OWNER+NAME``, with or
without a work tree. Each command works at low priority, one review at a time, and resumes from its file.

``windows`` reviews ranges of commits at once, one window of each repository before a second of any, and
attributes every finding to the commit that added its line. ``--only`` and ``--paths`` narrow it to one
specialist and to the commits that change its files. ``verify`` reviews those commits separately, as for a
user, those of rules with the fewest findings first; ``--wait`` continues while ``windows`` writes. Only
findings of such reviews are judged. ``scan`` reviews the newest commits without windows. ``counts`` prints
the findings by specialist and by rule, the rules with fewer than ten, and the share of the findings of
windows that the review of their commit confirms. Then judge them:

    wardround eval judge --results FILE --reader NAME

``again`` reviews the commits of judged findings with the present version. In the folder of the judgements it
writes ``facts.csv`` for the judge, and ``no_longer_reported.txt``, the list of findings that are no longer
reported; with ``--rules`` only those of some rules, and the entries of other rules remain. FILE contains
code: commit it to no repository.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path

import msgspec

from wardround import host
from wardround.rules.judgement_files import load_judgements, read_no_longer_reported, write_no_longer_reported
from wardround.rules.judgements import key_id
from wardround.rules.yaml_loader import parse_yaml
from wardround_lab.corpora.clones import clone_of
from wardround_lab.evaluation.judging.examples import (
    ReviewedExamples,
    no_longer_reported,
)
from wardround_lab.evaluation.judging.facts_table import FACTS, JudgedFacts, facts_of, read_facts, write_facts
from wardround_lab.evaluation.judging.history import Window, windows
from wardround_lab.evaluation.judging.hits import HitFile, Source, review_request, scan
from wardround_lab.evaluation.judging.rates import rule_of
from wardround_lab.evaluation.judging.review_again import review_judged_commits
from wardround_lab.evaluation.judging.row_file import RowFile
from wardround_lab.evaluation.judging.sample import Limits
from wardround_lab.evaluation.judging.verify import Verification, confirmation
from wardround_lab.evaluation.judging.windows import ReviewedWindow, reviewed_window

POOL = Path(__file__).parent / "judgements" / "pool.yml"
_NICENESS = 15
_ROUND = 10
"""Commits of each repository in one round."""
_FEWEST = 10
_STEP = 20
"""Number of commits that are reviewed separately before new windows are read."""
_PAUSE_S = 20


def pool() -> dict[str, list[str]]:
    """Kind -> names of repositories."""
    return msgspec.convert(parse_yaml(POOL.read_text("utf-8")), dict[str, list[str]])


def sources(clones: Path, kind: str | None) -> Iterator[Source]:
    """Yield the repositories that have a clone, one of each kind in turn, and print those that do not."""
    chosen = [names for some, names in pool().items() if kind in (None, some)]
    for name in [name for row in zip_longest(*chosen) for name in row if name]:
        folder = clone_of(clones, name)
        if folder is not None:
            yield Source(name, folder)
        else:
            print(f"{name}: no clone in {clones}")


def scan_windows(arguments: argparse.Namespace) -> None:
    """Review the windows in rounds over all repositories."""
    os.nice(max(0, _NICENESS - os.nice(0)))
    file, loaded = RowFile(arguments.windows, ReviewedWindow), host.load()
    known = {row.key for row in file.rows}
    only, left = (arguments.only,) if arguments.only else (), arguments.most
    with review_request(only) as request:
        for source, window in in_rounds(list(sources(arguments.clones, arguments.kind)), arguments):
            if not left:
                return
            if (source.name, window.base, window.head, arguments.only) not in known:
                left -= 1
                started = time.monotonic()
                done = reviewed_window(source, window, arguments.only, loaded, request)
                file.add(done)
                seconds = time.monotonic() - started
                print(f"{source.name} {window.head[:8]}: {len(done.hits)} in {seconds:.0f} s", flush=True)


def in_rounds(found: list[Source], arguments: argparse.Namespace) -> Iterator[tuple[Source, Window]]:
    """Yield one window of each repository, then the next of each."""
    limits = (arguments.length, arguments.count, arguments.paths, arguments.since)
    left = [(source, windows(source.folder, *limits)) for source in found]
    while left:
        for source, some in list(left):
            window = next(some, None)
            if window is None:
                left.remove((source, some))
            else:
                yield source, window


def verify_pool(arguments: argparse.Namespace) -> None:
    """Review the commits of windows separately."""
    os.nice(max(0, _NICENESS - os.nice(0)))
    files, file = [RowFile(path, ReviewedWindow) for path in arguments.windows], HitFile(arguments.results)
    judged = {judgement.key for judgement in load_judgements(POOL.parent)}
    verification, loaded, left = Verification(file, judged, Limits()), host.load(), arguments.most
    with review_request() as request:
        while left:
            for row_file in files:
                row_file.read_new()
            found = [row for row_file in files for row in row_file.rows]
            done = verification.review(found, min(left, _STEP), loaded, request)
            left -= done
            print(f"{len(file.commits)} commits, {len(file.hits())} findings", flush=True)
            if not done and not arguments.wait:
                break
            time.sleep(0 if done else _PAUSE_S)


def scan_pool(arguments: argparse.Namespace) -> None:
    """Review the commits in rounds over all repositories."""
    os.nice(max(0, _NICENESS - os.nice(0)))
    file, loaded = HitFile(arguments.results), host.load()
    found = list(sources(arguments.clones, arguments.kind))
    for commits in [*range(_ROUND, arguments.commits, _ROUND), arguments.commits]:
        scan(found, commits, file, loaded)
        print(f"{commits} commits each: {len(file.commits)} commits, {len(file.hits())} findings", flush=True)


def again(arguments: argparse.Namespace) -> None:
    """Review the commits of judged findings with the present version, those with most wrong ones first."""
    os.nice(max(0, _NICENESS - os.nice(0)))
    judgements = load_judgements(arguments.judgements)
    every = {judgement.key for judgement in judgements}
    keys = {key for key in every if any(fnmatchcase(rule_of(key), pattern) for pattern in arguments.rules)}
    folders = {source.name: source.folder for source in sources(arguments.clones, None)}
    file, loaded = RowFile(arguments.examples, ReviewedExamples), host.load()
    review_judged_commits(judgements, keys, folders, file, loaded, arguments.part)
    failed = [row for row in file.rows if row.trouble]
    for row in failed:
        print(f"{row.repository} {row.commit[:8]}: {row.trouble}")
    before = read_no_longer_reported(arguments.judgements)
    removed = no_longer_reported(keys, file.rows) | {key for key in every - keys if key_id(key) in before}
    write_no_longer_reported(arguments.judgements, removed)
    reviewed = {(row.repository, row.commit) for row in file.rows if not row.trouble}
    others = {key_id(key) for key in every if (key.repository, key.commit) not in reviewed}
    known = [row for row in facts_before(arguments.judgements) if row.id in others]
    write_facts(arguments.judgements, [*known, *facts_of(file.rows, every)])
    print(f"{len(file.rows)} commits, {len(failed)} failed; {len(removed)} of {len(every)} findings are gone")


def facts_before(folder: Path) -> list[JudgedFacts]:
    """Return the facts of an earlier run; none without a table."""
    return read_facts(folder) if (folder / FACTS).exists() else []


def counts(arguments: argparse.Namespace) -> None:
    """Print the findings by specialist and by rule."""
    file = HitFile(arguments.results)
    hits = file.hits()
    failed = sum(bool(commit.trouble) for commit in file.commits)
    added = sum(commit.added_lines for commit in file.commits)
    repositories = len({commit.repository for commit in file.commits})
    print(f"{len(file.commits)} commits of {repositories} repositories, {failed} failed, {added} added lines")
    for title, found in (
        ("specialist", Counter(hit.specialist for hit in hits)),
        ("severity", Counter(hit.severity for hit in hits)),
        ("rule", Counter(hit.rule for hit in hits)),
    ):
        print(f"\nfindings  {title}")
        for name, count in found.most_common():
            print(f"{count:8}  {name}{'  (rare)' if title == 'rule' and count < _FEWEST else ''}")
    if arguments.windows:
        rows = [row for path in arguments.windows for row in RowFile(path, ReviewedWindow).rows]
        share = confirmation(rows, file)
        print(f"\n{share.confirmed} of {share.checked} findings of windows confirmed")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    item = commands.add_parser("windows")
    item.add_argument("--clones", type=Path, required=True)
    item.add_argument("--windows", type=Path, required=True)
    item.add_argument("--kind", choices=sorted(pool()))
    item.add_argument("--length", type=int, default=40, help="commits in a window")
    item.add_argument("--count", type=int, default=10, help="windows of a repository")
    item.add_argument("--most", type=int, default=100_000, help="windows to review in this run")
    item.add_argument("--since", default="2021-01-01", help="older commits are left out")
    item.add_argument("--only", default="", help="the specialist that reviews")
    item.add_argument("--paths", nargs="+", default=(), help="pathspecs of the files that commits change")
    item.set_defaults(run=scan_windows)
    item = commands.add_parser("verify")
    item.add_argument("--windows", type=Path, required=True, nargs="+")
    item.add_argument("--results", type=Path, required=True)
    item.add_argument("--most", type=int, default=10_000, help="commits to review")
    item.add_argument("--wait", action="store_true", help="wait for further windows")
    item.set_defaults(run=verify_pool)
    item = commands.add_parser("scan")
    item.add_argument("--clones", type=Path, required=True)
    item.add_argument("--results", type=Path, required=True)
    item.add_argument("--commits", type=int, default=30)
    item.add_argument("--kind", choices=sorted(pool()))
    item.set_defaults(run=scan_pool)
    item = commands.add_parser("again")
    item.add_argument("--clones", type=Path, required=True)
    item.add_argument("--examples", type=Path, required=True)
    item.add_argument("--judgements", type=Path, default=POOL.parent)
    item.add_argument("--rules", nargs="+", default=("*",), help="patterns of rules")
    item.add_argument("--part", nargs=2, type=int, default=(1, 1), help="K of N processes on the same FILE")
    item.set_defaults(run=again)
    item = commands.add_parser("counts")
    item.add_argument("--results", type=Path, required=True)
    item.add_argument("--windows", type=Path, nargs="+")
    item.set_defaults(run=counts)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
