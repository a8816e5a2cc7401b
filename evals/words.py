"""Evaluate the documentation drift rules on real history.

    python evals/words.py RULE [--commits N] [--read N] [--seed S] PATH/TO/CLONE ...

RULE is the id of such a rule. Every commit of a history is analysed as in a review, except that the
documentation is that from before the commit: a hit is *told* if the author changed the documentation in the
same commit, and *left* otherwise. The share of the former is the label precision. A user would see the hits
that are left, and only manual judgement (``--read``) shows how often they are right.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from wardround_python.checks.documentation.removed_option_in_docs import RemovedOptionInDocs
from wardround_sql.frontends.dbt import ModelChange, documentation, is_model, select_list
from wardround_typescript.docdrift.doc_code_mismatch import find_undocumented_parameters, removed_parameters
from wardround_typescript.docdrift.documented_functions import ComparedFunction, compared_functions
from wardround_typescript.specialist import PATTERNS

from wardround.change.repository_view import InMemoryRepository
from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView, ChangeView, SourceFile
from wardround.findings import RawFinding
from wardround.semantics.docdrift.doc_files import is_documentation
from wardround.training_tasks import Changed, Commit, History
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory

_FILES_AT_MOST = 30
_FUNCTIONS_AT_MOST = 15
_WHOLE_AT_MOST = 60
"""Maximum number of code files of a commit for change-level checks."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A report of one rule about one commit; ``told`` if the author changed the documentation in it."""

    place: str
    message: str
    told: bool
    shown: str


Left = tuple[str, str, str, Hit]
"""The rule, the repository, the commit, and the message."""


@dataclass(frozen=True, slots=True)
class EvaluatedRule:
    """An evaluated rule: the files it analyses, and its reports about a commit."""

    patterns: Sequence[str]
    hits: Callable[[History, Commit], Iterator[Hit]]


def _changed_files(history: History, commit: Commit) -> Iterator[tuple[str, str, str]]:
    """Return (path, old text, new text) of the existing files that a commit changed."""
    for change in commit.changes if len(commit.changes) <= _FILES_AT_MOST else ():
        if change.blob is not None and change.base_blob is not None:
            old, new = history.text(change.base_blob), history.text(change.blob)
            if old is not None and new is not None:
                yield change.path, old, new


def _measure_functions(
    says: Callable[[ComparedFunction, SourceFile], list[str]],
) -> Callable[[History, Commit], Iterator[Hit]]:
    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        for path, old, new in _changed_files(history, commit):
            found = compared_functions(old, new)
            tree = (
                _Tree(history, commit.id) if isinstance(history, RepositoryHistory) else InMemoryRepository()
            )
            source = SourceFile(path, new, project=tree)
            for function in found if len(found) <= _FUNCTIONS_AT_MOST else ():
                for message in says(function, source):
                    compared = function.compared
                    delta = compared.change.delta
                    lines = [f"- {line}" for line in delta.old_lines] + [
                        f"+ {line}" for line in delta.new_lines
                    ]
                    signatures = f"{compared.change.old.signature}\n{compared.change.new.signature}"
                    shown = f"{compared.words_before}\n{signatures}\n" + "\n".join(lines[:40])
                    yield Hit(
                        f"{path}:{compared.line} {compared.change.name}",
                        message,
                        compared.is_documentation_changed,
                        shown,
                    )

    return hits


def _removed_names(function: ComparedFunction, source: SourceFile) -> list[str]:
    return [f"{each.entry.name} -> {each.now}" for each in removed_parameters(function)]


def _measure_models(gone: bool) -> Callable[[History, Commit], Iterator[Hit]]:
    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        for path, old, new in _changed_files(history, commit):
            lists = (select_list(old), select_list(new)) if is_model(path, new) else (None, None)
            if lists[0] is None or lists[1] is None or lists[0].names == lists[1].names:
                continue
            previous = documentation(path, _properties(history, commit.parent, path))
            current = documentation(path, _properties(history, commit.id, path))
            if previous is None:
                continue
            change, left = (
                ModelChange(lists[0], lists[1], previous),
                current.columns if current else frozenset(),
            )
            shown = (
                f"- {', '.join(lists[0].names)}\n+ {', '.join(lists[1].names)}\ndocumented: {sorted(left)}"
            )
            if gone:
                reported = [name for name, _ in change.removed_columns()]
            else:
                reported = [column.name for column in change.undocumented_columns()]
            silent = [name for name in reported if (name in left) is gone]
            if reported:
                yield Hit(path, ", ".join(silent or reported), not silent, shown)

    return hits


@dataclass(frozen=True)
class _Tree:
    """The repository at one commit, as a change-level check reads it."""

    history: RepositoryHistory
    commit: str

    @cached_property
    def blobs(self) -> dict[str, str]:
        return dict(self.history.tree(self.commit, ("*",)))

    def read(self, path: str) -> str | None:
        return self.history.text(self.blobs.get(path))

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        return sorted(self.blobs)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        requested = [part for word in words for part in ("-e", word)]
        argv = [
            "git",
            "-C",
            str(self.history.folder),
            "grep",
            "-l",
            "-w",
            "-z",
            "-F",
            *requested,
            self.commit,
        ]
        out = subprocess.run(argv, capture_output=True, check=False).stdout.decode("utf-8", "surrogateescape")
        found = sorted(name.partition(":")[2] for name in out.split("\0") if name)
        return [path for path in found if any(fnmatch(path, pattern) for pattern in patterns)]


