"""Evaluate the documentation drift rules on real history.

    python evals/words.py RULE [--commits N] [--read N] [--seed S] PATH/TO/CLONE ...

RULE is the id of such a rule. Every commit of a history is analysed as in a review, except that the
documentation is that from before the commit: a hit is *told* if the author changed the documentation in the
same commit, and *left* otherwise. The share of the former is the label precision. A user would see the hits
that are left, and only manual judgement (``--read``) shows how often they are right. File-level checks
(DC160, DC480, SQ095, SQ480, TS095, TS484) are run as in a review, so only hits that are left are counted for
them.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from wardround_docker_ci.check import CiCheck
from wardround_docker_ci.checks.documentation.misnamed_step import MisnamedStep
from wardround_docker_ci.checks.documentation.outdated_comment import (
    OutdatedComment as OutdatedPipelineComment,
)
from wardround_docker_ci.docdrift.step_names import (
    NamedStep,
    StaleStepName,
    named,
    targets,
    tools,
    versions,
    works,
)
from wardround_docker_ci.document import CiFile
from wardround_docker_ci.file_kinds import FileKind, kind_of
from wardround_python.checks.documentation.removed_env_variable_in_docs import RemovedEnvVariableInDocs
from wardround_python.checks.documentation.removed_option_in_docs import RemovedOptionInDocs
from wardround_python.checks.documentation.stale_option_value import StaleOptionValue
from wardround_python.checks.documentation.undocumented_env_variable import UndocumentedEnvVariable
from wardround_sql.checks.documentation.comment_contradicts_column_type import CommentContradictsColumnType
from wardround_sql.checks.documentation.outdated_comment import OutdatedComment as OutdatedSqlComment
from wardround_sql.frontends.dbt import ModelChange, documentation, is_model, select_list
from wardround_typescript.checks.documentation.message_contradicts_condition import (
    MessageContradictsCondition,
)
from wardround_typescript.checks.documentation.outdated_comment import (
    OutdatedComment as OutdatedScriptComment,
)
from wardround_typescript.checks.documentation.removed_env_variable_in_docs import (
    RemovedEnvVariableInDocs as RemovedScriptVariableInDocs,
)
from wardround_typescript.checks.documentation.removed_option_in_docs import (
    RemovedOptionInDocs as RemovedScriptOptionInDocs,
)
from wardround_typescript.checks.documentation.stale_option_value import (
    StaleOptionValue as StaleScriptOptionValue,
)
from wardround_typescript.checks.documentation.undocumented_env_variable import (
    UndocumentedEnvVariable as UndocumentedScriptVariable,
)
from wardround_typescript.docdrift.doc_code_mismatch import gone, names_nothing, stale_quotes, undocumented
from wardround_typescript.docdrift.documented_functions import ComparedFunction, compared_functions
from wardround_typescript.specialist import PATTERNS

from wardround.checks.base import ChangeCheck, Check
from wardround.checks.source import ChangedFileView, ChangeView, InMemoryRepository, SourceFile
from wardround.findings import RawFinding
from wardround.semantics.docdrift.cli_options import other_values
from wardround.semantics.docdrift.cli_values import StaleValueCheck, stale_in
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
class Measured:
    """An evaluated rule: the files it analyses, and its reports about a commit."""

    patterns: Sequence[str]
    hits: Callable[[History, Commit], Iterator[Hit]]


def _texts(history: History, commit: Commit) -> Iterator[tuple[str, str, str]]:
    """Return (path, old text, new text) of the existing files that a commit changed."""
    for change in commit.changes if len(commit.changes) <= _FILES_AT_MOST else ():
        if change.blob is not None and change.base_blob is not None:
            old, new = history.text(change.base_blob), history.text(change.blob)
            if old is not None and new is not None:
                yield change.path, old, new


def _of_functions(
    says: Callable[[ComparedFunction, SourceFile], list[str]],
) -> Callable[[History, Commit], Iterator[Hit]]:
    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        for path, old, new in _texts(history, commit):
            found = compared_functions(old, new)
            tree = (
                _Tree(history, commit.id) if isinstance(history, RepositoryHistory) else InMemoryRepository()
            )
            source = SourceFile(path, new, project=tree)
            for one in found if len(found) <= _FUNCTIONS_AT_MOST else ():
                for message in says(one, source):
                    compared = one.compared
                    delta = compared.change.delta
                    lines = [f"- {line}" for line in delta.old_lines] + [
                        f"+ {line}" for line in delta.new_lines
                    ]
                    signatures = f"{compared.change.old.signature}\n{compared.change.new.signature}"
                    shown = f"{compared.words_before}\n{signatures}\n" + "\n".join(lines[:40])
                    yield Hit(
                        f"{path}:{compared.line} {compared.change.name}", message, compared.is_told, shown
                    )

    return hits


def _gone(one: ComparedFunction, source: SourceFile) -> list[str]:
    return [f"{each.entry.name} -> {each.now}" for each in gone(one)]


def _of_pipelines(
    says: Callable[[CiFile, NamedStep, NamedStep], Iterator[StaleStepName]],
) -> Callable[[History, Commit], Iterator[Hit]]:
    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        for path, old, new in _texts(history, commit):
            kind = kind_of(path, new)
            if kind is None and "\njobs:" in new:
                kind = FileKind.WORKFLOW  # one that is handed out, and stands elsewhere
            if kind not in (FileKind.WORKFLOW, FileKind.ACTION, FileKind.GITLAB_CI):
                continue
            before, after = CiFile(kind, path, old), CiFile(kind, path, new)
            try:
                pairs = list(_in_place(list(named(before.root, kind)), list(named(after.root, kind))))
            except SyntaxError:
                continue
            for was, now in pairs:
                for one in says(before, NamedStep(now.place, was.name, now.done), was):
                    lines = [f"- {x}" for x in was.done if x not in now.done]
                    lines += [f"+ {x}" for x in now.done if x not in was.done]
                    told = was.name.value != now.name.value
                    yield Hit(path, f"{one.name!r}: {one.term} -> {one.now}", told, "\n".join(lines[:30]))

    return hits


def _in_place(old: Sequence[NamedStep], new: Sequence[NamedStep]) -> Iterator[tuple[NamedStep, NamedStep]]:
    """Return named items by their context and index; by name if the numbers differ."""
    before, after = _around(old), _around(new)
    for place, ones in after.items():
        others = before.get(place, [])
        if len(ones) == len(others):
            yield from zip(others, ones, strict=True)
        else:
            by_name = {one.name.value: one for one in others}
            yield from ((by_name[one.name.value], one) for one in ones if one.name.value in by_name)


def _around(ones: Sequence[NamedStep]) -> dict[tuple[str, ...], list[NamedStep]]:
    found: dict[tuple[str, ...], list[NamedStep]] = {}
    for one in ones:
        found.setdefault(one.place[:-1], []).append(one)
    return found


def _of_models(gone: bool) -> Callable[[History, Commit], Iterator[Hit]]:
    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        for path, old, new in _texts(history, commit):
            lists = (select_list(old), select_list(new)) if is_model(path, new) else (None, None)
            if lists[0] is None or lists[1] is None or lists[0].names == lists[1].names:
                continue
            was = documentation(path, _properties(history, commit.parent, path))
            now = documentation(path, _properties(history, commit.id, path))
            if was is None:
                continue
            change, left = ModelChange(lists[0], lists[1], was), now.columns if now else frozenset()
            shown = (
                f"- {', '.join(lists[0].names)}\n+ {', '.join(lists[1].names)}\ndocumented: {sorted(left)}"
            )
            if gone:
                said = [name for name, _ in change.gone()]
            else:
                said = [column.name for column in change.undocumented()]
            silent = [name for name in said if (name in left) is gone]
            if said:
                yield Hit(path, ", ".join(silent or said), not silent, shown)

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
        asked = [part for word in words for part in ("-e", word)]
        argv = ["git", "-C", str(self.history.folder), "grep", "-l", "-w", "-z", "-F", *asked, self.commit]
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


def _changed(history: History, change: Changed) -> ChangedFileView:
    """Return a file of a commit as a change-level check reads it."""
    old, new = history.text(change.base_blob), history.text(change.blob)
    added: set[int] = set()

    def is_added(line: int) -> bool:
        if not added:
            a, b = (old or "").split("\n"), (new or "").split("\n")
            blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
            kept = {n + 1 for block in blocks for n in range(block.b, block.b + block.size)}
            added.update({0, *range(1, len(b) + 1)} - kept if old is not None else range(len(b) + 1))
        return line in added

    return ChangedFileView(change.path, change.base_path, is_added, lambda: new, lambda: old)


def _of_files(check: type[Check]) -> Callable[[History, Commit], Iterator[Hit]]:
    """Return the reports of a file-level check about each file that a commit changed."""

    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        for change in commit.changes if len(commit.changes) <= _FILES_AT_MOST else ():
            text = _changed(history, change)
            if text.text is None or text.base_text is None:
                continue
            source = SourceFile(change.path, text.text, text.read_base, is_added=text.is_added)
            made = check(source)
            if isinstance(made, CiCheck) and kind_of(change.path, text.text) not in made.KINDS:
                continue
            with suppress(SyntaxError):
                made.run()
            for one in made.results:
                around = "\n".join(source.lines[max(one.span.line - 6, 0) : one.span.end_line + 12])
                diff = difflib.unified_diff(text.base_text.split("\n"), source.lines, lineterm="", n=2)
                shown = "\n".join((around, *diff))
                yield Hit(f"{change.path}:{one.span.line}", one.message, False, shown)

    return hits


def _of_whole(check: type[ChangeCheck]) -> Callable[[History, Commit], Iterator[Hit]]:
    """Return the reports of a change-level check with the old documentation, and whether they remain with the
    new.
    """

    def hits(history: History, commit: Commit) -> Iterator[Hit]:
        if commit.parent is None or len(commit.changes) > _WHOLE_AT_MOST:
            return
        assert isinstance(history, RepositoryHistory)
        files = tuple(_changed(history, one) for one in commit.changes)
        now, before = _Tree(history, commit.id), _Tree(history, commit.parent)
        said = _said(check, ChangeView(files, _WordsFrom(now, before)))
        left = _said(check, ChangeView(files, now))
        shown = f"{commit.subject}\n" + "\n".join(sorted(one.message for one in left.values()))
        for key in {**said, **left}:
            one = left.get(key) or said[key]
            yield Hit(f"{one.file}:{one.span.line}", one.message, key not in left, shown)
        if issubclass(check, StaleValueCheck):
            yield from _told_in_help(check(ChangeView(files, now)))

    return hits


def _said(check: type[ChangeCheck], change: ChangeView) -> dict[tuple[str, str], RawFinding]:
    """Return the reports of a check by file and edit, independent of the quoted words."""
    made = check(change)
    made.run()
    return {(one.file, one.message.partition(", ")[0]): one for one in made.results}


def _told_in_help(check: StaleValueCheck) -> Iterator[Hit]:
    """Return the options whose own help stated the old value before the commit and no longer does."""
    for file in check.touched():
        sides = check.both(file) if check.may_differ(file) else None
        for one in other_values(*sides) if sides is not None else ():
            if stale_in(one, one.was.help) is not None and stale_in(one, one.now.help) is None:
                yield Hit(f"{file.path}:{one.now.line}", one.name, True, one.was.help)


def _properties(history: History, commit: str | None, path: str) -> InMemoryRepository:
    """Return the files of a commit that may document a model."""
    model = path.rpartition("/")[2].removesuffix(".sql")
    listed = history.tree(commit, ("*.yml", "*.yaml")) if commit else ()
    texts = {file: history.text(blob) or "" for file, blob in listed if "models/" in file}
    return InMemoryRepository({file: text for file, text in texts.items() if model in text})


PIPELINES = (
    ".github/workflows/*.yml", ".github/workflows/*.yaml", ".gitlab-ci.yml", "action.yml", "action.yaml",
    "*/action.yml", "ci/*.yml", "*/workflows/*.yml",
)  # fmt: skip


def _undocumented(one: ComparedFunction, source: SourceFile) -> list[str]:
    return [] if gone(one) else [parameter.name for parameter in undocumented(one)]


def _quoted(one: ComparedFunction, source: SourceFile) -> list[str]:
    if gone(one) or undocumented(one):
        return []
    left = [q for q in stale_quotes(one) if names_nothing(q, one.compared.change, source)]
    return [f"{q.kind}: {q.token} -> {q.now} in {q.phrase!r}" for q in left[:1]]


SCRIPTS = tuple(pattern for pattern in PATTERNS if not pattern.endswith((".vue", ".svelte")))
PYTHON = ("*.py",)
SETTINGS = (*PIPELINES, "*Dockerfile*", "*compose*.y*ml", "*.sh")


def _other_deed(file: CiFile, new: NamedStep, old: NamedStep) -> Iterator[StaleStepName]:
    yield from works(file, new, old)
    yield from targets(file, new, old)


RULES = {
    "DC103": Measured(PIPELINES, _of_pipelines(versions)),
    "DC104": Measured(PIPELINES, _of_pipelines(tools)),
    "DC160": Measured(SETTINGS, _of_files(OutdatedPipelineComment)),
    "DC161": Measured(PIPELINES, _of_pipelines(_other_deed)),
    "DC480": Measured(PIPELINES, _of_files(MisnamedStep)),
    "PY013": Measured(PYTHON, _of_whole(RemovedOptionInDocs)),
    "PY014": Measured(PYTHON, _of_whole(StaleOptionValue)),
    "PY015": Measured(PYTHON, _of_whole(RemovedEnvVariableInDocs)),
    "PY016": Measured(PYTHON, _of_whole(UndocumentedEnvVariable)),
    "SQ050": Measured(("*.sql",), _of_models(gone=True)),
    "SQ051": Measured(("*.sql",), _of_models(gone=False)),
    "SQ095": Measured(("*.sql",), _of_files(OutdatedSqlComment)),
    "SQ480": Measured(("*.sql",), _of_files(CommentContradictsColumnType)),
    "TS001": Measured(SCRIPTS, _of_functions(_gone)),
    "TS002": Measured(SCRIPTS, _of_functions(_undocumented)),
    "TS003": Measured(SCRIPTS, _of_functions(_quoted)),
    "TS004": Measured(SCRIPTS, _of_whole(RemovedScriptOptionInDocs)),
    "TS005": Measured(SCRIPTS, _of_whole(StaleScriptOptionValue)),
    "TS006": Measured(SCRIPTS, _of_whole(RemovedScriptVariableInDocs)),
    "TS007": Measured(SCRIPTS, _of_whole(UndocumentedScriptVariable)),
    "TS095": Measured(SCRIPTS, _of_files(OutdatedScriptComment)),
    "TS484": Measured(SCRIPTS, _of_files(MessageContradictsCondition)),
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
        hits = [one for one in left if one[0] == rule]
        chosen = random.Random(given.seed).sample(hits, min(given.read, len(hits)))
        for number, (_, repository, commit, hit) in enumerate(chosen, 1):
            print(
                f"{'=' * 80}\n#{number} {rule} {repository} {commit[:10]} {hit.place}\n{hit.message}\n"
                f"{hit.shown}"
            )


if __name__ == "__main__":
    main()
