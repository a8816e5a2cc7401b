"""Training task of the tests specialist: match a test's name to its body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features
from wardround.text.search_terms import parts
from wardround.training_tasks import Choice, History, Task
from wardround_lab.tasks.comment_code_pairs import CommentCodePair, mine_pair_choices
from wardround_tests.file_kinds import is_python_test, is_script_test
from wardround_tests.models.assertions import TestedCase
from wardround_tests.models.python_assertions import python_tests
from wardround_tests.models.script_assertions import script_tests

_PATTERNS = (
    "test_*.py", "*_test.py", "*.test.ts", "*.test.tsx", "*.test.js", "*.test.jsx",
    "*.spec.ts", "*.spec.tsx", "*.spec.js", "*.spec.jsx",
)  # fmt: skip
_SIGNATURE = re.compile(r"(?s)\A.*?\bdef\s+\w+\s*\(.*?\)\s*(?:->[^\n]*?)?:[ \t]*\n")
_FEWEST_WORDS = 2


def tasks() -> list[Task]:
    """Return the tasks of this plugin."""
    return [
        Task(
            name="test-body",
            specialist="tests",
            title="which test is this the body of",
            mine=_mine,
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
        )
    ]


def _mine(history: History) -> Iterator[Choice]:
    return mine_pair_choices(history, _PATTERNS, _pairs, ask_code=True)


def _pairs(path: str, text: str) -> list[CommentCodePair]:
    """Return the tests of a file, each as the words of its name and its body."""
    named = [(words_of_name(case.name), body_without_name(case)) for case in _cases(path, text) if case.name]
    return [CommentCodePair(words, body) for words, body in named if len(words.split()) >= _FEWEST_WORDS]


def _cases(path: str, text: str) -> Sequence[TestedCase]:
    try:
        if is_python_test(path):
            return list(python_tests(path, text))
        return list(script_tests(text)) if is_script_test(path, text) else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def words_of_name(name: str) -> str:
    """Return a test's name as words, ``test_empty_header`` as ``empty header``; a title stays unchanged."""
    if " " in name:
        return " ".join(name.split())
    words = parts(name.rpartition(".")[2])
    return " ".join(words[1:] if words[:1] in (["test"], ["tests"]) else words)


def body_without_name(case: TestedCase) -> str:
    """Return a test's source without its name: after the signature of a function or the title of a call."""
    body = _SIGNATURE.sub("", case.source, count=1)
    if body == case.source:
        _, title, rest = case.source.partition(case.name)
        body = rest if title else body
    return body.strip("\n'\"`, ")
