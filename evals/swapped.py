"""Evaluate the checks of swapped arguments, on external repositories: findings and recall.

    python evals/swapped.py heads REPOSITORY ... [--language python|typescript] [--files N]
    python evals/swapped.py history REPOSITORY ... [--language ...] [--commits N]
    python evals/swapped.py injected REPOSITORY ... [--language ...] [--files N]
    ... --meaning

``heads``: every file at the head with all lines as added: findings among the positional calls with at least
two informative arguments and a resolved callee. ``history``: the files that each commit changes, with its
added lines: the same at the natural rate. The output is for manual judgement: a finding is correct if the
arguments are in the wrong order, in the code or in the callee's parameter names; it is wrong if the order is
intended.

``injected``: in each such call one random pair of arguments that are plain names or attributes is swapped,
and the reported ones are counted: uninformative names are included, as in a real review. Files are sampled
with a fixed seed.

``--meaning``: where the check reports nothing, the frozen base model compares each argument with each other's
parameters, by the cosine similarity of their words; findings of the base model alone are counted as ``by
meaning``.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import itertools
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from wardround_python.checks.callers.swapped_arguments import SwappedArguments
from wardround_typescript.checks.callers.swapped_arguments import SwappedArguments as SwappedScriptArguments

from wardround.checks.source import SourceFile
from wardround.inference.embedder import Embedder
from wardround.inference.registry import default_registry
from wardround.inference.runtime import detect_runtime
from wardround.languages.python.module import PythonModule
from wardround.semantics.argument_order import ArgumentList, implies_reordering, is_informative, similarity
from wardround.text.globs import matches
from wardround.text.tokens import parts
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory

SEED = 11
LEAST, TOGETHER = 0.1, 0.5
"""Minimum gain in cosine of two names, each and both; tuned on every second of 34 Python repositories."""
PATTERNS = {"python": ("*.py",), "typescript": ("*.ts", "*.tsx", "*.js", "*.jsx", "*.mts", "*.mjs")}
PLAIN = re.compile(r"[A-Za-z_$][\w$.]*")
VENDORED = ("*/node_modules/*", "*/vendor/*", "*.min.js", "*/dist/*", "*/ee/*", "*/fixtures/*", "*.d.ts")


@dataclass(frozen=True)
class Tree:
    """The files of one commit; it implements ``wardround.checks.base.Project``."""

    history: RepositoryHistory
    blobs: dict[str, str]

    def read(self, path: str) -> str | None:
        blob = self.blobs.get(path)
        return self.history.text(blob) if blob else None

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        return [
            path for path in self.paths(patterns) if any(word in (self.read(path) or "") for word in words)
        ]

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        return sorted(path for path in self.blobs if matches(path, patterns))


def made(source: SourceFile, language: str) -> Judge | None:
    """Create the check for a file; None if it does not apply to that file or the file cannot be read."""
    try:
        if language == "typescript":
            return SwappedScriptArguments(source)
        if not SwappedArguments.applies(source):
            return None
        return SwappedArguments(source, PythonModule(source.path, source.text))
    except (SyntaxError, ValueError, RecursionError):
        return None


Judge = SwappedArguments | SwappedScriptArguments


def calls_of(check: Judge) -> Iterator[tuple[Any, ArgumentList]]:
    """Return the calls that a check can judge, each with its features besides its names."""
    if isinstance(check, SwappedArguments):
        for node in check.module.nodes:
            call = check.call_of(node) if isinstance(node, ast.Call) else None
            if call is not None:
                yield node, call
    else:
        yield from check.calls()


def shown(repository: str, commit: str, check: Judge) -> None:
    """Print the findings of a check with their lines, for manual judgement."""
    for result in check.results:
        print(f"\n{repository} {commit[:10]} {result.file}:{result.span.line}  {result.message}")
        print("\n".join(check.source.lines[max(0, result.span.line - 3) : result.span.end_line + 1]))


@lru_cache(maxsize=4)
def blobs_of(history: RepositoryHistory, commit: str) -> dict[str, str]:
    return dict(history.tree(commit, ["*"]))


def drawn(history: RepositoryHistory, language: str, files: int) -> Iterator[SourceFile]:
    """Return the sources of a head, or a sample of them."""
    blobs = blobs_of(history, history.head)
    tree = Tree(history, blobs)
    paths = [p for p in tree.paths(PATTERNS[language]) if not matches(p, VENDORED)]
    if files and len(paths) > files:
        paths = sorted(random.Random(SEED).sample(paths, files))
    for path in paths:
        text = tree.read(path)
        if text is not None:
            yield SourceFile(path, text, project=tree)


def heads(history: RepositoryHistory, language: str, options: argparse.Namespace) -> Counter[str]:
    counts: Counter[str] = Counter()
    for source in drawn(history, language, options.files):
        check = made(source, language)
        if check is not None:
            check.run()
            counts["files"] += 1
            shown(history.repository, history.head, check)
            counts += counted(history.repository, source, check, options)
    return counts


def counted(repository: str, source: SourceFile, check: Judge, options: argparse.Namespace) -> Counter[str]:
    """Return the calls of a file and their findings; print findings of the base alone."""
    counts = Counter({"calls": 0, "hits": len(check.results)})
    for location, call in calls_of(check):
        counts["calls"] += 1
        if options.meaning and check.judged(location, call) is None and is_closer_swapped(call):
            counts["by meaning"] += 1
            print(f"\n{repository} {source.path} by meaning: {call.callee}{call.parameters} of {call.texts}")
    return counts


def injected(history: RepositoryHistory, language: str, options: argparse.Namespace) -> Counter[str]:
    counts: Counter[str] = Counter()
    chance = random.Random(SEED)
    for source in drawn(history, language, options.files):
        check = made(source, language)
        if check is None:
            continue
        for location, call in calls_of(check):
            plain = [i for i, text in enumerate(call.texts) if PLAIN.fullmatch(text)]
            if len(plain) > 1:
                swapped = call.swap(*chance.sample(plain, 2))
                found = check.judged(location, swapped) is not None
                counts["swaps"] += 1
                counts["found"] += found
                counts["by meaning"] += options.meaning and not found and is_closer_swapped(swapped)
    return counts


def is_closer_swapped(call: ArgumentList) -> bool:
    """Return True if two arguments match each other's parameters in meaning, by the frozen base.

    An argument that shares a word with its own parameter is in the correct position.
    """
    if implies_reordering(call.callee):
        return False
    reported = zip(call.arguments, call.parameters, strict=True)
    pairs = [(argument.name if argument else "", name) for argument, name in reported]
    away = [pair for pair in pairs if all(map(is_informative, pair)) and not similarity(*pair)]
    return any(_are_closer(item, other) for item, other in itertools.combinations(away, 2))


def _are_closer(item: tuple[str, str], other: tuple[str, str]) -> bool:
    (first, its_own), (second, of_the_second) = (tuple(map(meant, pair)) for pair in (item, other))
    gains = first @ of_the_second - first @ its_own, second @ its_own - second @ of_the_second
    return bool(min(gains) >= LEAST and sum(gains) >= TOGETHER)


@lru_cache(maxsize=100_000)
def meant(name: str) -> Any:
    """Return the unit vector of a name's words."""
    return base().embed([" ".join(parts(name)) or name])[0]


