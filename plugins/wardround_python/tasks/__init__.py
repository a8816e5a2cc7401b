"""The training tasks of the Python specialist's models."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from wardround.languages.python.module import is_test_path
from wardround.lazy import LazyPattern
from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features
from wardround.semantics.docdrift.model import DocumentedPair
from wardround.training_tasks import AnyTask, Choice, Commit, History, LineTask, Task
from wardround_lab.tasks.commit_messages import mine_message_choices
from wardround_python.docdrift.documented_functions import documented_pairs
from wardround_python.tasks.mutations import CLASSES, inject

_SENTENCE_END = LazyPattern(
    r"(?<=[.!?:])\s+(?=[A-Z`\"'(])|\n\s*\n|\n(?=\s*(?:[:*-]|\w+\s*(?:\([^)\n]*\))?\s*:))"
)
_LONG_STRING = re.compile(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'')
_WORD = re.compile(r"\w+")
_FUNCTIONS_OF_A_SWEEP = 15
_MOST_SENTENCES = 24
_FEWEST_SENTENCES = 3
_FEWEST_WORDS = 2


def tasks() -> list[AnyTask]:
    """Return the training tasks of this plugin."""
    return [
        Task(
            name="docstring-sentence",
            specialist="python",
            title="which sentence of the docstring does this change touch",
            mine=_mine,
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
            kind="doc-drift",
        ),
        Task(
            name="message-hunk",
            specialist="python",
            title="which hunk is this message about",
            mine=lambda history: mine_message_choices(history, ("*.py",)),
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
        ),
        LineTask(
            name="python-defects",
            specialist="python",
            title="which changed line is defective",
            patterns=("*.py",),
            classes=CLASSES,
            inject=inject,
            is_source=lambda path: not is_test_path(path),
        ),
    ]


def _mine(history: History) -> Iterator[Choice]:
    """Yield functions whose code and docstring changed in one commit, with the changed sentences."""
    for commit in history.commits(("*.py",)):
        results = list(_touched_pairs(history, commit))
        if len(results) > _FUNCTIONS_OF_A_SWEEP:
            continue
        for path, item in results:
            choice = _choice(history, commit, path, item)
            if choice is not None:
                yield choice


def _touched_pairs(history: History, commit: Commit) -> Iterator[tuple[str, DocumentedPair]]:
    """Return the functions a commit changed, of files in which it also changed a docstring."""
    for change in commit.changes:
        if is_test_path(change.path):
            continue
        new, old = history.text(change.blob), history.text(change.base_blob)
        if new is not None and old is not None and _LONG_STRING.findall(old) != _LONG_STRING.findall(new):
            yield from ((change.path, item) for item in documented_pairs(old, new))


def _choice(history: History, commit: Commit, path: str, pair: DocumentedPair) -> Choice | None:
    sentences = sentences_of(pair.words_before)
    if pair.words_after is None or not _FEWEST_SENTENCES <= len(sentences) <= _MOST_SENTENCES:
        return None
    retained = {_plain(sentence) for sentence in sentences_of(pair.words_after)}
    right = tuple(at for at, sentence in enumerate(sentences) if _plain(sentence) not in retained)
    query = changed_lines(pair)
    if not 0 < len(right) <= len(sentences) // 2 or not query:
        return None
    group = f"{path}:{pair.change.name}@{commit.id[:12]}"
    return Choice(history.repository, commit.time, group, query, tuple(sentences), right)


def sentences_of(words: str) -> list[str]:
    """Return the sentences and section entries of a docstring, each once, in order."""
    result = (" ".join(part.split()) for part in _SENTENCE_END.split(words))
    return list(dict.fromkeys(item for item in result if len(_WORD.findall(item)) >= _FEWEST_WORDS))


def changed_lines(pair: DocumentedPair) -> str:
    """Return the lines of code a change removed and added, with their sign."""
    lines = difflib.unified_diff(pair.change.old.lines, pair.change.new.lines, n=0, lineterm="")
    retained = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join([pair.change.name.rpartition(".")[2], *retained])


def _plain(sentence: str) -> str:
    return " ".join(_WORD.findall(sentence)).lower()
