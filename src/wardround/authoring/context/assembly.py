"""The context of a task, from the tree of its commit: what is ranked, and what the text shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from wardround.authoring.context import conventions
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import CHARACTERS_PER_TOKEN, ChosenSpan, Span, TextBudget
from wardround.authoring.context.code_ranking import (
    RankedFile,
    RankedSegment,
    rank_files,
    rank_segments,
)
from wardround.authoring.context.documentation import sections_about
from wardround.authoring.context.linked_code import linked_segments
from wardround.authoring.context.mentions import Mention, mentioned_files, mentioned_names
from wardround.authoring.context.model import (
    DEFAULT_TOKENS,
    ContextItem,
    SimilarCommit,
    TaskNote,
    TokenUse,
    WriteContext,
    pointer,
    with_digest,
)
from wardround.authoring.context.named_tests import tests_of
from wardround.authoring.context.redacted_tree import RedactedTree
from wardround.authoring.context.suspects import Suspect, suspicious_segments
from wardround.authoring.instance import Constraint, Instance
from wardround.authoring.task import Task
from wardround.authoring.task_kind import kind_of_task
from wardround.change.repository import Repository
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import tree_at
from wardround.retrieval.blob_text import LONGEST_FILE
from wardround.retrieval.commit_signals import COMMITS, CommitIndex
from wardround.retrieval.index import SearchIndex, using
from wardround.text.redaction import redact_secrets
from wardround.text.search_terms import count_words

Progress = Callable[[str], None]
Evidence = tuple[Span, tuple[str, ...]]
_SHARES = {"tests": 0.1, "conventions": 0.05, "documentation": 0.05}
"""The share of the tokens that each part may use; the code gets the rest, and what they leave."""
_MOST_SEGMENTS = 120
"""Segments that may fill the text."""
_MOST_OTHERS = 10
"""Pointers to segments that do not fit into the text."""
_FIRST = 8
"""Segments whose links, tests and conventions are searched."""
_NO_SUSPECTS: tuple[Suspect, ...] = ()


class ContextRequest(msgspec.Struct, frozen=True):
    """The task of a context.

    Attributes:
        suspects: functions that failing tests point at, the most suspicious first; they precede all others.
    """

    instance: Instance
    task: Task
    tokens: int = DEFAULT_TOKENS
    suspects: tuple[Suspect, ...] = _NO_SUSPECTS

    @property
    def query(self) -> str:
        """The text that is searched for."""
        return "\n".join((self.task.text, *self.task.criteria)) if self.task.ticket else self.task.text


class Evidences(msgspec.Struct, frozen=True):
    """All that was found for a task, each list with the most relevant first."""

    files: list[RankedFile]
    segments: list[RankedSegment]
    tests: list[Evidence]
    conventions: list[Evidence]
    documentation: list[Evidence]
    commits: tuple[SimilarCommit, ...]


def build_context(repository: Repository, request: ContextRequest, progress: Progress = lambda text: None) -> WriteContext:
    """Return the context of a task; equal for equal requests, whatever is cached."""
    tree = BaseTree(repository, request.instance.base)
    progress("reading the code graph")
    with CodeGraph.open(repository.git_dir) as graph:
        graph.update(tree_at(repository, request.instance.base))
        progress("searching the code")
        found = using(repository.git_dir, lambda index: _search(tree, graph, index, request))
    progress("")
    return _context(tree, request, found)


def _search(tree: BaseTree, graph: CodeGraph, index: SearchIndex, request: ContextRequest) -> Evidences:
    query = request.query
    commits = tree.repository.ancestors(tree.commit, COMMITS)
    past = index.past(commits, tree.repository.commits_touching)
    mentions = mentioned_files(query, tree.sources)
    names = mentioned_names(query)
    first = _first_files(tree, graph, request, mentions, names)
    files = rank_files(query, tree, index, past, first)
    ranked = rank_segments(query, tree, [file.path for file in files], names, mentions)
    segments = [*suspicious_segments(tree, request.suspects), *linked_segments(graph, tree, ranked[:_FIRST], ranked)]
    functions = [found.segment for found in segments[:_FIRST] if found.segment.is_function]
    return Evidences(
        files,
        segments[:_MOST_SEGMENTS],
        tests_of(tree, segments, query),
        [*conventions.similar_code(graph, functions), *conventions.changelogs(tree, past)],
        sections_about(query, tree, index),
        conventions.similar_commits(query, tree, commits, past),
    )


def _first_files(
    tree: BaseTree, graph: CodeGraph, request: ContextRequest, mentions: Sequence[Mention], names: Sequence[str]
) -> dict[str, str]:
    """Return the files that precede all others, each with the reason."""
    first: dict[str, str] = {}
    for suspect in request.suspects:
        first.setdefault(suspect.pointer.path, suspect.reason)
    for mention in mentions:
        first.setdefault(mention.path, f'the task names "{mention.name}"')
    for name in names:
        defining = [path for path in graph.files_defining(name) if path in tree.source_set]
        if len(defining) <= _MOST_DEFINING:
            for path in defining:
                first.setdefault(path, f'defines "{name}", which the task names')
    return dict(list(first.items())[:_MOST_FIRST])


_MOST_DEFINING = 3
_MOST_FIRST = 8


def _context(tree: BaseTree, request: ContextRequest, found: Evidences) -> WriteContext:
    shown = RedactedTree(tree)
    characters = request.tokens * CHARACTERS_PER_TOKEN
    words = count_words(request.query)
    parts = {}
    for name, evidence in (("tests", found.tests), ("conventions", found.conventions), ("documentation", found.documentation)):
        budget = TextBudget(shown, name.capitalize(), int(characters * _SHARES[name]))
        budget.add([span for span, _ in evidence])
        parts[name] = budget
    code = TextBudget(shown, "Code", characters - sum(part.used for part in parts.values()))
    code.add([_span(ranked) for ranked in found.segments], words)
    text = code.text() + "".join(part.text() for part in parts.values())
    task = request.task
    return with_digest(
        WriteContext(
            base=tree.commit,
            instance=request.instance.id,
            task=TaskNote(
                task.source, redact_secrets(task.name), redact_secrets(task.title), redact_secrets(task.text),
                kind_of_task(task.title, task.text), tuple(map(redact_secrets, task.criteria)),
            ),
            constraints=tuple(Constraint(redact_secrets(c.text), c.line) for c in request.instance.constraints),
            tokens=TokenUse(request.tokens, -(-len(text) // CHARACTERS_PER_TOKEN), _repository_tokens(tree)),
            files=tuple(_file_item(tree, file) for file in found.files if tree.lines(file.path)),
            functions=_items(tree, [(_span(r), r.reasons) for r in found.segments], code.chosen),
            tests=_items(tree, found.tests, parts["tests"].chosen),
            conventions=_items(tree, found.conventions, parts["conventions"].chosen),
            documentation=_items(tree, found.documentation, parts["documentation"].chosen),
            commits=found.commits,
            notes=tuple(_notes(tree, shown)),
            text=text,
        )
    )  # fmt: skip


def _span(ranked: RankedSegment) -> Span:
    segment = ranked.segment
    return Span(segment.path, segment.first_line, segment.last_line, segment.symbol)


def _file_item(tree: BaseTree, file: RankedFile) -> ContextItem:
    return ContextItem(pointer(file.path, 1, len(tree.lines(file.path)), "", tree.blobs[file.path]), file.reasons)


def _items(tree: BaseTree, found: Sequence[Evidence], chosen: Sequence[ChosenSpan]) -> tuple[ContextItem, ...]:
    shown = {choice.of: choice for choice in chosen}
    items = []
    for span, reasons in found:
        choice = shown.get(span)
        lines = span if choice is None else choice.lines
        at = pointer(lines.path, lines.first_line, lines.last_line, lines.symbol, tree.blobs[lines.path])
        items.append(ContextItem(at, reasons, "none" if choice is None else choice.shown))
    return tuple(items)


def _repository_tokens(tree: BaseTree) -> int:
    return sum(len(tree.text(path) or "") for path in tree.sources) // CHARACTERS_PER_TOKEN


def _notes(tree: BaseTree, shown: RedactedTree):  # type: ignore[no-untyped-def]
    unread = [path for path in tree.sources if tree.text(path) is None]
    if unread:
        counted = f"{len(unread)} source file{'' if len(unread) == 1 else 's'}"
        yield f"{counted} not read, such as {unread[0]}: longer than {LONGEST_FILE:,} bytes, or not UTF-8"
    if shown.masked:
        yield f"secrets were masked in {len(shown.masked)} lines of the text"
