"""Evaluate hints that an added function repeats an existing one.

    python evals/repetitions.py scan REPOSITORY ... --out FILE [--commits N] [--skip N] [--meaning COSINE]
    python evals/repetitions.py reach REPOSITORY ... [--commits N] [--meaning COSINE]
    python evals/repetitions.py show FILE
    python evals/repetitions.py precision JUDGED
    python evals/repetitions.py plant REPOSITORY ... [--each N]

``scan`` reads the newest commits of each repository that add code to a source file and writes one line for
each hint, with both bodies. With ``--meaning`` functions without a hint are compared by the base model.
``reach`` compares them with all functions of the repository, and prints how many hints the candidates
with common words include. ``precision`` reads lines ``ID yes|no`` of a human judge and prints the share of
hints after which a reviewer would ask for the existing function, by kind, with Wilson intervals of 95%.
``plant`` copies functions of the newest commit into other modules, with renamed locals, exchanged statements
or other literals, and prints the share that is found.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from repetition_planting import WAYS, Original, copy_of

from wardround.change.change_source import GitChangeSource, decode_any_encoding
from wardround.change.diff import Change, ChangedFile
from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.meaning import LEAST_SIMILAR, is_comparable, meanings
from wardround.context.code_graph.repetitions import (
    BaseFiles,
    RepetitionSearch,
    _bodies,
    _is_candidate,
    _is_compared,
    added_bodies,
    drop_moved,
    find_repetitions,
    repetition_of,
    without,
)
from wardround.context.code_graph.symbol_moves import find_moves
from wardround.context.code_graph.symbol_text import symbol_text
from wardround.context.code_graph.tree_files import tree_at
from wardround.context.code_graph.vector_store import StoredEmbedder, VectorStore
from wardround.context.repetition import Repetition, RepetitionKind
from wardround.inference.registry import default_registry
from wardround.inference.runtime import detect_runtime
from wardround.retrieval.protocols import TextEmbedder
from wardround_lab.evaluation.symbol_vectors import SymbolVectors

STORES = Path("/tmp/wardround-repetitions")
_MOST_FILES = 100


class Hint(msgspec.Struct):
    """A hint on a commit, with both bodies."""

    repository: str
    commit: str
    repetition: Repetition
    added: str
    existing: str


class Meaning(NamedTuple):
    """The model that compares functions, and the least cosine of a hint."""

    embedder: TextEmbedder
    least: float


def name_of(path: Path) -> str:
    return path.name if path.name != "repo" else path.parent.name.rpartition("+")[2]


def reader(source: GitChangeSource) -> Callable[[ChangedFile, bool], str | None]:
    def read(file: ChangedFile, base: bool) -> str | None:
        content = source.content(file, base=base)
        return None if content is None else decode_any_encoding(content)

    return read


def commits(repository: Repository, number: int, skip: int) -> Iterator[tuple[str, Change]]:
    """Yield the newest commits with one parent and at most 100 files."""
    rows = repository._git.output("rev-list", "--parents", "--no-merges", "HEAD").split("\n")
    for row in rows[skip : skip + number]:
        commit, *parents = row.split()
        if len(parents) == 1:
            change = repository.range(parents[0], commit)
            if 0 < len(change.files) <= _MOST_FILES:
                yield commit, change


def hints_of(
    repository: Repository, graph: CodeGraph, change: Change, meaning: Meaning | None
) -> tuple[tuple[Repetition, ...], int, GitChangeSource]:
    """Return the hints on a change, and the number of functions that were compared."""
    source = GitChangeSource(repository, change)
    read = reader(source)
    added = added_bodies(change, read)
    if not added:
        return (), 0, source
    added = drop_moved(added, find_moves(change, read))
    graph.update(tree_at(repository, change.base))
    base = BaseFiles(lambda path: source.read(path, "base"))
    found = find_repetitions(added, change, read, graph, base)
    if meaning is not None:
        search = RepetitionSearch(change, read, graph, base)
        found += tuple(meanings(without(added, found), search, graph, meaning.embedder, meaning.least))
    return found, len(added), source


def scan(paths: Sequence[Path], number: int, skip: int, least: float) -> Iterator[Hint]:
    meaning = None
    if least:
        meaning = Meaning(default_registry().embedder("base", detect_runtime("cpu")), least)
    for path in paths:
        began, seen, adding, added, hints = time.monotonic(), 0, 0, 0, 0
        with Repository(path) as repository, CodeGraph.open(repository.git_dir, STORES) as graph:
            for commit, change in commits(repository, number, skip):
                found, count, source = hints_of(repository, graph, change, meaning)
                seen, added, adding, hints = seen + 1, added + count, adding + (count > 0), hints + len(found)
                for match in found:
                    yield _make_hint(name_of(path), commit, change, source, match)
        print(f"{name_of(path)}: {seen} commits, {adding} add functions, {added} functions, {hints} hints, "
              f"{time.monotonic() - began:.0f} s", flush=True)  # fmt: skip


def reach(paths: Sequence[Path], number: int, least: float) -> None:
    """Print how many of the hints by all vectors are found among the candidates with common words."""
    embedder = default_registry().embedder("base", detect_runtime("cpu"))
    for path in paths:
        every, found, functions = 0, 0, 0
        with Repository(path) as repository, CodeGraph.open(repository.git_dir, STORES) as graph:
            stored = StoredEmbedder(VectorStore.open(repository.git_dir, STORES / "vectors"), embedder)
            for _, change in commits(repository, number, 0):
                for words, vectors in _both_ways(repository, graph, change, stored, least):
                    functions += 1
                    every += vectors is not None
                    found += vectors is not None and words == vectors
        print(f"{name_of(path)}: {functions} functions, {every} hints by all vectors, "
              f"{found} of them by words", flush=True)  # fmt: skip


def _both_ways(
    repository: Repository, graph: CodeGraph, change: Change, embedder: TextEmbedder, least: float
) -> Iterator[tuple[tuple[str, str] | None, tuple[str, str] | None]]:
    """Yield for each added function the existing one found by words and model, and that found by the model
    alone.
    """
    source = GitChangeSource(repository, change)
    read = reader(source)
    added = added_bodies(change, read)
    if not added:
        return
    added = drop_moved(added, find_moves(change, read))
    tree = tree_at(repository, change.base)
    graph.update(tree)
    base = BaseFiles(lambda path: source.read(path, "base"))
    search = RepetitionSearch(change, read, graph, base)
    every = SymbolVectors(graph, tree, embedder)
    for body in without(added, find_repetitions(added, change, read, graph, base)):
        by_words = next(meanings([body], search, graph, embedder, least), None)
        (near,) = every.nearest([symbol_text(body.symbol, search.added_lines(body.symbol.path))], 50)
        usable = (
            (match.symbol.path, match.symbol.name) for match in near
            if match.similarity >= least and is_comparable(body.symbol, match.symbol)
            and search.is_usable(
                body, repetition_of(body.symbol, match.symbol, RepetitionKind.MEANING, match.similarity)
            )
        )  # fmt: skip
        is_named = search.is_convention(body.symbol)
        named = None if by_words is None else (by_words.existing_path, by_words.existing_name)
        yield named, None if is_named else next(usable, None)


def _make_hint(name: str, commit: str, change: Change, source: GitChangeSource, item: Repetition) -> Hint:
    file = change.file(item.path)
    head = source.content(file) if file is not None else None
    base = source.read(item.existing_path, "base")
    added = _lines(head, item.line, item.end_line)
    return Hint(name, commit, item, added, _lines(base, item.existing_line, item.existing_end_line))


def _lines(content: bytes | None, first: int, last: int) -> str:
    return "\n".join((content or b"").decode("utf-8", "replace").split("\n")[first - 1 : last])


def show(hints: Sequence[Hint], most_lines: int) -> None:
    for number, hint in enumerate(hints):
        item = hint.repetition
        print(f"=== {number} {hint.repository} {hint.commit[:10]} {item.kind} {item.similarity}")
        for location, name, text in (
            (f"{item.path}:{item.line}", item.name, hint.added),
            (f"{item.existing_path}:{item.existing_line}", item.existing_name, hint.existing),
        ):
            print(f"--- {location} {name}")
            print("\n".join(text.split("\n")[:most_lines]))


def plant(paths: Sequence[Path], each: int) -> None:
    """Print the share of planted copies that are found, by kind of edit."""
    found: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for path in paths:
        with Repository(path) as repository, CodeGraph.open(repository.git_dir, STORES) as graph:
            head = repository.commit("HEAD")
            tree = tree_at(repository, head)
            graph.update(tree)
            source = GitChangeSource(repository, Change(head, head))
            draw = random.Random(path.as_posix())
            for way, item in planted(graph, [entry.path for entry in tree.entries], source, each, draw):
                found[way].append(item)
                found["all"].append(item)
    for way, some in found.items():
        for label, hits in (("found", [hit for hit, _ in some]), ("shown", [shown for _, shown in some])):
            low, high = wilson(sum(hits), len(hits))
            print(f"{way:10} {label} {sum(hits)} of {len(hits)} = {sum(hits) / len(hits):.2f} "
                  f"[{low:.2f}, {high:.2f}]")  # fmt: skip


def planted(
    graph: CodeGraph, paths: Sequence[str], source: GitChangeSource, each: int, draw: random.Random
) -> Iterator[tuple[str, tuple[bool, bool]]]:
    """Yield for each copy its kind of edit, whether it is found, and whether it is shown."""
    base = BaseFiles(lambda path: source.read(path, "base"))
    originals = [
        symbol for path in paths if _is_compared(path) for symbol in graph.symbols_in(path)
        if _is_candidate(symbol) and "." not in symbol.name and "default" not in symbol.name
    ]  # fmt: skip
    draw.shuffle(originals)
    for symbol in originals[:each]:
        original = Original(symbol, source.read(symbol.path, "base") or b"")
        for way, edits in WAYS.items():
            text = copy_of(original, f"planted{symbol.name}", edits, draw)
            if text is None:
                continue
            path = f"{symbol.path.rpartition('/')[0]}/planted.{symbol.path.rpartition('.')[2]}".lstrip("/")
            added = [body for body in _bodies(path, text) if _is_candidate(body.symbol)]
            change = source.repository.range("HEAD", "HEAD")
            hints = find_repetitions(added, change, lambda file, is_base: None, graph, base)
            hit = [hint for hint in hints if hint.existing_name == symbol.name]
            yield way, (bool(hit), any(hint.is_shown for hint in hit))


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Return the 95% interval of a share."""
    z, share = 1.96, hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return middle - half, middle + half


