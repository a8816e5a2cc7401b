"""Evaluate the neighbours of a change on commits of external repositories.

    python evals/neighbours.py mine REPOSITORY ... --out FILE [--each N] [--seed N] [--meaning] [--newest N]
    python evals/neighbours.py report FILE ... [--json FILE]

``mine`` takes commits that modify three or more existing source files, and at most twenty files, from blocks
evenly spaced over the newer half of a history. One modified file, drawn at random, is hidden; the query are
the hunks of the others at the parent commit, where the graph and the earlier commits end. The hidden file is
right. ``--meaning`` adds the similarity of symbols by the base model. ``report`` prints how often the hidden
file is among the first ten, by all rankers together and by each. Intervals are of 95%, by bootstrap over the
commits within each repository.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.repository import Repository
from wardround.context.code_graph import neighbours
from wardround.context.code_graph.change_neighbours import MOST_PLACES, MOST_SYMBOLS, symbol_neighbours
from wardround.context.code_graph.evidence import scores
from wardround.context.code_graph.extraction import language_of
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Symbol
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.context.code_graph.tree_files import tree_at
from wardround.context.code_graph.vector_store import StoredEmbedder, VectorStore
from wardround.context.symbol_neighbours import Place
from wardround.inference.registry import default_registry
from wardround.inference.runtime import detect_runtime
from wardround.retrieval.commit_signals import COMMITS
from wardround.retrieval.documents import hunk_text
from wardround.retrieval.hunk_search import ChangedCode
from wardround.retrieval.index import SearchIndex
from wardround.text.search_terms import count_words
from wardround_lab.evaluation.symbol_vectors import SymbolVectors

FIRST = 10
FEWEST, MOST = 3, 20
_BLOCKS = 10
_RESAMPLES = 2000
_MEANING = "meaning"
_COMPARED = (
    ("graph and vectors", "graph"),
    ("graph and words", "graph"),
    ("graph and vectors", "graph and words"),
    ("graph and vectors", "graph and rankers"),
    ("graph and words and vectors", "graph and words"),
)
_NEAREST = 40
_MOST_TESTS = 3
"""Tests of a symbol that a language model gets at most."""
_QUERIES = 12
_CANDIDATES = 400
"""Candidates of a row that are kept for each ranker: its first."""


class Row(msgspec.Struct):
    """One commit with one file hidden: the scores of each ranker by path.

    Attributes:
        listed: source of neighbours -> for each changed symbol the files of its neighbours, nearest first.
    """

    repository: str
    commit: str
    hidden: str
    files: int
    seconds: float
    columns: dict[str, dict[str, float]]
    listed: dict[str, list[list[str]]] = {}


def usable(repository: Repository, commit: str) -> tuple[Change, list[ChangedFile]] | None:
    """Return the change of a commit and its modified source files, if there are enough."""
    parents = repository._git.output("rev-list", "--parents", "-n1", commit).split()[1:]
    if len(parents) != 1:
        return None
    change = repository.range(parents[0], commit)
    if len(change.files) > MOST:
        return None
    modified = [
        file for file in change.files
        if file.status is FileStatus.MODIFIED and file.is_regular and file.hunks and language_of(file.path)
    ]  # fmt: skip
    return (change, modified) if len(modified) >= FEWEST else None


def base_hunks(origin: GitChangeSource, change: Change, files: Sequence[ChangedFile]) -> list[ChangedCode]:
    """Return the hunks of files with the lines of the parent commit."""
    texts, found = FileTexts(origin, change), []
    for file in files:
        base, head = texts.base(file.path), texts.head(file.path)
        if base is None or head is None:
            continue
        old, new = base.split("\n"), head.split("\n")
        for hunk in file.hunks:
            removed = (
                old[hunk.base_start - 1 : hunk.base_start - 1 + hunk.base_length] if hunk.base_length else []
            )
            added = (
                new[hunk.head_start - 1 : hunk.head_start - 1 + hunk.head_length] if hunk.head_length else []
            )
            first = max(hunk.base_start, 1)
            last = max(first, hunk.base_start + hunk.base_length - 1)
            found.append(
                ChangedCode(file.base_path or file.path, first, last, "", "\n".join([*added, *removed][:400]))
            )
    return found


def sampled(
    repository: Repository, each: int, draw: random.Random, newest: int | None = None
) -> Iterator[tuple[str, Change, list[ChangedFile]]]:
    """Yield usable commits from blocks evenly spaced over the newer half of a history.

    Args:
        newest: the number of commits to take them from instead; fewer texts are then without a vector.
    """
    every = repository._git.output("rev-list", "--no-merges", "HEAD").split()
    every = every[: newest or max(len(every) // 2, min(len(every), 500))]
    size = math.ceil(len(every) / _BLOCKS)
    for block in range(_BLOCKS):
        found, commits = 0, every[block * size : (block + 1) * size]
        draw.shuffle(commits)
        for commit in commits:
            if found * _BLOCKS >= each:
                break
            use = usable(repository, commit)
            if use is not None:
                found += 1
                yield commit, *use


def score_by_meaning(
    index: SymbolVectors, texts: Sequence[str], changed: Collection[str]
) -> dict[str, float]:
    """Return the score of each file: how far its nearest symbol is above the last of the nearest ones."""
    found: dict[str, float] = {}
    for matches in index.nearest(texts, _NEAREST):
        best: dict[str, float] = {}
        for match in matches:
            if match.symbol.path not in changed:
                best.setdefault(match.symbol.path, match.similarity - matches[-1].similarity)
        for path, score in best.items():
            found[path] = found.get(path, 0.0) + score
    return {path: score for path, score in found.items() if score > 0}


def meaning_columns(
    graph: CodeGraph, index: SymbolVectors, hunks: Sequence[ChangedCode], read: Callable[[str], bytes | None]
) -> dict[str, dict[str, float]]:
    """Return the scores of files by the texts of hunks, and by those of the symbols around them."""
    changed = {hunk.path for hunk in hunks}
    code = [hunk for hunk in hunks if language_of(hunk.path)]
    by_hunks = [hunk_text(hunk.path, "", hunk.text) for hunk in code[:_QUERIES]]
    symbols = [symbol for symbol in graph.changed_symbols(code) if symbol.name][:_QUERIES]
    lines = {path: (read(path) or b"").decode("utf-8", "replace").split("\n") for path in changed}
    by_symbols = [symbol_text(symbol, lines[symbol.path]) for symbol in symbols]
    return {"meaning of hunks": score_by_meaning(index, by_hunks, changed),
            "meaning of symbols": score_by_meaning(index, by_symbols, changed)}  # fmt: skip


def listed_files(
    graph: CodeGraph, index: SymbolVectors, hunks: Sequence[ChangedCode], read: Callable[[str], bytes | None]
) -> dict[str, list[list[str]]]:
    """Return the files of the neighbours of each changed symbol, by the graph, by vectors and by words."""
    changed = {hunk.path for hunk in hunks}
    code = [hunk for hunk in hunks if language_of(hunk.path)]
    symbols = _named_symbols(graph, code)
    texts = _symbol_texts(symbols, read)
    places: dict[str, Iterator[Sequence[Symbol | Place]]] = {
        "graph": (_graph_places(graph, symbol, code, changed) for symbol in symbols),
        "vectors": ([match.symbol for match in matches] for matches in index.nearest(texts, _NEAREST)),
        "words": (graph.symbols_with_words(count_words(text), _NEAREST) for text in texts),
    }
    return {name: [_paths(found, changed) for found in by_symbol] for name, by_symbol in places.items()}


def _named_symbols(graph: CodeGraph, code: Sequence[ChangedCode]) -> list[Symbol]:
    """Return the first changed symbols: those whose neighbours a language model gets."""
    return sorted(symbol for symbol in graph.changed_symbols(code) if symbol.name)[:MOST_SYMBOLS]


def _symbol_texts(symbols: Sequence[Symbol], read: Callable[[str], bytes | None]) -> list[str]:
    paths = {symbol.path for symbol in symbols}
    lines = {path: (read(path) or b"").decode("utf-8", "replace").split("\n") for path in paths}
    return [symbol_text(symbol, lines[symbol.path]) for symbol in symbols]


def _graph_places(
    graph: CodeGraph, symbol: Symbol, hunks: Sequence[ChangedCode], changed: Collection[str]
) -> list[Place]:
    """Return the neighbours that a language model gets with ``context = "neighbours"``."""
    lines = [(hunk.line, hunk.end_line) for hunk in hunks if hunk.path == symbol.path]
    found = symbol_neighbours(graph, symbol, lines, changed)
    tests = [reach.test for reach in graph.tests_reaching(symbol, is_resolved=True)][:_MOST_TESTS]
    near = [*found.callees, *found.callers, *found.examples, *found.similar]
    return [*near, *(Place(test.path, test.line, test.name) for test in tests)]


def _paths(found: Sequence[Place | Symbol], changed: Collection[str]) -> list[str]:
    """Return the path of each neighbour outside of the changed files."""
    return [item.path for item in found if item.path not in changed]


def mine(
    paths: Sequence[Path], each: int, seed: int, folder: Path, meaning: bool, newest: int | None = None
) -> Iterator[Row]:
    embedder = default_registry().embedder("base", detect_runtime("cpu")) if meaning else None
    for path in paths:
        draw = random.Random(f"{path.name} {seed}")
        with Repository(path) as repository, CodeGraph.open(repository.git_dir, folder) as graph:
            index = SearchIndex.open(repository.git_dir, folder / "retrieval")
            vectors = (
                None
                if embedder is None
                else StoredEmbedder(VectorStore.open(repository.git_dir, folder / "vectors"), embedder)
            )
            for commit, change, modified in sampled(repository, each, draw, newest):
                hidden = draw.choice(modified)
                tree = tree_at(repository, change.base)
                graph.update(tree)
                past = index.past(repository.ancestors(change.base, COMMITS), repository.commits_touching)
                others = [file for file in modified if file is not hidden]
                with_changes = repository.range(change.base, change.head)
                hunks = base_hunks(GitChangeSource(repository, with_changes), change, others)
                began = time.perf_counter()
                columns = scores(graph.evidence(hunks, past))
                seconds = time.perf_counter() - began
                listed = {}
                if vectors is not None:
                    every = SymbolVectors(graph, tree, vectors, with_tests=True)
                    searched = every.without_tests()
                    source = GitChangeSource(repository, with_changes)
                    read = partial(source.read, side="base")
                    columns |= meaning_columns(graph, searched, hunks, read)
                    listed = listed_files(graph, every, hunks, read)
                name = path.name if path.name != "repo" else path.parent.name.rpartition("+")[2]
                yield Row(name, commit, hidden.base_path or hidden.path, len(modified), seconds, {
                    name: _first(found, hidden.path) for name, found in columns.items()
                }, listed)  # fmt: skip


def _first(found: Mapping[str, float], hidden: str) -> dict[str, float]:
    order = sorted(found, key=lambda path: (-found[path], path))[:_CANDIDATES]
    return {
        path: round(found[path], 6)
        for path in dict.fromkeys([*order, *([hidden] if hidden in found else [])])
    }


def is_found(row: Row, ranked: Sequence[str]) -> bool:
    return row.hidden in ranked[:FIRST]


def ranked_by(column: Mapping[str, float]) -> list[str]:
    return sorted(column, key=lambda path: (-column[path], path))


def interval(rows: Mapping[str, Sequence[float]]) -> tuple[float, float]:
    """Return the 95% interval of the mean over all rows, by bootstrap within each repository."""
    draw = random.Random(1)
    means = []
    for _ in range(_RESAMPLES):
        sample = [draw.choice(some) for some in rows.values() for _ in some]
        means.append(statistics.fmean(sample))
    means.sort()
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]


def without_meaning(columns: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    return {name: column for name, column in columns.items() if not name.startswith(_MEANING)}


def report_paths_of_neighbours(rows: Sequence[Row]) -> None:
    """Print how often the hidden file is among those of the neighbours of the changed symbols.

    More files find more, so the gain by vectors is also compared with as many files of cheaper sources.
    """
    sets = {
        " and ".join(names): [_paths_of_neighbours(row, names) for row in rows]
        for names in (("graph",), ("vectors",), ("words",), ("graph", "vectors"), ("graph", "words"),
                      ("graph", "words", "vectors"))
    }  # fmt: skip
    sets["graph and rankers"] = [
        _fill(graph, row, len(other))
        for row, graph, other in zip(rows, sets["graph"], sets["graph and vectors"], strict=True)
    ]
    for label, found in sets.items():
        files = statistics.fmean(len(paths) for paths in found)
        hits = [float(row.hidden in paths) for row, paths in zip(rows, found, strict=True)]
        print(
            f"neighbours by {label:28} {_mean_with_interval(_by_repository(rows, hits))}  {files:.1f} files"
        )
    for label, base in _COMPARED:
        gains = [
            float(row.hidden in paths) - float(row.hidden in before)
            for row, paths, before in zip(rows, sets[label], sets[base], strict=True)
        ]
        print(f"gain of {label} over {base}: {_mean_with_interval(_by_repository(rows, gains))}")


def _fill(graph: Collection[str], row: Row, size: int) -> set[str]:
    """Return the files of the graph and the first by all rankers but vectors, as many as requested."""
    ranked = [path for path in neighbours.rank(without_meaning(row.columns)) if path not in graph]
    return {*graph, *ranked[: size - len(graph)]}


def _paths_of_neighbours(row: Row, names: Sequence[str]) -> set[str]:
    """Return the files of the neighbours; of each symbol the first of vectors and words, all of the graph."""
    found: set[str] = set()
    for name in names:
        most = None if name == "graph" else MOST_PLACES
        found.update(path for paths in row.listed[name] for path in paths[:most])
    return found


def _by_repository(rows: Sequence[Row], values: Sequence[float]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row, value in zip(rows, values, strict=True):
        found.setdefault(row.repository, []).append(value)
    return found


def _mean_with_interval(values: Mapping[str, Sequence[float]]) -> str:
    low, high = interval(values)
    every = [value for some in values.values() for value in some]
    return f"{statistics.fmean(every):.3f} [{low:.3f}, {high:.3f}]"


def report(rows: Sequence[Row], json_file: Path | None) -> None:
    rankers = {
        "all": lambda row: neighbours.rank(without_meaning(row.columns)),
        **{
            f"all and {name}": (
                lambda row, name=name: neighbours.rank(
                    {**without_meaning(row.columns), name: row.columns[name]}
                )
            )
            for name in rows[0].columns
            if name.startswith(_MEANING)
        },
        "all without history": lambda row: neighbours.rank({**without_meaning(row.columns), "history": {}}),
        "links and imports": lambda row: neighbours.rank(
            {name: row.columns[name] if name in ("links", "imports") else {} for name in row.columns}
        ),
        **{
            f"{name} alone": (lambda row, name=name: ranked_by(row.columns[name])) for name in rows[0].columns
        },
    }
    print(f"{len(rows)} commits of {len({row.repository for row in rows})} repositories; first {FIRST}")
    table = {}
    every_hit: dict[str, dict[str, list[float]]] = {}
    for label, rank in rankers.items():
        hits: dict[str, list[float]] = {}
        for row in rows:
            hits.setdefault(row.repository, []).append(float(is_found(row, rank(row))))
        every_hit[label] = hits
        every = [hit for some in hits.values() for hit in some]
        low, high = interval(hits)
        by = "  ".join(
            f"{name} {statistics.fmean(some):.2f} of {len(some)}" for name, some in sorted(hits.items())
        )
        print(f"{label:22} {statistics.fmean(every):.3f} [{low:.3f}, {high:.3f}]  {by}")
        table[label] = {"share": statistics.fmean(every), "low": low, "high": high}
    for label in every_hit:
        if label.startswith("all and"):
            gains = {
                name: [item - other for item, other in zip(some, every_hit["all"][name], strict=True)]
                for name, some in every_hit[label].items()
            }
            low, high = interval(gains)
            gain = statistics.fmean(gain for some in gains.values() for gain in some)
            print(f"gain of {label:26} {gain:+.3f} [{low:+.3f}, {high:+.3f}]")
    listed = [row for row in rows if row.listed]
    if listed:
        report_paths_of_neighbours(listed)
    print(f"seconds: median {statistics.median(row.seconds for row in rows):.3f}, "
          f"95% below {sorted(row.seconds for row in rows)[int(0.95 * len(rows))]:.3f}")  # fmt: skip
    if json_file is not None:
        json_file.write_text(json.dumps(table, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    mining = commands.add_parser("mine")
    mining.add_argument("repositories", nargs="+", type=Path)
    mining.add_argument("--out", type=Path, required=True)
    mining.add_argument("--each", type=int, default=60)
    mining.add_argument("--seed", type=int, default=1)
    mining.add_argument("--meaning", action="store_true")
    mining.add_argument("--newest", type=int, help="take commits from the newest N, not from the newer half")
    mining.add_argument("--stores", type=Path, default=Path("/tmp/wardround-neighbours"))
    reporting = commands.add_parser("report")
    reporting.add_argument("rows", nargs="+", type=Path)
    reporting.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.command == "mine":
        rows = []
        found = mine(
            options.repositories, options.each, options.seed, options.stores, options.meaning, options.newest
        )
        for row in found:
            rows.append(row)
            options.out.write_bytes(msgspec.msgpack.encode(rows))
        print(f"{len(rows)} rows")
        return
    rows = [row for file in options.rows for row in msgspec.msgpack.decode(file.read_bytes(), type=list[Row])]
    report(rows, options.json)


if __name__ == "__main__":
    main()
