"""The evidence for a task, before the text is filled."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.authoring.context import conventions
from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.budget import Evidence
from wardround.authoring.context.code_ranking import RankedFile, RankedSegment, rank_files, rank_segments
from wardround.authoring.context.definitions import definitions
from wardround.authoring.context.documentation import sections_about
from wardround.authoring.context.linked_code import linked_segments
from wardround.authoring.context.mentions import Mention, mentioned_files, mentioned_names
from wardround.authoring.context.model import SimilarCommit
from wardround.authoring.context.named_tests import tests_of
from wardround.authoring.context.suspects import Suspect, suspicious_segments
from wardround.authoring.context.task_words import TaskWords

_MOST_SEGMENTS = 120
"""Segments that may fill the text."""
_FIRST = 8
"""Segments whose conventions are searched."""
_MOST_DEFINING = 3
"""Files that define a name, above which it is too common to identify one of them."""
_MOST_MENTIONED = 8


class TaskEvidence(msgspec.Struct, frozen=True):
    """All that was found for a task, each list with the most relevant first."""

    files: list[RankedFile]
    segments: list[RankedSegment]
    tests: list[Evidence]
    conventions: list[Evidence]
    documentation: list[Evidence]
    commits: tuple[SimilarCommit, ...]


def find_evidence(code: BaseCode, query: str, suspects: Sequence[Suspect]) -> TaskEvidence:
    """Search a commit for the code, tests, conventions and documentation of a task."""
    tree, graph, words = code.tree, code.graph, TaskWords(query)
    is_by_words = code.vectors is None or not code.vectors.is_alone
    mentions = mentioned_files(query, tree.sources) if is_by_words else []
    names = mentioned_names(query) if is_by_words else []
    files = rank_files(words, code, _mentioned_first(code, suspects, mentions, names))
    ranked = rank_segments(words, code, [file.path for file in files], names, mentions)
    suspicious = suspicious_segments(tree, suspects)
    segments = linked_segments(graph, tree, [*suspicious, *ranked])[:_MOST_SEGMENTS]
    functions = [found.segment for found in segments[:_FIRST] if found.segment.is_function]
    changelogs = conventions.changelogs(tree, code.past) if segments else []
    return TaskEvidence(
        files,
        segments,
        tests_of(tree, segments, query),
        [*conventions.similar_code(graph, functions), *changelogs],
        sections_about(words, tree, code.index),
        conventions.similar_commits(words, code),
    )


def _mentioned_first(
    code: BaseCode, suspects: Sequence[Suspect], mentions: Sequence[Mention], names: Sequence[str]
) -> dict[str, str]:
    """Return the files that precede all others, each with the reason."""
    first: dict[str, str] = {}
    for suspect in suspects:
        if suspect.pointer.path in code.tree.blobs:
            first.setdefault(suspect.pointer.path, suspect.reason)
    for mention in mentions:
        first.setdefault(mention.path, f'the task names "{mention.name}"')
    for name in names:
        for path in _defining_files(code, name):
            first.setdefault(path, f'defines "{name}", which the task names')
    return dict(list(first.items())[:_MOST_MENTIONED])


def _defining_files(code: BaseCode, name: str) -> list[str]:
    found = [symbol.path for symbol in definitions(code, name)]
    return found if len(found) <= _MOST_DEFINING else []
