"""The change that the analyses read, with the settings of its review."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import msgspec

from wardround.change.change_source import ChangeSource, FileTexts, GitChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.code_context import CodeContext
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.review_context import ReviewContext
from wardround.context.surface.published import PublishedSurface
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.specialists import Specialist
from wardround.tools.tool import Profile


class AnalysedChange(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A change under review.

    Attributes:
        specialists: that take part in the review.
        code: as ``code_context`` found it, before a language model saw the change.
        published: the surfaces that others rely on.
    """

    source: ChangeSource
    context: ReviewContext
    request: ReviewRequest
    config: Config
    specialists: Sequence[Specialist]
    code: CodeContext
    published: PublishedSurface

    @property
    def change(self) -> Change:
        """The changed files."""
        return self.context.change

    @property
    def is_ci(self) -> bool:
        """True in the profile ``ci``, which has the time for every analysis."""
        return self.request.profile is Profile.CI

    @property
    def graph_limit(self) -> UpdateLimit:
        """The work that an analysis may spend on the code graph."""
        return GRAPH_LIMITS[self.request.profile]

    @property
    def git_source(self) -> GitChangeSource | None:
        """The repository of the change; None for a diff file."""
        return self.source if isinstance(self.source, GitChangeSource) else None

    @cached_property
    def texts(self) -> FileTexts:
        """The texts of the changed files."""
        return FileTexts(self.source, self.change)

    def read(self, file: ChangedFile, is_base: bool) -> str | None:
        """Return the text of one side of a changed file; None if there is none."""
        return self.texts.readable(file.path, base=is_base)

    @cached_property
    def test_paths(self) -> Collection[str]:
        """The paths of test files."""
        claimed = self.context.claimed
        return frozenset(one.file.path for one in claimed if any(s.name == "tests" for s in one.specialists))