@lru_cache(maxsize=1)
def base() -> Embedder:
    return default_registry().embedder("base", detect_runtime("cpu"))


def past(history: RepositoryHistory, language: str, options: argparse.Namespace) -> Counter[str]:
    counts: Counter[str] = Counter()
    for commit in history.commits(PATTERNS[language]):
        tree = Tree(history, blobs_of(history, commit.id))
        counts["commits"] += 1
        for changed in commit.changes:
            text = history.text(changed.blob)
            if text is None or matches(changed.path, VENDORED):
                continue
            before = history.text(changed.base_blob)
            source = SourceFile(
                changed.path, text, project=tree, is_added=_added_line_numbers(before, text).__contains__
            )
            check = made(source, language)
            if check is not None:
                check.run()
                shown(history.repository, commit.id, check)
                counts += counted(history.repository, source, check, options)
    return counts


def _added_line_numbers(before: str | None, text: str) -> set[int]:
    lines = text.split("\n")
    if before is None:
        return set(range(1, len(lines) + 1))
    blocks = difflib.SequenceMatcher(None, before.split("\n"), lines, autojunk=False).get_matching_blocks()
    retained = {n + 1 for block in blocks for n in range(block.b, block.b + block.size)}
    return set(range(1, len(lines) + 1)) - retained


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("heads", "history", "injected"))
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--language", choices=tuple(PATTERNS), default="python")
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--meaning", action="store_true")
    options = parser.parse_args()
    work = {"heads": heads, "history": past, "injected": injected}[options.what]
    total: Counter[str] = Counter()
    for folder in options.repositories:
        with RepositoryHistory(folder, limits=HistoryLimits(commits=options.commits)) as history:
            counts = work(history, options.language, options)
        print(f"{folder}: {dict(counts)}", file=sys.stderr)
        total += counts
    print(f"total: {dict(total)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
