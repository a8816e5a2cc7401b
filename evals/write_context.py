"""Evaluate the context of ``wardround write`` on commits of external repositories.

    python evals/write_context.py REPOSITORY ... [--each N] [--tokens N] [--cases] [--json FILE]

A task is the message of a commit that changes tests and up to five other source files, without addresses,
file names, paths, commit ids and issue numbers; routine commits are left out. The context is built at the
parent commit. Measured are

- ``file``: one of the source files that the commit changes is among the pointers to code; ``file@3`` is
  among the first three files;
- ``lines``: the share of the changed lines of the parent that are in the text; of an insertion the line
  before it;
- ``any line``: at least one of these lines is in the text;
- ``compression``: tokens of all source files of the repository for each token of the text;
- ``cpu``: processor seconds with an index of an earlier commit.

Commits are sampled by seed from the newest 2,500 of a history. Intervals are of 95%, by bootstrap over
commits.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from wardround.authoring.context.assembly import ContextRequest, build_context
from wardround.authoring.context.base_code import with_base_code
from wardround.authoring.context.model import DEFAULT_TOKENS, WriteContext
from wardround.authoring.instance import Instance
from wardround.authoring.task import Task
from wardround.change.diff import ChangedFile, FileStatus
from wardround.change.repository import Repository
from wardround.errors import GitError
from wardround.retrieval.file_search import is_accompanying_file, is_source
from wardround.retrieval.test_discovery import contains_tests
from wardround_lab.experiments.instances.gold import changed_lines
from wardround_lab.experiments.instances.task_text import states_a_task, task_text
from wardround_lab.experiments.rewards.localization import (
    FIRST,
    compression,
    gold_line_share,
    has_gold_file,
    has_gold_line,
    lines_of,
)

SEED = 7
NEWEST = 2500
MOST_FILES = 5
MOST_LINES = 120
RESAMPLED = 2000


@dataclass(frozen=True, slots=True)
class Commit:
    id: str
    parent: str
    message: str

    @property
    def subject(self) -> str:
        return self.message.split("\n", 1)[0]


@dataclass(frozen=True, slots=True)
class Case:
    """A task, and the lines of its parent commit that its commit changes, by path."""

    commit: Commit
    gold: dict[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Result:
    repository: str
    commit: str
    subject: str
    metrics: dict[str, float]


def commits_of(folder: Path) -> list[Commit]:
    """Return the newest commits of a history with one parent."""
    command = ["git", "-C", folder, "log", "--no-merges", "-z", f"-{NEWEST}", "--format=%H%n%P%n%B", "HEAD"]
    out = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    found = []
    for row in out.split("\0"):
        commit, parents, message = [*row.split("\n", 2), "", ""][:3]
        if len(parents.split()) == 1 and message.strip():
            found.append(Commit(commit, parents, message.strip()))
    return found


def is_task(commit: Commit) -> bool:
    return states_a_task(commit.subject, task_text(commit.message))


def case_of(repository: Repository, commit: Commit) -> Case | None:
    """Return the case of a commit; None if it changes no tests, or too many or added files."""
    try:
        files = repository.range(commit.parent, commit.id).files
    except GitError:
        return None
    sources = [file for file in files if can_be_gold(file.path)]
    has_tests = any(contains_tests(file.path) for file in files)
    if not has_tests or not is_small_edit(sources):
        return None
    gold = {file.path: lines for file in sources if (lines := changed_lines(file))}
    count = sum(map(len, gold.values()))
    return Case(commit, gold) if 0 < count <= MOST_LINES else None


def can_be_gold(path: str) -> bool:
    return is_source(path) and not is_accompanying_file(path)


def is_small_edit(sources: Sequence[ChangedFile]) -> bool:
    """Return True if few files are changed, and none is added or removed."""
    are_edited = all(file.status is FileStatus.MODIFIED and file.is_regular for file in sources)
    return are_edited and 1 <= len(sources) <= MOST_FILES


def cases_of(folder: Path, each: int) -> list[Case]:
    """Return the sampled cases of a repository."""
    usable = [commit for commit in commits_of(folder) if is_task(commit)]
    random.Random(SEED).shuffle(usable)
    found = []
    with Repository(folder) as repository:
        for commit in usable:
            case = case_of(repository, commit)
            if case is not None:
                found.append(case)
            if len(found) == each:
                break
    return found


def evaluate(folder: Path, case: Case, tokens: int) -> Result:
    text = task_text(case.commit.message)
    task = Task("text", "", text.split("\n", 1)[0], text)
    with Repository(folder) as repository:
        before = time.process_time()
        request = ContextRequest(Instance(case.commit.parent, text), task, tokens)
        context = with_base_code(repository, case.commit.parent, lambda code: build_context(code, request))
        seconds = time.process_time() - before
    metrics = metrics_of(context, case) | {"cpu": seconds}
    return Result(folder.name, case.commit.id, case.commit.subject, metrics)


def metrics_of(context: WriteContext, case: Case) -> dict[str, float]:
    """Return the metrics by the rewards of the lab's experiments."""
    files = [item.pointer.path for item in context.files]
    pointed = sorted({pointer.path for pointer in context.pointers})
    shown, tokens = lines_of(context.shown), context.tokens
    return {
        "file": float(has_gold_file(pointed, case.gold)),
        "file@3": float(has_gold_file(files, case.gold, FIRST)),
        "lines": gold_line_share(shown, case.gold),
        "any line": float(has_gold_line(shown, case.gold)),
        "files": float(len(pointed)),
        "tokens": float(tokens.used),
        "compression": compression(tokens.repository, tokens.used),
    }


# Tables


def interval(values: Sequence[float], of: Callable[[Sequence[float]], float]) -> tuple[float, float]:
    rng = random.Random(SEED)
    drawn = sorted(of(rng.choices(values, k=len(values))) for _ in range(RESAMPLED))
    return drawn[int(0.025 * RESAMPLED)], drawn[int(0.975 * RESAMPLED)]


def table(results: Sequence[Result]) -> Iterator[str]:
    yield f"{len(results)} tasks of {len({result.repository for result in results})} repositories"
    for name in ("file", "file@3", "lines", "any line", "files", "tokens", "compression", "cpu"):
        of = statistics.median if name in ("compression", "cpu") else statistics.fmean
        values = [result.metrics[name] for result in results]
        low, high = interval(values, of)
        yield f"{name:12} {of(values):8.2f}   [{low:.2f}, {high:.2f}]"
    for repository, own in groupby(results, key=lambda result: result.repository):
        yield f"  {means_of(repository, list(own))}"


def means_of(repository: str, results: Sequence[Result]) -> str:
    file = statistics.fmean(result.metrics["file"] for result in results)
    lines = statistics.fmean(result.metrics["lines"] for result in results)
    return f"{repository}: {len(results)} tasks, file {file:.2f}, lines {lines:.2f}"


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=13)
    parser.add_argument("--tokens", type=int, default=DEFAULT_TOKENS)
    parser.add_argument("--cases", action="store_true", help="print each case")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results = []
    for folder in arguments.repositories:
        for case in cases_of(folder, arguments.each):
            result = evaluate(folder, case, arguments.tokens)
            results.append(result)
            if arguments.cases:
                shown = " ".join(f"{name} {value:.2f}" for name, value in result.metrics.items())
                print(
                    f"{result.repository} {result.commit[:8]} {shown} {result.subject[:60]}", file=sys.stderr
                )
    print("\n".join(table(results)))
    if arguments.json:
        rows = [{"repository": r.repository, "commit": r.commit, **r.metrics} for r in results]
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