def precision(hints: Sequence[Hint], verdicts: dict[int, bool]) -> None:
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for number, hint in enumerate(hints):
        if number in verdicts:
            by_kind[hint.repetition.kind].append(verdicts[number])
            by_kind["all"].append(verdicts[number])
    for kind, some in by_kind.items():
        low, high = wilson(sum(some), len(some))
        print(f"{kind:10} {sum(some)} of {len(some)} = {sum(some) / len(some):.2f} [{low:.2f}, {high:.2f}]")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    orders = parser.add_subparsers(dest="command", required=True)
    scanning = orders.add_parser("scan")
    scanning.add_argument("repositories", nargs="+", type=Path)
    scanning.add_argument("--out", type=Path, required=True)
    scanning.add_argument("--commits", type=int, default=100)
    scanning.add_argument("--skip", type=int, default=0)
    scanning.add_argument("--meaning", type=float, default=0.0, metavar="COSINE")
    reaching = orders.add_parser("reach")
    reaching.add_argument("repositories", nargs="+", type=Path)
    reaching.add_argument("--commits", type=int, default=100)
    reaching.add_argument("--meaning", type=float, default=LEAST_SIMILAR, metavar="COSINE")
    showing = orders.add_parser("show")
    showing.add_argument("hints", type=Path)
    showing.add_argument("--lines", type=int, default=40)
    planting = orders.add_parser("plant")
    planting.add_argument("repositories", nargs="+", type=Path)
    planting.add_argument("--each", type=int, default=40)
    judging = orders.add_parser("precision")
    judging.add_argument("hints", type=Path)
    judging.add_argument("verdicts", type=Path, help="lines 'NUMBER yes|no', numbered as show prints them")
    options = parser.parse_args()
    if options.command == "scan":
        with options.out.open("wb") as out:
            for hint in scan(options.repositories, options.commits, options.skip, options.meaning):
                out.write(msgspec.json.encode(hint) + b"\n")
                out.flush()
        return
    if options.command == "reach":
        reach(options.repositories, options.commits, options.meaning)
        return
    if options.command == "plant":
        plant(options.repositories, options.each)
        return
    hints = [msgspec.json.decode(line, type=Hint) for line in options.hints.read_bytes().splitlines()]
    if options.command == "show":
        show(hints, options.lines)
        return
    rows = (line.split() for line in options.verdicts.read_text().splitlines() if line.strip())
    precision(hints, {int(row[0]): row[1] == "yes" for row in rows})


if __name__ == "__main__":
    main()
