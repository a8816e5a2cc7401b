"""Texts with the kind of their task, from commits whose authors state it by a conventional prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.text.task_kinds import kind_of_prefix
from wardround.text.task_text import task_text
from wardround.training_tasks import History, LabelledText

_FEWEST_WORDS = 3
_WORD = re.compile(r"[A-Za-z]{2,}")


def labelled_messages(history: History) -> Iterator[LabelledText]:
    """Yield the messages of a repository whose prefix states one kind, without that prefix, newest first."""
    for commit in history.messages():
        kind = kind_of_prefix(commit.subject)
        text = task_text(commit.subject, commit.body) if kind else ""
        if len(_WORD.findall(text)) >= _FEWEST_WORDS:
            yield LabelledText(history.repository, commit.time, commit.id, text, kind)
