"""Measure the code graph on repositories: first build, update, and the neighbours of a change.

    python benchmarks/code_graph.py REPOSITORY ...
    python benchmarks/code_graph.py REPOSITORY --commits 20

For each repository: the first build at an older commit, in a store that does not exist yet; then updates to
newer trees that differ in ten source files; then, for commits of the history, opening the graph, an update
without a difference and the neighbours of the change. The table has medians and worst cases in seconds,
processor time of the build, and the size of the store per byte of source. Exit status 1: a median is above
its bound (``BUILD_S`` per 2,000 files, ``UPDATE_S``, ``NEIGHBOURS_S``).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.context.code_graph.extraction import is_indexed, language_of
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at
from wardround.retrieval.commit_signals import COMMITS, CommitIndex
from wardround.retrieval.hunk_search import changed_code
from wardround.retrieval.index import SearchIndex

BUILD_S = 60.0
"""For 2,000 files."""
UPDATE_S = 1.0
NEIGHBOURS_S = 0.15
_FILES = 2000
_CHANGED = 10
_LIMIT = 20


def build(repository: Repository, commit: str, store: Path) -> tuple[int, float, float, float]:
    """Return the number of files, wall and processor seconds, and the size of the store per source byte."""
    tree = tree_at(repository, commit)
    began, cpu = time.perf_counter(), time.process_time()
    with CodeGraph.open(repository.git_dir, store) as graph:
        graph.update(tree_at(repository, commit))
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    source = sum(len(tree.read(entry)) for entry in tree.entries if language_of(entry.path))
    stored = sum(file.stat().st_size for file in store.glob("*.sqlite"))
    return len(tree.entries), seconds, used, stored / max(source, 1)


def steps(repository: Repository, commits: list[str]) -> Iterator[str]:
    """Yield commits, oldest first, of which each differs from the one before in about ten source files."""
    last = commits[-1]
    for commit in reversed(commits[:-1]):
        changed = [one for one in repository.range(last, commit).files if is_indexed(one.path)]
        if len(changed) >= _CHANGED:
            last = commit
            yield commit


def updates(repository: Repository, commits: list[str], store: Path, most: int) -> list[tuple[float, int]]:
    """Return the seconds of each update, including opening the store, and the number of files it read."""
    found = []
    for commit in steps(repository, commits):
        began = time.perf_counter()
        with CodeGraph.open(repository.git_dir, store) as graph:
            done = graph.update(tree_at(repository, commit))
        found.append((time.perf_counter() - began, done.read))
        if len(found) == most:
            break
    return found


def retrievals(
    repository: Repository, commits: list[str], store: Path, most: int
) -> list[tuple[float, float]]:
    """Return the seconds of opening with an update, and of the neighbours, for the changes of commits."""
    index = SearchIndex.open(repository.git_dir, store / "retrieval")
    found = []
    for commit, parent in pairwise(commits):
        change = repository.range(parent, commit)
        if not 1 <= sum(is_indexed(one.path) for one in change.files) <= 2 * _CHANGED:
            continue
        past = index.past(repository.ancestors(parent, COMMITS), repository.commits_touching)
        with CodeGraph.open(repository.git_dir, store) as graph:
            graph.update(tree_at(repository, commit))  # files that are new since the commit before
        found.append(retrieval(repository, change, past, store))
        if len(found) == most:
            break
    return found


def retrieval(
    repository: Repository, change: Change, past: Sequence[CommitIndex], store: Path
) -> tuple[float, float]:
    hunks = changed_code(change, FileTexts(GitChangeSource(repository, change), change))
    began = time.perf_counter()
    with CodeGraph.open(repository.git_dir, store) as graph:
        graph.update(tree_at(repository, change.head))
        opened = time.perf_counter()
        graph.neighbours(hunks, past, _LIMIT)
    return opened - began, time.perf_counter() - opened


def measure(path: Path, most: int) -> bool:
    """Print the figures of a repository; return True if they are within the bounds."""
    with Repository(path) as repository, tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        line = repository._git.output("rev-list", "--first-parent", "-n400", "HEAD").split()
        files, wall, cpu, size = build(repository, line[-1], store)
        done = updates(repository, line, store, most)
        near = retrievals(repository, line, store, most)
    update = statistics.median(seconds for seconds, _ in done)
    opening, neighbours = (statistics.median(column) for column in zip(*near, strict=True))
    read = statistics.median(count for _, count in done)
    print(
        f"{path.name:12} {files:5} files  build {wall:.2f} s wall {cpu:.2f} s cpu, store {size:.2f} of source"
        f"  update {update:.3f} s, worst {max(done)[0]:.3f} s ({len(done)} of {read:.0f} files)"
        f"  open {opening:.3f} s  neighbours {neighbours:.3f} s, worst {max(one for _, one in near):.3f} s"
        f" ({len(near)} changes)"
    )
    return wall * _FILES / max(files, _FILES) <= BUILD_S and update <= UPDATE_S and neighbours <= NEIGHBOURS_S


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    options = parser.parse_args()
    within = [measure(path, options.commits) for path in options.repositories]
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main())
