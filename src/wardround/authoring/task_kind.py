"""The kind of a task by its prefix, its first word, and the words in it; no model."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from wardround.lazy import LazyPattern
from wardround.text.task_kinds import kind_of_prefix
from wardround.text.task_text import split_prefix

_FIRST_WORDS: Mapping[str, str] = {
    "bug": """
        fix fixes fixed fixing correct repair prevent avoid handle ensure restore stop don't do
    """,
    "feature": """
        add adds added adding support implement allow introduce enable provide expose accept create new let
        validate warn log
    """,
    "refactoring": """
        refactor refactoring rename move extract simplify split merge inline clean cleanup replace rework
        remove drop deprecate reorganize reorganise
    """,
    "performance": "optimize optimise speed accelerate cache",
    "documentation": "document explain describe clarify",
    "dependency": "bump upgrade",
    "test": "test cover",
}
_BY_FIRST_WORD = {word: kind for kind, words in _FIRST_WORDS.items() for word in words.split()}
_OBJECTS = (
    ("test", LazyPattern(r"(?i)\b(?:unit |regression |missing )?tests?\b(?! (?:client|run|case))")),
    ("documentation", LazyPattern(r"(?i)\b(?:docs?|documentation|docstrings?|readme|changelog|tutorial)\b")),
    ("build", LazyPattern(r"(?i)\b(?:ci|workflow|github actions?|dockerfile|packaging|pipeline|release)\b")),
    ("dependency", LazyPattern(r"(?i)\b(?:dependenc(?:y|ies)|lock ?file)\b")),
)  # fmt: skip
"""Kinds by what a title adds, fixes or removes."""
_EVIDENCE = (
    ("performance", LazyPattern(r"(?i)\b(?:slow(?:er|ness)?|too long|memory usage|performance|quadratic)\b")),
    (
        "bug",
        LazyPattern(
            r"(?i)\b(?:bugs?|crash(?:es|ed)?|regression|broken|incorrect(?:ly)?|wrong(?:ly)?|fails?|failure"
            r"|traceback|unexpected(?:ly)?|expected behaviou?r|steps to reproduce|does(?: not|n't)|ignored"
            r"|leaks?|hangs?|race)\b|\b[A-Z]\w+(?:Error|Exception)\b"
        ),
    ),
    ("feature", LazyPattern(r"(?i)\b(?:feature request|would be (?:nice|useful|great)|it should be)\b")),
)  # fmt: skip
"""Kinds by words anywhere, if the title has no verb that states one."""
_WORD = re.compile(r"[A-Za-z']+")


class StatedKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The kind of a task.

    Attributes:
        kind: one of ``text.task_kinds.KINDS``; empty if the text states none.
        reason: the evidence in words.
    """

    kind: str = ""
    reason: str = "the text states none"


def kind_of_task(title: str, text: str) -> StatedKind:
    """Return the kind that a task states."""
    by_prefix = kind_of_prefix(title)
    if by_prefix:
        return StatedKind(by_prefix, f'the prefix "{title.split(":", 1)[0]}"')
    _, subject = split_prefix(title)
    return _kind_by_title(subject) or _kind_by_words(f"{subject}\n{text}") or StatedKind()


def _kind_by_title(subject: str) -> StatedKind | None:
    first = _WORD.match(subject)
    kind = "" if first is None else _BY_FIRST_WORD.get(first.group().lower(), "")
    if not kind or first is None:
        return None
    beginning = " ".join(subject[first.end() :].split()[:3])
    for other, pattern in _OBJECTS:
        match = pattern.search(beginning)
        if match is not None:
            return StatedKind(other, f'the title begins with "{first.group()} ... {match.group().strip()}"')
    return StatedKind(kind, f'the title begins with "{first.group()}"')


def _kind_by_words(text: str) -> StatedKind | None:
    for kind, pattern in _EVIDENCE:
        match = pattern.search(text)
        if match is not None:
            return StatedKind(kind, f'the word "{match.group()}"')
    return None
