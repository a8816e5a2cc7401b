"""The language model in a review: the parts of a change that are sent to it, and the decision to use it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.change.change_source import ChangeSource, FileTexts, decode_any_encoding
from wardround.change.diff import Change
from wardround.config.request import ExchangeStreams, ReviewRequest
from wardround.config.schema import Config
from wardround.context.code_context import CodeContext
from wardround.context.tree_lookup import TreeLookup
from wardround.errors import UsageError
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.execution.review_run import RawReview
from wardround.findings import Plane
from wardround.inference.locations import extra_folders
from wardround.planes.language_model.consultation import Consultation, folder_of_exchange
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.models.loading import DecoderLocation
    from wardround.planes.language_model.consult import Consultant
    from wardround.planes.language_model.question import Question
    from wardround.planes.language_model.questions import Material
    from wardround.planes.language_model.review_cost import ReviewCost


def consult(
    review: ChangeUnderReview, results: RawReview, code: CodeContext, is_stopped: Callable[[], bool]
) -> Consultation:
    """Use the language model, if one is configured for the profile.

    Args:
        is_stopped: True once the review is cancelled, which cancels the calls.
    """
    settings = review.config.root.language_model
    if not settings.is_used_by(review.request.profile.value):
        return Consultation()
    consultant, requested = _make_consultant(review), review.request.exchange
    if settings.is_exchange and not isinstance(requested, ExchangeStreams):
        _require_untracked_folder(review.source, requested)
    return consultant.consult(_material(review, results, code), is_stopped)


def _require_untracked_folder(source: ChangeSource, requested: Path | None) -> None:
    """Reject a folder for an exchange that contains tracked files: a change could bring its own answers.

    Raises:
        UsageError: it does.
    """
    root = source.root.resolve()
    folder = folder_of_exchange(requested).resolve()
    if folder.is_relative_to(root) and source.has_tracked(folder.relative_to(root).as_posix()):
        raise UsageError(
            f"--exchange {folder}: git tracks files there, which could be answers; name another folder"
        )


def question_of(
    plane: Plane, review: ChangeUnderReview, results: RawReview, code: CodeContext
) -> Question | None:
    """Return the question of a plane; None if it has nothing to judge."""
    questions = _make_consultant(review).questions(_material(review, results, code), planes=(plane,))
    return next(iter(questions), None)


def cost_of(review: ChangeUnderReview, results: RawReview, code: CodeContext) -> ReviewCost:
    """Estimate the cost of the questions of all planes."""
    return _make_consultant(review).cost(_material(review, results, code))


def _make_consultant(review: ChangeUnderReview) -> Consultant:
    from wardround.planes.language_model.consult import Consultant  # only where a model is configured

    settings, host = review.config.root.language_model, review.host
    decoders = _decoders(review)
    return Consultant(settings, review.request, os.environ, host.specialists, host.catalogue, decoders)


def _decoders(review: ChangeUnderReview) -> DecoderLocation:
    """Return where local models are: in the model folders of the configuration, and in the package."""
    from wardround.models.loading import DecoderLocation  # see above

    config = review.config
    threads = config.root.model_threads if "model-threads" in config.origins else 0
    folders = tuple(extra_folders(review.source.root, config.root.model_folders))
    return DecoderLocation(folders, config.root.model_provider, threads)


def _material(review: ChangeUnderReview, results: RawReview, code: CodeContext) -> Material:
    from wardround.planes.language_model.questions import Material  # see above

    source, config, change = review.source, review.config, results.change
    files = _ReviewedFiles(source, config, change)
    lookup = _lookup(source, files, change, review.request)
    sends_code = config.root.language_model.context == "neighbours"
    moved: dict[str, set[int]] = {}
    for move in code.moves:
        moved.setdefault(move.path, set()).update(move.moved_lines)
    return Material(
        results=results,
        head=files.head,
        base=files.base,
        moved=moved,
        messages=source.messages(results.change),
        ticket=review.request.ticket,
        neighbours=code.neighbours,
        tests=lookup.tests_of(code.neighbours) if sends_code else {},
        lookup=lookup,
    )


class _ReviewedFiles:
    """The contents of the reviewed tree that may be sent: of no file that is excluded from reviews."""

    def __init__(self, source: ChangeSource, config: Config, change: Change) -> None:
        self._source = source
        self._config = config
        self._texts = FileTexts(source, change)
        self._changed = {file.path for file in change.files}

    def head(self, path: str) -> str | None:
        """Return the content of a file at the head; None if it is excluded."""
        if self._config.for_file(path).excluded:
            return None
        if path in self._changed:
            return self._texts.readable(path)
        content = self._source.read(path, "head")
        return None if content is None else decode_any_encoding(content)

    def base(self, path: str) -> str | None:
        """Return the text of a changed file at the base."""
        return self._texts.readable(path, base=True)


def _lookup(
    source: ChangeSource, files: _ReviewedFiles, change: Change, request: ReviewRequest
) -> TreeLookup:
    """Return the search by the code graph; without a graph, as at commit, the one for words."""
    from wardround.context.word_lookup import WordLookup  # only where a model is configured

    words = WordLookup(source, files.head)
    git_source = source.in_repository
    if git_source is None or request.profile is not Profile.CI:
        return words
    from wardround.context.code_graph.code_lookup import CodeLookup  # loads grammars: 15 ms

    return CodeLookup(git_source, change, GRAPH_LIMITS[Profile.CI], words)
