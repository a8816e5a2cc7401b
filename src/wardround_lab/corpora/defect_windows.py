"""Windows of changes with defective lines: injected, fixed in history, or clean.

Each window also has a mirrored one: the change that breaks and the change that fixes, with the same context
lines, so that neither direction nor size reveals the label; windows are cut at random offsets, so that the
middle is not a hint.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from wardround.text.globs import matches
from wardround.training_tasks import Changed, Commit, LineDefect, LineTask, Mutation, Window
from wardround_lab.corpora.commit_classes import CommitClassifier, is_fix
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.corpora.hunks import hunks
from wardround_lab.corpora.quality_filters import is_generated, is_vendored
from wardround_lab.corpora.records import RecordedHunk

LINES = 12
"""Maximum number of lines of a window; about 128 tokens."""
_FILES = 150
"""Maximum number of files of a repository into which defects are injected."""
_PER_FILE = 12
_CLEAN = 500
"""Maximum number of ordinary changes of a repository."""
_REAL_LINES = 3
"""Maximum number of removed or added lines of a hunk that counts as one small edit."""
_ADDED = 0.3
"""Share of injected windows that are entirely new code."""
_TELLS_NOTHING = re.compile(r"\s*(?:#|import\b|from\s+\S+\s+import\b|[)\]}>,;]*\s*$|[rbu]*\"\"\"|[rbu]*''')")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def windows(task: LineTask, history: RepositoryHistory, kinds: CommitClassifier) -> Iterator[Window]:
    """Yield the windows of one repository, in a stable order."""
    yield from _injected_windows(task, history)
    yield from _real(task, history, kinds)
    yield from islice(_clean(task, history, kinds), _CLEAN)


def tokens_of(line: str) -> list[str]:
    """Return words and symbols, the unit of the size of an edit."""
    return _TOKEN.findall(line)


# --- broken on purpose


def _injected_windows(task: LineTask, history: RepositoryHistory) -> Iterator[Window]:
    """Yield injected defects in the head commit."""
    if not history.ids():
        return
    head, time = history.ids()[0], history.times()[0]
    files = [
        (path, blob)
        for path, blob in history.tree(head, task.patterns)
        if task.is_source(path) and not is_vendored(path) and not is_generated(path)
    ]
    for path, blob in sorted(sorted(files, key=lambda file: _digest(file[0]))[:_FILES]):
        text = history.text(blob)
        if text is None or is_generated(path, text):
            continue
        reported = random.Random(f"{history.repository}:{path}")  # noqa: S311  (repeatable)
        ways = list(task.inject(path, text, 0))
        for number, way in enumerate(reported.sample(ways, min(_PER_FILE, len(ways)))):
            pair = f"{path}:{way.line}:{number}"
            yield from _mirrored_windows(
                history.repository, time, f"{path}@{head[:12]}", pair, text, way, reported
            )


def _mirrored_windows(
    repository: str, time: int, group: str, pair: str, text: str, way: Mutation, told: random.Random
) -> Iterator[Window]:
    """Yield a breaking change and its mirrored fix: as an edit, or as entirely new code."""
    lines = text.split("\n")
    before, after = _random_context(
        lines[way.first - 1 : way.line - 1], lines[way.line - 1 + len(way.right) : way.last],
        max(len(way.right), len(way.wrong)), told,
    )  # fmt: skip
    new = told.random() < _ADDED and bool(way.wrong) and bool(way.right)
    for bad in (True, False):
        removed, come = (way.right, way.wrong) if bad else (way.wrong, way.right)
        complete = (*before, *come, *after) if new else (*before, *removed, *come, *after)
        marks = "+" * len(complete) if new else _mark_lines(before, removed, come, after)
        faults = _faults(len(before), () if new else removed, come, way.kind) if bad else ()
        yield Window(repository, time, group, "injected", pair, marks, tuple(complete), faults)


def _random_context(
    before: Sequence[str], after: Sequence[str], own: int, told: random.Random
) -> tuple[Sequence[str], Sequence[str]]:
    """Return some of the context lines before and after, with the change at a random position."""
    room = max(0, LINES - 2 * own)
    first = told.randint(0, min(room, len(before)))
    last = told.randint(0, min(room - first, len(after)))
    return before[len(before) - first :], after[:last]


def _mark_lines(before: Sequence[str], gone: Sequence[str], come: Sequence[str], after: Sequence[str]) -> str:
    return " " * len(before) + "-" * len(gone) + "+" * len(come) + " " * len(after)


def _faults(start: int, gone: Sequence[str], come: Sequence[str], kind: str) -> tuple[LineDefect, ...]:
    """Return the defective lines: the added ones, or the first removed one if none was added."""
    if not come:
        return (LineDefect(start, kind),)
    first = start + len(gone)
    return tuple(LineDefect(first + at, kind) for at, line in enumerate(come) if line.strip())


# --- from history


def _real(task: LineTask, history: RepositoryHistory, kinds: CommitClassifier) -> Iterator[Window]:
    for commit in kinds.fixes():
        yield from _edits(task, history, commit, mirrored=True)


def _clean(task: LineTask, history: RepositoryHistory, kinds: CommitClassifier) -> Iterator[Window]:
    for commit in kinds.all():
        if not is_fix(commit.subject):
            yield from islice(_edits(task, history, commit, mirrored=False), 2)


def _edits(task: LineTask, history: RepositoryHistory, commit: Commit, *, mirrored: bool) -> Iterator[Window]:
    """Yield the small edits of a commit, each also reversed, which restores the defect."""
    for change in commit.changes:
        if not matches(change.path, task.patterns) or not task.is_source(change.path):
            continue
        old, new = history.text(change.base_blob), history.text(change.blob)
        if old is None or new is None:
            continue
        for hunk in hunks(old, new):
            if _is_small(hunk):
                yield from _windows_of_hunk(history.repository, commit, change, new, hunk, mirrored)


def _is_small(hunk: RecordedHunk) -> bool:
    lines = (*hunk.removed, *hunk.added)
    few = max(len(hunk.removed), len(hunk.added)) <= _REAL_LINES
    tells = any(not _TELLS_NOTHING.match(line) for line in lines)
    same = [tokens_of(line) for line in hunk.removed] == [tokens_of(line) for line in hunk.added]
    return few and tells and not same


def _windows_of_hunk(
    repository: str, commit: Commit, change: Changed, new: str, hunk: RecordedHunk, mirrored: bool
) -> Iterator[Window]:
    lines = new.split("\n")
    reported = random.Random(f"{commit.id}:{change.path}:{hunk.line}")  # noqa: S311  (repeatable)
    at, group = hunk.line - 1, f"{change.path}@{commit.id[:12]}"
    before, after = _random_context(
        lines[max(0, at - LINES) : at], lines[at + len(hunk.added) : at + len(hunk.added) + LINES],
        max(len(hunk.removed), len(hunk.added)), reported,
    )  # fmt: skip
    pair = f"{group}:{hunk.line}"
    for bad in (True, False) if mirrored else (False,):
        removed, come = (hunk.added, hunk.removed) if bad else (hunk.removed, hunk.added)
        yield Window(
            repository, commit.time, group, "real" if mirrored else "clean", pair,
            _mark_lines(before, removed, come, after), (*before, *removed, *come, *after),
            _faults(len(before), removed, come, "") if bad else (),
        )  # fmt: skip


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
