"""The view of a change that an analysis reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext
from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.change.encoding import escape_undecodable
from wardround.context.code_context import CodeContext
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.surface.published import PublishedSurface
from wardround.errors import ModelError
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.inference.api import Models, NoModels
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.inference.base_embedder import BaseEmbedder

_MOST_MESSAGES = 100
_LONGEST_MESSAGE = 10_000
"""The limits on commit messages, in characters; they bound the size of a record."""


class ChangeView(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A change under review, with the settings of its review.

    Attributes:
        context: the change as it is reviewed.
        code: as ``code_context`` found it, before a language model saw the change.
        published: the surfaces that others rely on.
    """

    review: ChangeUnderReview
    context: ReviewContext
    code: CodeContext
    published: PublishedSurface

    @property
    def change(self) -> Change:
        """The changed files."""
        return self.context.change

    @cached_property
    def messages(self) -> tuple[str, ...]:
        """The messages of the newest commits of the change, newest first."""
        found = self.review.source.messages(self.change)[:_MOST_MESSAGES]
        return tuple(escape_undecodable(text)[:_LONGEST_MESSAGE] for text in found)

    @property
    def profile(self) -> Profile:
        """The profile of the review."""
        return self.review.request.profile

    @property
    def graph_limit(self) -> UpdateLimit:
        """The work that an analysis may spend on the code graph."""
        return GRAPH_LIMITS[self.profile]

    @property
    def git_source(self) -> GitChangeSource | None:
        """The repository of the change; None for a diff file."""
        return self.review.source.in_repository

    @cached_property
    def base_embedder(self) -> BaseEmbedder | None:
        """The base model; None in a review without models, and if it is not installed."""
        settings = self.review.config.root
        is_used = self.review.request.use_models and settings.models != "off"
        if self.git_source is None or not is_used:
            return None
        from wardround.inference.base_embedder import base_embedder  # only with models

        try:
            return base_embedder(settings, self.git_source.repository.root)
        except ModelError:
            return None

    @contextmanager
    def models(self, names: Sequence[str], most_texts: int) -> Iterator[Models]:
        """Provide models that a review with models may use, each with the cache of its results.

        Args:
            names: of the models that may be requested.
            most_texts: texts that may be scored, including cached ones.
        """
        request, root = self.review.request, self.review.config.root
        from wardround.execution.broker import open_broker  # only analyses with texts to classify
        from wardround.inference.registry import NOT_INSTALLED

        paths = [path for file in self.change.files for path in (file.path, file.base_path) if path]
        broker = open_broker(root, request.profile, self.review.source.root, paths, request.use_models)
        if broker is None:
            yield NoModels()
            return
        with closing(broker):
            yield broker.models.scope(names, most_texts)
            self.model_versions.update(
                (run.tool, run.version) for run in broker.models.runs(dict.fromkeys(names, 1))
            )
            if not broker.models.is_bare:
                problems = broker.models.errors(names).items()
                self.model_problems.update(item for item in problems if item[1] != NOT_INSTALLED)

    @cached_property
    def model_versions(self) -> dict[str, str]:
        """Name and version of the models that were provided, as records have them."""
        return {}

    @cached_property
    def model_problems(self) -> dict[str, str]:
        """Name of an installed model -> the reason why it cannot be used; empty without a runtime."""
        return {}

    @cached_property
    def texts(self) -> FileTexts:
        """The contents of the changed files."""
        return FileTexts(self.review.source, self.change)

    def read(self, file: ChangedFile, is_base: bool) -> str | None:
        """Return the content of a changed file at base or head; None if it does not exist there."""
        return self.texts.readable(file.path, base=is_base)

    @cached_property
    def test_paths(self) -> Collection[str]:
        """The paths of test files."""
        return frozenset(
            claimed.file.path
            for claimed in self.context.claimed
            if any(specialist.name == "tests" for specialist in claimed.specialists)
        )
