"""Findings for readers without a terminal: one JSON object per line, out and back with a verdict."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround.rules.judgements import Judgement, ReasonCode, Verdict, judgement_of
from wardround_lab.evaluation.judging.hits import Hit, ReviewedCommit
from wardround_lab.evaluation.judging.screen import Screen

_MOST_OTHERS = 8


class Question(msgspec.Struct, frozen=True):
    """One finding for a reader; it contains code, so it must not be committed to any repository.

    Attributes:
        name: that of the rule.
        clone: the folder of the repository on this machine, for ``git -C CLONE show COMMIT:PATH``.
        code: the lines around the finding, numbered; its own are marked, and a caret is at its column.
        others: line and rule of the nearest other findings of the same review in the file.
    """

    id: str
    repository: str
    clone: str
    commit: str
    path: str
    line: int
    rule: str
    name: str
    message: str
    why: str
    hunk: str
    code: str
    others: tuple[str, ...]


class Answer(msgspec.Struct, frozen=True):
    """The verdict about one finding; other keys of a line, such as those of the question, are ignored."""

    id: str
    verdict: Verdict
    reason: ReasonCode


def question(hit: Hit, reviewed: ReviewedCommit, name: str, shown: Screen) -> Question:
    """Return a finding as a line for readers.

    Args:
        name: that of the rule.
    """
    same_file = [other for other in reviewed.hits if other.path == hit.path and other.key != hit.key]
    nearest = sorted(same_file, key=lambda other: abs(other.line - hit.line))[:_MOST_OTHERS]
    others = tuple(
        f"{neighbour.line} {neighbour.rule}" for neighbour in sorted(nearest, key=lambda other: other.line)
    )
    return Question(
        hit.id, hit.repository, reviewed.folder, hit.commit, hit.path, hit.line, hit.rule, name, hit.message,
        shown.why, "\n".join(shown.hunk), "\n".join(shown.code), others,
    )  # fmt: skip


def read_answers(path: Path, known: Mapping[str, Hit], reader: str, date: datetime.date) -> list[Judgement]:
    """Return the judgements of a file of answers; all lines are checked before any is returned.

    Raises:
        UsageError: the file cannot be read, or a line does not answer a finding of the sample.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as cause:
        raise UsageError(f"--import {path}: {cause.strerror}; give a file of answers") from cause
    return [
        _parse_judgement(f"{path}:{n}", line, known, reader, date)
        for n, line in enumerate(lines, 1)
        if line.strip()
    ]


def _parse_judgement(
    where: str, line: bytes, known: Mapping[str, Hit], reader: str, date: datetime.date
) -> Judgement:
    try:
        answer = msgspec.json.decode(line, type=Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise UsageError(f"--import {where}: {cause}; a line needs id, verdict and reason") from cause
    if answer.id not in known:
        raise UsageError(f"--import {where}: no reviewed commit has the finding {answer.id}; check --results")
    try:
        return judgement_of(known[answer.id].key, answer.verdict, answer.reason, reader, date)
    except UsageError as cause:
        raise UsageError(f"--import {where}: {cause}") from cause


def dump_questions(questions: Iterable[Question]) -> bytes:
    """Return the lines of a file of findings."""
    return b"".join(msgspec.json.encode(question) + b"\n" for question in questions)
