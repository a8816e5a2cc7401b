"""The questions of a review: one for each plane that uses the model and has something to judge."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property

import msgspec

from wardround.change.diff import ChangedFile
from wardround.config.language_model import ContextSize, LanguageModelSettings
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.context.ticket.model import Ticket
from wardround.execution.review_run import RawReview
from wardround.findings import Plane
from wardround.planes.language_model.budget import describe_change
from wardround.planes.language_model.hunks import SentHunk, Surroundings, sent_hunks
from wardround.planes.language_model.inputs import Described
from wardround.planes.language_model.prompts import load_prompt
from wardround.planes.language_model.question import Candidate, Question, input_characters, question
from wardround.planes.language_model.redaction import Redactor
from wardround.planes.language_model.sent_neighbours import sent_neighbours
from wardround.planes.signal import FileJudge
from wardround.retrieval.definitions import Definition, functions

_AROUND = {Plane.SEMANTIC: 3, Plane.SECURITY: 3, Plane.PERF: 3}
"""The unchanged lines before and after a hunk: in the planes that judge code by its surroundings."""
_AROUND_DEFINITIONS = 8
"""The same where whole definitions are sent and a hunk is in none, or in a long one."""
_PIECE, _PIECE_CHARACTERS = 300, 12_000
"""The size of a piece where whole definitions are sent."""

_SIZES: Mapping[ContextSize, Sequence[ContextSize]] = {
    "hunks": ("hunks",),
    "functions": ("functions", "hunks"),
}
"""The sizes of the input that are tried, until every hunk fits."""

MOST_FILES = 300
"""The files that are searched for secrets and sent: that takes 20 ms each, and fewer fit into a request."""


class Material(msgspec.Struct, frozen=True, dict=True):
    """Everything of a review that questions are made of.

    Attributes:
        results: of tools and checks.
        head, base: path at the head -> the text of a side; None if there is none.
        moved: path -> the lines at the head that the change only moves; they count as unchanged.
        messages: of the commits, newest first.
        ticket: the request that the change answers; None if there is none.
        neighbours: of the changed symbols; ``head`` has the texts of their files, too.
    """

    results: RawReview
    head: Callable[[str], str | None]
    base: Callable[[str], str | None]
    moved: Mapping[str, Collection[int]] = {}
    messages: Sequence[str] = ()
    ticket: Ticket | None = None
    neighbours: Sequence[SymbolNeighbours] = ()

    @cached_property
    def claimed(self) -> Mapping[str, Sequence[str]]:
        """Path at the head -> the names of the specialists that reviewed the file."""
        return {path: [one.name for one in found] for path, found in self.results.claimed.items()}

    @cached_property
    def files(self) -> Sequence[ChangedFile]:
        """The files that may be sent, source before tests, then by path."""
        files = (file for file in self.results.change.files if file.path in self.claimed)
        readable = (file for file in files if file.is_regular and not file.fragment)
        return sorted(readable, key=lambda file: ("tests" in self.claimed[file.path], file.path))

    @property
    def sent_files(self) -> Sequence[ChangedFile]:
        """The files that are sent, if they fit into a request."""
        return self.files[:MOST_FILES]


class QuestionWriter:
    """Writes the questions of the planes about one change; only files that a specialist claims are sent."""

    def __init__(self, material: Material, redactor: Redactor, settings: LanguageModelSettings) -> None:
        self._material = material
        self._redactor = redactor
        self._settings = settings
        self._names = _sent_names([file.path for file in material.sent_files], redactor)
        self._lines: dict[tuple[str, bool], list[str]] = {}
        self._defined: dict[str, tuple[Definition, ...]] = {}

    def question(self, plane: FileJudge) -> Question | None:
        """Return the question of a plane; None if it has nothing to judge."""
        claimed = self._material.claimed
        files = [file for file in self._material.files if plane.applies_to(claimed[file.path])]
        unread = sum(max(1, len(file.hunks)) for file in files if file.path not in self._names)
        files = [file for file in files if file.path in self._names]
        if not files and not unread:
            return None
        prompt = load_prompt(plane.name)
        characters = input_characters(self._settings, prompt)
        described = self._described(plane.name, characters)
        found = None
        for size in _SIZES[self._settings.context]:
            candidates = [
                Candidate(hunk, "tests" in claimed[file.path])
                for file in files
                for hunk in self._hunks(file, plane.name, size)
            ]
            if not candidates and not unread:
                return None
            found = question(prompt, candidates, described, characters, unread)
            if found.omitted == unread:
                break
        return found

    def _described(self, plane: Plane, characters: int) -> Described:
        """Return what a plane sees besides the hunks: the description for intent, neighbours for others."""
        material, redact = self._material, self._redactor.text
        if plane is Plane.INTENT:
            return describe_change(material.ticket, material.messages, redact, characters)
        return Described(
            neighbours=sent_neighbours(plane, material.neighbours, self._line, redact, characters)
        )

    def _line(self, path: str, number: int) -> str:
        """Return a line of the head without secrets; empty if there is none."""
        lines = self._side(path, base=False)
        return lines[number - 1] if number <= len(lines) else ""

    def _hunks(self, file: ChangedFile, plane: Plane, size: ContextSize) -> Sequence[SentHunk]:
        head, base = self._side(file.path, base=False), self._side(file.path, base=True)
        moved = self._material.moved.get(file.path, ())
        surroundings = Surroundings(_AROUND.get(plane, 0))
        if size == "functions":
            surroundings = Surroundings(
                _AROUND_DEFINITIONS, self._definitions(file.path), _PIECE, _PIECE_CHARACTERS
            )
        return tuple(sent_hunks(file, self._names[file.path], head, base, surroundings, moved))

    def _definitions(self, path: str) -> tuple[Definition, ...]:
        if path not in self._defined:
            self._defined[path] = tuple(functions(path, "\n".join(self._side(path, base=False))))
        return self._defined[path]

    def _side(self, path: str, *, base: bool) -> list[str]:
        """The lines of one side of a file without secrets; redacting takes time, so once."""
        if (path, base) not in self._lines:
            text = (self._material.base if base else self._material.head)(path)
            lines = [] if text is None else self._redactor.lines(path, text, base=base)
            self._lines[path, base] = lines
        return self._lines[path, base]


def _sent_names(paths: Sequence[str], redactor: Redactor) -> dict[str, str]:
    """Return the names of files as they are sent: without secrets, and different from one another."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for path in sorted(paths):
        name = stem = redactor.path(path)
        while name in used:
            name = f"{stem} ({len(used)})"
        used.add(name)
        names[path] = name
    return names