@dataclass(frozen=True)
class _WordsFrom:
    """The code of one tree with the documentation of another."""

    code: _Tree
    words: _Tree

    def read(self, path: str) -> str | None:
        return (self.words if is_documentation(path) else self.code).read(path)

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        return sorted({*self.code.blobs, *self.words.blobs})

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        both = (tree.files_with_word(words, patterns) for tree in (self.code, self.words))
        return sorted({path for paths in both for path in paths})


def _view_of_change(history: History, change: Changed) -> ChangedFileView:
    """Return a file of a commit as a change-level check reads it."""
    old, new = history.text(change.base_blob), history.text(change.blob)
    added: set[int] = set()

    def is_added(line: int) -> bool:
        if not added:
            a, b = (old or "").split("\n"), (new or "").split("\n")
            blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
            retained = {n + 1 for block in blocks for n in range(block.b, block.b + block.size)}
            added.update({0, *range(1, len(b) + 1)} - retained if old is not None else range(len(b) + 1))
        return line in added

    return ChangedFileView(change.path, change.base_path, is_added, lambda: new, lambda: old)


def _measure_change_check(check: type[ChangeCheck]) -> Callable[[History, Commit], Iterator[Hit]]:
    """Return the reports of a change-level check with the old documentation, and whether they remain with the
    new.
    """

    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        if commit.parent is None or len(commit.changes) > _WHOLE_AT_MOST:
            return
        assert isinstance(history, RepositoryHistory)
        files = tuple(_view_of_change(history, change) for change in commit.changes)
        now, before = _Tree(history, commit.id), _Tree(history, commit.parent)
        said = _reports_of_check(check, ChangeView(files, _WordsFrom(now, before)))
        left = _reports_of_check(check, ChangeView(files, now))
        shown = f"{commit.subject}\n" + "\n".join(sorted(message.message for message in left.values()))
        for key in {**said, **left}:
            one = left.get(key) or said[key]
            yield Hit(f"{one.file}:{one.span.line}", one.message, key not in left, shown)

    return hits


def _reports_of_check(check: type[ChangeCheck], change: ChangeView) -> dict[tuple[str, str], RawFinding]:
    """Return the reports of a check by file and edit, independent of the quoted words."""
    made = check(change)
    made.run()
    return {(result.file, result.message.partition(", ")[0]): result for result in made.results}


def _properties(history: History, commit: str | None, path: str) -> InMemoryRepository:
    """Return the files of a commit that may document a model."""
    model = path.rpartition("/")[2].removesuffix(".sql")
    listed = history.tree(commit, ("*.yml", "*.yaml")) if commit else ()
    texts = {file: history.text(blob) or "" for file, blob in listed if "models/" in file}
    return InMemoryRepository({file: text for file, text in texts.items() if model in text})


def _undocumented_names(function: ComparedFunction, source: SourceFile) -> list[str]:
    return (
        []
        if removed_parameters(function)
        else [parameter.name for parameter in find_undocumented_parameters(function)]
    )


SCRIPTS = tuple(pattern for pattern in PATTERNS if not pattern.endswith((".vue", ".svelte")))
PYTHON = ("*.py",)


RULES = {
    "PY013": EvaluatedRule(PYTHON, _measure_change_check(RemovedOptionInDocs)),
    "SQ050": EvaluatedRule(("*.sql",), _measure_models(gone=True)),
    "SQ051": EvaluatedRule(("*.sql",), _measure_models(gone=False)),
    "TS001": EvaluatedRule(SCRIPTS, _measure_functions(_removed_names)),
    "TS002": EvaluatedRule(SCRIPTS, _measure_functions(_undocumented_names)),
}


def measured(clone: Path, rules: Sequence[str], limits: HistoryLimits, left: list[Left]) -> dict[str, object]:
    """Return the figures of one repository; append the hits that authors left to ``left``."""
    started, commits, files = time.process_time(), 0, 0
    counts = {rule: {"told": 0, "left": 0, "commits": 0} for rule in rules}
    patterns = sorted({pattern for rule in rules for pattern in RULES[rule].patterns})
    with RepositoryHistory(clone, limits=limits) as history:
        for commit in history.commits(patterns):
            commits += 1
            files += len(commit.changes)
            for rule in rules:
                hits = list(RULES[rule].hits(history, commit))
                counts[rule]["commits"] += any(not hit.told for hit in hits)
                for hit in hits:
                    counts[rule]["told" if hit.told else "left"] += 1
                    if not hit.told:
                        left.append((rule, history.repository, commit.id, hit))
        return {
            "repository": history.repository, "head": history.head, "looked at": len(history.ids()),
            "with such files": commits, "files": files, "rules": counts,
            "seconds": round(time.process_time() - started, 1),
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rules", help=f"ids, with commas: {' '.join(sorted(RULES))}")
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=0, help="the newest of each history; 0 for all")
    parser.add_argument(
        "--read", type=int, default=0, help="how many hits of a rule to print that authors left"
    )
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rules = given.rules.split(",")
    if unknown := sorted(set(rules) - set(RULES)):
        parser.error(f"no rule {unknown[0]}; there are {', '.join(sorted(RULES))}")
    left: list[Left] = []
    for clone in given.clones:
        print(json.dumps(measured(clone, rules, HistoryLimits(commits=given.commits), left)), flush=True)
    for rule in rules:
        hits = [hit for hit in left if hit[0] == rule]
        chosen = random.Random(given.seed).sample(hits, min(given.read, len(hits)))
        for number, (_, repository, commit, hit) in enumerate(chosen, 1):
            print(
                f"{'=' * 80}\n#{number} {rule} {repository} {commit[:10]} {hit.place}\n{hit.message}\n"
                f"{hit.shown}"
            )


if __name__ == "__main__":
    main()
