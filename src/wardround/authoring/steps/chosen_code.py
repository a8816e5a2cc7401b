"""The code that an endpoint chooses for a task: files first, then functions in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from wardround.authoring.context.base_code import BaseCode, with_base_code
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.code_ranking import order_of_files
from wardround.authoring.context.localization import task_of
from wardround.authoring.context.model import pointer
from wardround.authoring.context.segments import Segment, segments
from wardround.authoring.context.suspects import Suspect
from wardround.authoring.context.task_words import TaskWords
from wardround.authoring.endpoint.choice import ChoiceInput, choose
from wardround.authoring.endpoint.roles import Role
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.stages import CodePointer

_MOST_FILES = 6
"""Files whose functions are shown."""
_CHOSEN = "the model names it"
_LONGEST_LINE = 120


class ChosenCode:
    """The choice of an endpoint in two questions: the files of a task, and the functions in these."""

    def __init__(self, role: Role, inputs: RunInputs) -> None:
        self._role = role
        self._work = inputs.work

    async def suspects(self) -> tuple[Suspect, ...]:
        """Return the chosen functions; of files without a chosen function nothing.

        Raises:
            ExchangeFailed: the endpoint does not answer.
        """
        work = self._work
        tree = BaseTree(work.repository, work.instance.base)
        files = await self._choose("files", self._files())
        shown = {_candidate(segment, tree): segment for segment in _segments_of(tree, files[:_MOST_FILES])}
        chosen = await self._choose("functions", shown)
        return tuple(Suspect(_pointer(shown[text], tree), _CHOSEN) for text in chosen)

    def _files(self) -> list[str]:
        """Return the source files, the most probable ones by words first."""

        def order(code: BaseCode) -> list[str]:
            return order_of_files(TaskWords(self._text), code)

        work = self._work
        return with_base_code(work.repository, work.instance.base, order, work.progress)

    @property
    def _text(self) -> str:
        return task_of(self._work.instance).text

    async def _choose(self, kind: str, candidates: Iterable[str]) -> list[str]:
        room = self._role.input_characters - len(self._text)
        fitting = tuple(_fitting(candidates, room))
        return await choose(self._role, ChoiceInput(self._text, kind, fitting)) if fitting else []


def _fitting(candidates: Iterable[str], characters: int) -> Iterator[str]:
    """Yield the first candidates that fit, as JSON has them."""
    for candidate in candidates:
        characters -= len(candidate) + 3
        if characters < 0:
            return
        yield candidate


def _segments_of(tree: BaseTree, paths: Sequence[str]) -> Iterator[Segment]:
    for path in paths:
        yield from segments(path, tree.text(path) or "")


def _candidate(segment: Segment, tree: BaseTree) -> str:
    lines = tree.lines(segment.path)[segment.first_line - 1 : segment.last_line]
    heads = (line.strip() for line in lines if not line.strip().startswith(("@", "#", "//")))
    head = next(islice(heads, 1), "")[:_LONGEST_LINE]
    return f"{segment.path}:{segment.first_line}-{segment.last_line} {head}"


def _pointer(segment: Segment, tree: BaseTree) -> CodePointer:
    return pointer(
        segment.path, segment.first_line, segment.last_line, segment.symbol, tree.blobs[segment.path]
    )
