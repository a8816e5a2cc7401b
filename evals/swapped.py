"""How often the checks of swapped arguments speak, and how many swaps they find, on repositories of others.

    python evals/swapped.py heads REPOSITORY ... [--language python|typescript] [--files N]
    python evals/swapped.py history REPOSITORY ... [--language ...] [--commits N]
    python evals/swapped.py injected REPOSITORY ... [--language ...] [--files N]

``heads``: every file as it stands, all lines taken as added: hits among the calls by position with two
told arguments or more whose callee was found. ``history``: the files each commit changes, the lines it
brought: the same at the natural rate. What is printed is read and judged by a person: right is a hit whose
arguments are in the wrong order, in the code or in the callee's parameter names; an order that is meant is
wrong.

``injected``: of each such call two arguments that are plain names or attributes change places, one random
pair a call, and it is counted how many of those are reported: names that tell nothing apart are among them,
as a reviewer meets them. Files are drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from wardround_python.checks.swapped_arguments import SwappedArguments
from wardround_python.module import PythonModule
from wardround_typescript.checks.swapped_arguments import SwappedScriptArguments

from wardround.checks import Source
from wardround.corpora.history import Limits, RepositoryHistory
from wardround.globs import matches
from wardround.names import Call

SEED = 11
PATTERNS = {"python": ("*.py",), "typescript": ("*.ts", "*.tsx", "*.js", "*.jsx", "*.mts", "*.mjs")}
PLAIN = re.compile(r"[A-Za-z_$][\w$.]*")
VENDORED = ("*/node_modules/*", "*/vendor/*", "*.min.js", "*/dist/*", "*/ee/*", "*/fixtures/*", "*.d.ts")


@dataclass(frozen=True)
class Tree:
    """The files of one commit; it implements ``wardround.checks.Project``."""

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


def made(source: Source, language: str) -> Judge | None:
    """The check, made for a file; None where it is not for that file or the file cannot be read."""
    try:
        if language == "typescript":
            return SwappedScriptArguments(source)
        if not SwappedArguments.applies(source):
            return None
        return SwappedArguments(source, PythonModule(source.path, source.text))
    except (SyntaxError, ValueError, RecursionError):
        return None


Judge = SwappedArguments | SwappedScriptArguments


def calls_of(check: Judge) -> Iterator[tuple[Any, Call]]:
    """The calls a check can judge, each with what it is judged by beside its names."""
    if isinstance(check, SwappedArguments):
        for node in check.module.nodes:
            call = check.call_of(node) if isinstance(node, ast.Call) else None
            if call is not None:
                yield node, call
    else:
        yield from check.calls()


def shown(repository: str, commit: str, check: Judge) -> None:
    """Print what a check said, each with its lines, for a person to judge."""
    for result in check.results:
        print(f"\n{repository} {commit[:10]} {result.file}:{result.span.line}  {result.message}")
        print("\n".join(check.source.lines[max(0, result.span.line - 3) : result.span.end_line + 1]))


@lru_cache(maxsize=4)
def blobs_of(history: RepositoryHistory, commit: str) -> dict[str, str]:
    return dict(history.tree(commit, ["*"]))


def drawn(history: RepositoryHistory, language: str, files: int) -> Iterator[Source]:
    """The sources of a head, or so many of them."""
    blobs = blobs_of(history, history.head)
    tree = Tree(history, blobs)
    paths = [p for p in tree.paths(PATTERNS[language]) if not matches(p, VENDORED)]
    if files and len(paths) > files:
        paths = sorted(random.Random(SEED).sample(paths, files))
    for path in paths:
        text = tree.read(path)
        if text is not None:
            yield Source(path, text, project=tree)


def heads(history: RepositoryHistory, language: str, options: argparse.Namespace) -> Counter[str]:
    counts: Counter[str] = Counter()
    for source in drawn(history, language, options.files):
        check = made(source, language)
        if check is not None:
            check.run()
            counts["calls"] += sum(1 for _ in calls_of(check))
            counts["files"] += 1
            counts["hits"] += len(check.results)
            shown(history.repository, history.head, check)
    return counts


def injected(history: RepositoryHistory, language: str, options: argparse.Namespace) -> Counter[str]:
    counts: Counter[str] = Counter()
    chance = random.Random(SEED)
    for source in drawn(history, language, options.files):
        check = made(source, language)
        if check is None:
            continue
        for place, call in calls_of(check):
            plain = [i for i, text in enumerate(call.texts) if PLAIN.fullmatch(text)]
            if len(plain) > 1:
                counts["swaps"] += 1
                counts["found"] += check.judged(place, call.exchanged(*chance.sample(plain, 2))) is not None
    return counts


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
            source = Source(changed.path, text, project=tree, is_added=_added(before, text).__contains__)
            check = made(source, language)
            if check is not None:
                check.run()
                counts["calls"] += sum(1 for _ in calls_of(check))
                counts["hits"] += len(check.results)
                shown(history.repository, commit.id, check)
    return counts


def _added(before: str | None, text: str) -> set[int]:
    lines = text.split("\n")
    if before is None:
        return set(range(1, len(lines) + 1))
    blocks = difflib.SequenceMatcher(None, before.split("\n"), lines, autojunk=False).get_matching_blocks()
    kept = {n + 1 for block in blocks for n in range(block.b, block.b + block.size)}
    return set(range(1, len(lines) + 1)) - kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("heads", "history", "injected"))
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--language", choices=tuple(PATTERNS), default="python")
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--commits", type=int, default=100)
    options = parser.parse_args()
    work = {"heads": heads, "history": past, "injected": injected}[options.what]
    total: Counter[str] = Counter()
    for folder in options.repositories:
        with RepositoryHistory(folder, limits=Limits(commits=options.commits)) as history:
            counts = work(history, options.language, options)
        print(f"{folder}: {dict(counts)}", file=sys.stderr)
        total += counts
    print(f"total: {dict(total)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
