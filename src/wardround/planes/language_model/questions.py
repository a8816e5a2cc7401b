"""The questions of a review: one for each plane that uses the model and has something to judge."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from wardround.change.diff import ChangedFile
from wardround.config.language_model import ContextSize, LanguageModelSettings
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.context.ticket.model import Ticket
from wardround.context.tree_lookup import TreeLookup
from wardround.execution.review_run import RawReview
from wardround.findings import Plane
from wardround.planes.declared_reviewers import judges_file
from wardround.planes.language_model.budget import describe_change
from wardround.planes.language_model.hunk_routing import HunkRouter
from wardround.planes.language_model.hunks import SentHunk, Surroundings, sent_hunks
from wardround.planes.language_model.inputs import CodeInput, Described, TestsInput
from wardround.planes.language_model.narrow_questions.attach import attach_questions, characters_of
from wardround.planes.language_model.narrow_questions.router import route
from wardround.planes.language_model.prompts import Prompt, load_prompt
from wardround.planes.language_model.question import Candidate, Question, input_characters, question
from wardround.planes.language_model.redaction import Redactor
from wardround.planes.language_model.sent_code import CodeReader, head_lines
from wardround.planes.language_model.sent_neighbours import (
    BUDGET_SHARE,
    NeighbourCode,
    TestsOf,
    sent_neighbours,
)
from wardround.planes.language_model.sent_texts import SentTexts

_AROUND = {Plane.SEMANTIC: 3, Plane.SECURITY: 3, Plane.PERF: 3}
"""The unchanged lines before and after a hunk: in the planes that judge code by its surroundings."""
_AROUND_DEFINITIONS = 8
"""The same if complete definitions are sent and a hunk is in none, or in a long one."""
_PIECE, _PIECE_CHARACTERS = 300, 12_000
"""The size of a piece where complete definitions are sent."""
_PLANES_WITH_MESSAGES = (Plane.SEMANTIC, Plane.CONTRACT)
"""The planes that see the commit messages besides the code; the intent plane sees them with the ticket."""


class _Size(NamedTuple):
    """A size of the input, and True if hunks have what surrounds their functions in the file, too."""

    context: ContextSize
    is_wide: bool = False


_HUNKS, _FUNCTIONS, _NEIGHBOURS = _Size("hunks"), _Size("functions"), _Size("neighbours")
_SIZES: Mapping[ContextSize, Sequence[_Size]] = {
    "hunks": (_HUNKS,),
    "functions": (_FUNCTIONS, _HUNKS),
    "neighbours": (_NEIGHBOURS, _FUNCTIONS, _HUNKS),
}
"""The sizes of the input that are tried, until every hunk fits; "neighbours" leaves room for other code."""
_WIDER = {_HUNKS: _FUNCTIONS, _NEIGHBOURS: _Size("neighbours", is_wide=True)}
"""The size that as many files as possible get then, if all hunks fit."""

HunksOf = Mapping[str, Sequence[Candidate]]
"""Path -> the hunks of a file that a plane may see."""

MOST_FILES = 300
"""The files that are searched for secrets and sent: that takes 20 ms each, and fewer fit into a request."""


class Material(msgspec.Struct, frozen=True, dict=True):
    """The inputs from a review for questions.

    Attributes:
        results: results of tools and checks. head, base: path at the head -> the content at that version;
            None if there is none.
        moved: path -> the lines at the head that the change only moves; they count as unchanged.
        messages: commit messages, newest first.
        ticket: the request that the change answers; None if there is none.
        neighbours: neighbours of the changed symbols; ``head`` has the contents of their files, too.
        tests: those that reach a changed symbol, if their code is to be sent.
        lookup: finds the names of a claim in the reviewed tree; None if there is nothing to search.
    """

    results: RawReview
    head: Callable[[str], str | None]
    base: Callable[[str], str | None]
    moved: Mapping[str, Collection[int]] = {}
    messages: Sequence[str] = ()
    ticket: Ticket | None = None
    neighbours: Sequence[SymbolNeighbours] = ()
    tests: TestsOf = {}
    lookup: TreeLookup | None = None

    @cached_property
    def claimed(self) -> Mapping[str, Sequence[str]]:
        """Path at the head -> the names of the specialists that reviewed the file."""
        return {
            path: [specialist.name for specialist in found] for path, found in self.results.claimed.items()
        }

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
    """Writes the questions of the planes about one change; only files that a specialist claims are sent.

    Attributes:
        texts: the files of the change, and those around it.
    """

    def __init__(self, material: Material, redactor: Redactor, settings: LanguageModelSettings) -> None:
        self._material = material
        self._settings = settings
        self._router = HunkRouter(material.results.claimed, material.head)
        self._names = _sent_names([file.path for file in material.sent_files], redactor)
        self.texts = SentTexts(material.head, material.base, redactor, self._names)
        self._code = NeighbourCode(material.neighbours, material.tests, self.texts)

    def question(self, plane: Plane) -> Question | None:
        """Return the question of a plane; None if it has nothing to judge."""
        claimed = self._material.results.claimed
        files = [file for file in self._material.files if judges_file(plane, claimed[file.path])]
        unread = sum(max(1, len(file.hunks)) for file in files if file.path not in self._names)
        files = [file for file in files if file.path in self._names]
        if not files and not unread:
            return None
        characters = input_characters(self._settings, load_prompt(plane))
        found = self._widest_fitting(plane, files, characters, unread)
        if found is None:
            return None
        return self._add_code(found, input_characters(self._settings, found.prompt))

    def _widest_fitting(
        self, plane: Plane, files: Sequence[ChangedFile], characters: int, unread: int
    ) -> Question | None:
        """Return the question with the widest hunks that fit; None if there are none."""
        described = self._describe_change(plane, characters)
        ask = partial(self._write_question, load_prompt(plane), description=described, unread=unread)
        context = self._settings.context
        for size in _SIZES[context]:
            hunks = self._candidates(files, plane, size)
            if not any(hunks.values()) and not unread:
                return None
            found = ask(_join_hunks(hunks), size=size, characters=_room(size, characters))
            if found.omitted == unread:
                break
        wide = None if context == "hunks" else _WIDER.get(size)
        if found.omitted > unread or wide is None:
            return found
        wider = self._candidates(files, plane, wide)
        return _widen_hunks(found, hunks, wider, partial(ask, size=wide, characters=_room(wide, characters)))

    def _write_question(
        self,
        prompt: Prompt,
        candidates: Sequence[Candidate],
        *,
        description: Described,
        size: _Size,
        characters: int,
        unread: int,
    ) -> Question:
        """Return the question with the hunks that fit, and the narrow questions about them."""
        write = partial(question, prompt, candidates, description, unread=unread)
        found = write(characters=characters)
        routed = route(prompt.plane, found.hunks, self._material.claimed, size.context)
        extra = characters_of(routed)
        return attach_questions(write(characters=characters - extra) if extra else found, routed)

    def _candidates(self, files: Sequence[ChangedFile], plane: Plane, size: _Size) -> HunksOf:
        claimed = self._material.claimed
        return {
            file.path: [
                Candidate(hunk, "tests" in claimed[file.path])
                for hunk in self._router.for_plane(plane, file, self._hunks(file, plane, size))
            ]
            for file in files
        }

    def _describe_change(self, plane: Plane, characters: int) -> Described:
        """Return what a plane sees besides hunks: the description of the change, or lines of neighbours."""
        material, redact = self._material, self.texts.text
        if plane is Plane.INTENT:
            return describe_change(material.ticket, material.messages, redact, characters)
        lines: tuple[dict[str, Any], ...] = ()
        if not self._sends_code:
            lines = sent_neighbours(plane, material.neighbours, self.texts, characters)
        if plane not in _PLANES_WITH_MESSAGES:
            return Described(neighbours=lines)
        described = describe_change(None, material.messages, redact, characters // 2)
        return replace(described, neighbours=lines)

    @property
    def _sends_code(self) -> bool:
        return self._settings.context == "neighbours"

    def _add_code(self, found: Question, characters: int) -> Question:
        """Return a question with the code around the change, in the room that the change leaves."""
        if not (self._sends_code and isinstance(found.content, CodeInput | TestsInput) and found.hunks):
            return found
        rest = characters - len(msgspec.json.encode(found.content))
        reader = CodeReader(self.texts, head_lines(found.hunks))
        neighbours = self._code.neighbours_to_send(found.plane, reader, rest)
        content = replace(found.content, neighbours=tuple(neighbour.as_input for neighbour in neighbours))
        return replace(found, content=content, code=tuple(neighbour.code for neighbour in neighbours))

    def _hunks(self, file: ChangedFile, plane: Plane, size: _Size) -> Sequence[SentHunk]:
        texts = self.texts
        moved = self._material.moved.get(file.path, ())
        surroundings = Surroundings(_AROUND.get(plane, 0))
        head, base = texts.lines(file.path), texts.lines(file.path, base=True)
        if size != _HUNKS:
            found = texts.definitions(file.path)
            lines = len(head) if size.is_wide else 0
            surroundings = Surroundings(_AROUND_DEFINITIONS, found, _PIECE, _PIECE_CHARACTERS, lines)
        return tuple(sent_hunks(file, texts.name(file.path), head, base, surroundings, moved))


def _widen_hunks(found: Question, hunks: HunksOf, wider: HunksOf, ask: Callable[..., Question]) -> Question:
    """Return a question with the wider hunks of as many files as fit, in their order.

    Args:
        found: with ``hunks``, which all fit.
    """
    complete = ask(_join_hunks(wider))
    if complete.omitted == found.omitted:
        return complete
    for path in wider:
        attempted = {**hunks, path: wider[path]}
        attempt = ask(_join_hunks(attempted))
        if attempt.omitted == found.omitted:
            hunks, found = attempted, attempt
    return found


def _join_hunks(hunks: HunksOf) -> list[Candidate]:
    return [candidate for some in hunks.values() for candidate in some]


def _room(size: _Size, characters: int) -> int:
    """Return the characters for the description and the hunks."""
    return characters - characters // BUDGET_SHARE if size.context == "neighbours" else characters


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
