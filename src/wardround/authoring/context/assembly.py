"""The context of a task: the pointers, and the text under the token budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import CHARACTERS_PER_TOKEN, ChosenSpan, Evidence, Span, TextBudget
from wardround.authoring.context.code_ranking import RankedFile, RankedSegment
from wardround.authoring.context.evidence import TaskEvidence, find_evidence
from wardround.authoring.context.model import (
    DEFAULT_TOKENS,
    ContextItem,
    TaskNote,
    TokenUse,
    WriteContext,
    pointer,
    with_digest,
)
from wardround.authoring.context.redacted_tree import RedactedTree
from wardround.authoring.context.suspects import Suspect
from wardround.authoring.instance import Constraint, Instance
from wardround.authoring.task import Task
from wardround.authoring.task_kind import kind_of_task
from wardround.change.encoding import escape_undecodable
from wardround.lazy import LazyPattern
from wardround.retrieval.blob_text import LONGEST_FILE
from wardround.text.redaction import redact_secrets
from wardround.text.search_terms import count_words

_SHARES = {"tests": 0.1, "conventions": 0.05, "documentation": 0.05}
"""The share of the tokens that each part may use; the code gets the rest, and what they leave."""
_MOST_POINTERS = 30
"""Functions in the list; those in the text are all in it."""
_CLOSES = LazyPattern(
    r"(?i)\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see)[ \t]*:?[ \t]+(?:[\w./-]{1,80})?#\d+"
)
"""References to issues, whose verbs are no words of the task."""
_NO_SUSPECTS: tuple[Suspect, ...] = ()


class ContextRequest(msgspec.Struct, frozen=True):
    """The task of a context.

    Attributes:
        tokens: the limit of the text.
        suspects: functions that failing tests point at, the most suspicious first; they precede all others.
    """

    instance: Instance
    task: Task
    tokens: int = DEFAULT_TOKENS
    suspects: tuple[Suspect, ...] = _NO_SUSPECTS

    @property
    def query(self) -> str:
        """The text that is searched for, without secrets, so that no reason quotes one."""
        criteria = self.task.criteria if self.task.ticket else ()
        text = "\n".join((self.task.text, *criteria))
        return redact_secrets(_CLOSES.sub(" ", text))


def build_context(code: BaseCode, request: ContextRequest) -> WriteContext:
    """Return the context of a task; equal for equal requests."""
    found = find_evidence(code, request.query, request.suspects)
    text = ContextText(code.tree, request, found)
    return with_digest(
        WriteContext(
            base=code.tree.commit,
            instance=request.instance.id,
            task=_task_note(request.task),
            constraints=tuple(
                Constraint(redact_secrets(constraint.text), constraint.line)
                for constraint in request.instance.constraints
            ),
            tokens=TokenUse(request.tokens, text.tokens, repository_tokens(code.tree)),
            files=text.files(found.files),
            functions=text.functions,
            tests=text.items("tests", found.tests),
            conventions=text.items("conventions", found.conventions),
            documentation=text.items("documentation", found.documentation),
            commits=found.commits,
            notes=tuple(_notes(code.tree, text.shown)),
            text=text.text,
        )
    )


class ContextText:
    """The text of a context, and the lines that are in it.

    Attributes:
        shown: the lines without secrets.
    """

    def __init__(self, tree: BaseTree, request: ContextRequest, found: TaskEvidence) -> None:
        self._tree = tree
        self._segments = found.segments
        self.shown = RedactedTree(tree)
        characters = request.tokens * CHARACTERS_PER_TOKEN
        self._parts = {
            "tests": self._part("Tests", found.tests, characters),
            "conventions": self._part("Conventions", found.conventions, characters),
            "documentation": self._part("Documentation", found.documentation, characters),
        }
        rest = characters - sum(part.used for part in self._parts.values())
        self._code = TextBudget(self.shown, "Code", rest)
        self._code.add([_span(ranked) for ranked in found.segments], count_words(request.query))
        self.text = self._code.text() + "".join(part.text() for part in self._parts.values())

    def _part(self, title: str, evidence: Sequence[Evidence], characters: int) -> TextBudget:
        part = TextBudget(self.shown, title, int(characters * _SHARES[title.lower()]))
        part.add([span for span, _ in evidence])
        return part

    @property
    def tokens(self) -> int:
        """The estimated tokens of the text."""
        return text_tokens(self.text)

    @property
    def functions(self) -> tuple[ContextItem, ...]:
        """The segments of code: those in the text, and the first of the others."""
        evidence = [(_span(ranked), ranked.reasons) for ranked in self._segments]
        items = _items(self._tree, evidence, self._code.chosen)
        others = [item for item in items if item.shown == "none"]
        most = max(_MOST_POINTERS - len(items) + len(others), 0)
        left = set(others[most:])
        return tuple(item for item in items if item not in left)

    def files(self, ranked: Sequence[RankedFile]) -> tuple[ContextItem, ...]:
        """Return the files; their lines can be in the text in part."""
        shown = {choice.lines.path for choice in self._code.chosen}
        return tuple(_file_item(self._tree, file, is_shown=file.path in shown) for file in ranked)

    def items(self, part: str, evidence: Sequence[Evidence]) -> tuple[ContextItem, ...]:
        """Return the items of a part of the text."""
        return _items(self._tree, evidence, self._parts[part].chosen)


def _span(ranked: RankedSegment) -> Span:
    segment = ranked.segment
    return Span(segment.path, segment.first_line, segment.last_line, segment.symbol)


def _items(
    tree: BaseTree, evidence: Sequence[Evidence], chosen: Sequence[ChosenSpan]
) -> tuple[ContextItem, ...]:
    shown = {choice.of: choice for choice in chosen}
    return tuple(_item(tree, span, reasons, shown.get(span)) for span, reasons in evidence)


def _item(tree: BaseTree, span: Span, reasons: tuple[str, ...], choice: ChosenSpan | None) -> ContextItem:
    lines = span if choice is None else choice.lines
    blob = tree.blobs[lines.path]
    at = pointer(lines.path, lines.first_line, lines.last_line, lines.symbol, blob)
    texts = tuple(map(escape_undecodable, reasons))
    return ContextItem(at, texts, "none" if choice is None else choice.shown)


def _file_item(tree: BaseTree, file: RankedFile, *, is_shown: bool) -> ContextItem:
    lines = max(len(tree.lines(file.path)), 1)
    at = pointer(file.path, 1, lines, "", tree.blobs[file.path])
    return ContextItem(at, tuple(map(escape_undecodable, file.reasons)), "part" if is_shown else "none")


def _task_note(task: Task) -> TaskNote:
    return TaskNote(
        task.source,
        redact_secrets(escape_undecodable(task.name)),
        redact_secrets(task.title),
        redact_secrets(task.text),
        kind_of_task(task.title, task.text),
        tuple(map(redact_secrets, task.criteria)),
    )


def text_tokens(text: str) -> int:
    """Return the estimated tokens of a text."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def repository_tokens(tree: BaseTree) -> int:
    """Return the estimated tokens of all source files."""
    return sum(len(tree.text(path) or "") for path in tree.sources) // CHARACTERS_PER_TOKEN


def _notes(tree: BaseTree, shown: RedactedTree) -> Iterator[str]:
    unread = [path for path in tree.sources if tree.text(path) is None]
    if unread:
        counted = f"{len(unread)} source file{' was' if len(unread) == 1 else 's were'}"
        name = escape_undecodable(unread[0])
        yield f"{counted} not read, such as {name}: longer than {LONGEST_FILE:,} bytes, or not text"
    if shown.masked:
        yield f"secrets were masked in {len(shown.masked)} lines of the files in the text"
