"""Measure the code graph on repositories: first build, update, and the neighbours of a change.

    python benchmarks/code_graph.py REPOSITORY ...
    python benchmarks/code_graph.py REPOSITORY --commits 20

For each repository: the first build at an older commit, in a store that does not exist yet; then updates to
newer trees that differ in ten source files; then, for commits of the history, opening the graph, an update
without a difference and the neighbours of the change. The table has medians and worst cases in seconds, on
the wall and of the processor (a busy machine stretches the first), and the size of the store per byte of
source. Exit status 1: a median on the wall is above its bound (``BUILD_S`` per 2,000 files, ``UPDATE_S``,
``NEIGHBOURS_S``).
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


class Clock:
    """Wall and processor seconds since its creation."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._began[0], time.process_time() - self._began[1]


def build(repository: Repository, commit: str, store: Path) -> tuple[int, tuple[float, float], float]:
    """Return the number of files, the seconds, and the size of the store per byte of source."""
    tree = tree_at(repository, commit)
    clock = Clock()
    with CodeGraph.open(repository.git_dir, store) as graph:
        graph.update(tree_at(repository, commit))
    seconds = clock.read()
    source = sum(len(tree.read(entry)) for entry in tree.entries if language_of(entry.path))
    stored = sum(file.stat().st_size for file in store.glob("*.sqlite"))
    return len(tree.entries), seconds, stored / max(source, 1)


def steps(repository: Repository, commits: list[str]) -> Iterator[str]:
    """Yield commits, oldest first, of which each differs from the one before in about ten source files."""
    last = commits[-1]
    for commit in reversed(commits[:-1]):
        changed = [file for file in repository.range(last, commit).files if is_indexed(file.path)]
        if len(changed) >= _CHANGED:
            last = commit
            yield commit


def updates(
    repository: Repository, commits: list[str], store: Path, most: int
) -> list[tuple[tuple[float, float], int]]:
    """Return the seconds of each update, including opening the store, and the number of files it read."""
    found = []
    for commit in steps(repository, commits):
        clock = Clock()
        with CodeGraph.open(repository.git_dir, store) as graph:
            done = graph.update(tree_at(repository, commit))
        found.append((clock.read(), done.read))
        if len(found) == most:
            break
    return found


def retrievals(
    repository: Repository, commits: list[str], store: Path, most: int
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the seconds of opening with an update, and of the neighbours, for the changes of commits."""
    index = SearchIndex.open(repository.git_dir, store / "retrieval")
    found = []
    for commit, parent in pairwise(commits):
        change = repository.range(parent, commit)
        if not 1 <= sum(is_indexed(file.path) for file in change.files) <= 2 * _CHANGED:
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
) -> tuple[tuple[float, float], tuple[float, float]]:
    hunks = changed_code(change, FileTexts(GitChangeSource(repository, change), change))
    clock = Clock()
    with CodeGraph.open(repository.git_dir, store) as graph:
        graph.update(tree_at(repository, change.head))
        opening, clock = clock.read(), Clock()
        graph.neighbours(hunks, past, _LIMIT)
        return opening, clock.read()


def shown(name: str, some: Sequence[tuple[float, float]]) -> str:
    walls, cpus = zip(*some, strict=True)
    return (
        f"  {name} {statistics.median(walls):.3f} s wall {statistics.median(cpus):.3f} s cpu"
        f" (worst of {len(some)}: {max(walls):.3f}, {max(cpus):.3f})"
    )


def measure(path: Path, most: int) -> bool:
    """Print the figures of a repository; return True if they are within the bounds."""
    with Repository(path) as repository, tempfile.TemporaryDirectory() as folder:
        store = Path(folder)
        line = repository._git.output("rev-list", "--first-parent", "-n400", "HEAD").split()
        files, built, size = build(repository, line[-1], store)
        done = updates(repository, line, store, most)
        near = retrievals(repository, line, store, most)
    read = statistics.median(count for _, count in done)
    print(f"{path.name}: {files} files, store {size:.2f} of source, updates of {read:.0f} files")
    timed = {
        "update": [seconds for seconds, _ in done],
        "opening": [opening for opening, _ in near],
        "neighbours": [seconds for _, seconds in near],
    }
    print(shown("build", [built]), *(shown(name, some) for name, some in timed.items()), sep="\n")
    medians = {name: statistics.median(wall for wall, _ in some) for name, some in timed.items()}
    is_built = built[0] * _FILES / max(files, _FILES) <= BUILD_S
    return is_built and medians["update"] <= UPDATE_S and medians["neighbours"] <= NEIGHBOURS_S


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
