"""The language model in a review: the parts of a change that it may see, and the decision to use it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from wardround.change.change_source import ChangeSource, FileTexts, in_any_encoding
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.code_context import CodeContext
from wardround.errors import UsageError
from wardround.execution.review_run import RawReview
from wardround.findings import Plane
from wardround.host import PluginHost
from wardround.planes.language_model.consultation import Consultation, exchange_folder

if TYPE_CHECKING:
    from wardround.planes.language_model.consult import Consultant
    from wardround.planes.language_model.question import Question
    from wardround.planes.language_model.questions import Material


def consult(
    source: ChangeSource,
    results: RawReview,
    code: CodeContext,
    host: PluginHost,
    config: Config,
    request: ReviewRequest,
    is_stopped: Callable[[], bool],
) -> Consultation:
    """Use the language model, if one is configured for the profile.

    Args:
        is_stopped: True once the review is cancelled, which cancels the calls.
    """
    settings = config.root.language_model
    if not settings.is_used_by(request.profile.value):
        return Consultation()
    consultant = _consultant(host, config, request)
    if settings.is_exchange:
        _require_untracked(source, request)
    return consultant.consult(_material(source, results, code, config, request), is_stopped)


def _require_untracked(source: ChangeSource, request: ReviewRequest) -> None:
    """Reject a folder for an exchange that contains tracked files: a change could bring its own answers.

    Raises:
        UsageError: it does.
    """
    root = source.root.resolve()
    folder = exchange_folder(request).resolve()
    if folder.is_relative_to(root) and source.has_tracked(folder.relative_to(root).as_posix()):
        raise UsageError(
            f"--exchange {folder}: git tracks files there, which could be answers; name another folder"
        )


def question_of(
    plane: Plane,
    source: ChangeSource,
    results: RawReview,
    code: CodeContext,
    host: PluginHost,
    config: Config,
    request: ReviewRequest,
) -> Question | None:
    """Return the question of a plane; None if it has nothing to judge."""
    consultant = _consultant(host, config, request)
    return next(
        iter(consultant.questions(_material(source, results, code, config, request), planes=(plane,))), None
    )


def _consultant(host: PluginHost, config: Config, request: ReviewRequest) -> Consultant:
    from wardround.planes.language_model.consult import Consultant  # only where a model is configured

    settings = config.root.language_model
    return Consultant(settings, request, os.environ, host.specialists, host.catalogue)


def _material(
    source: ChangeSource, results: RawReview, code: CodeContext, config: Config, request: ReviewRequest
) -> Material:
    from wardround.planes.language_model.questions import Material  # see above

    texts, changed = FileTexts(source, results.change), {file.path for file in results.change.files}
    moved: dict[str, set[int]] = {}
    for move in code.moves:
        moved.setdefault(move.path, set()).update(move.moved_lines)
    return Material(
        results=results,
        head=lambda path: texts.readable(path) if path in changed else _unchanged(source, config, path),
        base=lambda path: texts.readable(path, base=True),
        moved=moved,
        messages=source.messages(results.change),
        ticket=request.ticket,
        neighbours=code.neighbours,
    )


def _unchanged(source: ChangeSource, config: Config, path: str) -> str | None:
    """Return the text of a file that the change leaves alone; None if it is excluded from reviews."""
    content = None if config.for_file(path).excluded else source.read(path, "head")
    return None if content is None else in_any_encoding(content)
