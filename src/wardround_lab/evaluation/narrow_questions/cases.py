"""The cases of narrow questions: small changes with a known answer, one file for each question.

``<folder>/<specialist>/<question>.yml`` holds ``good`` and ``bad`` changes, and the ``path`` of those that
name none. A change is a text whose lines begin with ``+``, ``-`` or a space; a line ``@ PATH`` begins a file,
``@`` alone the one of ``path``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.errors import UsageError
from wardround.planes.language_model.hunks import SentHunk, Surroundings, sent_hunks
from wardround.planes.language_model.narrow_questions.loading import FOLDER
from wardround.planes.language_model.narrow_questions.model import NarrowQuestion
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.yaml_loader import load_yaml
from wardround.storage.digest import sha256

_ALL = Surroundings(around=300, piece=300, piece_characters=12_000)
"""A case is sent as one piece for each file."""
_MARKS = ("+", "-", " ")


class CaseText(msgspec.Struct, frozen=True):
    """One file of a case.

    Attributes:
        lines: each a mark and a text.
    """

    path: str
    lines: tuple[str, ...]

    @property
    def base(self) -> list[str]:
        """The lines before the change."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def head(self) -> list[str]:
        """The lines after the change."""
        return [line[1:] for line in self.lines if line[0] != "-"]

    @property
    def file(self) -> ChangedFile:
        """The file as a part of a change."""
        return ChangedFile(
            self.path, self.path, FileStatus.MODIFIED, "100644", hunks=tuple(_hunks(self.lines))
        )

    def hunks_as_sent(self, name: str) -> Iterator[SentHunk]:
        """Yield the hunks as they are sent.

        Args:
            name: name of the file, as the model sees it.
        """
        yield from sent_hunks(self.file, name, self.head, self.base, _ALL)


class QuestionCase(msgspec.Struct, frozen=True):
    """A change, and the known answer to a question about it.

    Attributes:
        name: name of the case, unique among all.
        is_problem: the expected answer is the one that reports a problem.
    """

    question: NarrowQuestion
    name: str
    is_problem: bool
    files: tuple[CaseText, ...]

    @property
    def expected(self) -> str:
        """The right answer."""
        others = {"yes": "no", "no": "yes"}
        return self.question.problem if self.is_problem else others[self.question.problem]


class _CaseFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    good: tuple[str, ...]
    bad: tuple[str, ...]


def default_folder() -> Path:
    """Return the folder of the cases that ship with the rules."""
    return package_folder(RULES_PACKAGE) / FOLDER / "cases"


def read_cases(folder: Path, questions: Iterable[NarrowQuestion]) -> list[QuestionCase]:
    """Return the cases of some questions.

    Raises:
        UsageError: the file of a question is absent or not valid.
    """
    return [case for question in questions for case in _cases(folder, question)]


def limit_cases(cases: Iterable[QuestionCase], most: int, seed: int | None = None) -> list[QuestionCase]:
    """Return some good and as many bad cases of each question, in the order of ``cases``.

    Args:
        most: of each kind.
        seed: chooses the cases; None for the first ones.
    """
    every = list(cases)
    ranks = {case.name: _rank(case, number, seed) for number, case in enumerate(every)}
    kinds = groupby(sorted(every, key=_kind), key=_kind)
    kept = {case.name for _, group in kinds for case in sorted(group, key=lambda c: ranks[c.name])[:most]}
    return [case for case in every if case.name in kept]


def _kind(case: QuestionCase) -> tuple[str, bool]:
    return case.question.id, case.is_problem


def _rank(case: QuestionCase, number: int, seed: int | None) -> tuple[str, int]:
    return "" if seed is None else sha256(f"{seed}:{case.name}".encode()).hexdigest(), number


def _cases(folder: Path, question: NarrowQuestion) -> Iterator[QuestionCase]:
    path = folder / question.specialist / f"{question.id}.yml"
    try:
        content = msgspec.convert(load_yaml(path.read_text("utf-8")), _CaseFile)
        for kind, texts in (("good", content.good), ("bad", content.bad)):
            for number, text in enumerate(texts, 1):
                files = _files(text, content.path)
                yield QuestionCase(question, f"{question.id}/{kind}-{number}", kind == "bad", files)
    except (OSError, ValueError) as cause:
        raise UsageError(f"{path} has no valid cases: {cause}") from cause


def _files(text: str, default: str) -> tuple[CaseText, ...]:
    """Return the files of a case.

    Raises:
        ValueError: a line has no mark, or the case changes nothing.
    """
    found: dict[str, list[str]] = {}
    path = default
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("@") and not line[1:2].strip():
            path = line[1:].strip() or default
            continue
        if line and line[0] not in _MARKS:
            raise ValueError(f"the line {line!r} has no mark; begin it with +, - or a space")
        found.setdefault(path, []).append(line or " ")
    if not any(line[0] != " " for lines in found.values() for line in lines):
        raise ValueError(f"a case changes nothing: {text!r}")
    return tuple(CaseText(path, tuple(lines)) for path, lines in found.items())


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    """Yield the blocks of changed lines, as ``git diff -U0`` has them."""
    base = head = removed = added = 0
    for line in (*lines, " "):
        if line[0] == " " and (removed or added):
            base_start = base - removed + 1 if removed else base
            head_start = head - added + 1 if added else head
            yield Hunk(base_start, removed, head_start, added)
            removed = added = 0
        removed += line[0] == "-"
        added += line[0] == "+"
        base += line[0] != "+"
        head += line[0] != "-"
