"""The change under review with the settings and the specialists of its review, shared by all steps."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.config.request import ReviewRequest
from wardround.config.review_config import read_config
from wardround.config.schema import Config
from wardround.host import PluginHost
from wardround.specialists import Specialist


class ChangeUnderReview(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A change, its source, and the plugins, the settings and the configuration of its review.

    Attributes:
        change: the change of the source as git lists it, or as it is reviewed, or a part of it.
        request: the settings of the caller.
        config: from the trusted side.
    """

    source: ChangeSource
    change: Change
    host: PluginHost
    request: ReviewRequest
    config: Config

    @classmethod
    def open(cls, source: ChangeSource, host: PluginHost, request: ReviewRequest) -> Self:
        """Return a change with the configuration that applies to it.

        Raises:
            ConfigError: the configuration is wrong, or a required plugin is not installed.
            UsageError: the request names an unknown specialist.
        """
        return cls(source, source.change, host, request, read_config(source, host, request))

    @cached_property
    def specialists(self) -> tuple[Specialist, ...]:
        """The specialists that take part in the review, in the order of their names."""
        names = (specialist.name for specialist in self.host.specialists)
        selected = {name for name in names if is_selected(name, self.config, self.request)}
        profile = self.request.profile
        return tuple(
            specialist
            for specialist in self.host.specialists
            if specialist.name in selected and profile in specialist.profiles
        )

    def read_trusted(self, path: str) -> bytes | None:
        """Return the content of a file at the trusted side; None if it does not exist there."""
        return self.source.read(path, self.request.trusted_side)

    def with_change(self, change: Change) -> ChangeUnderReview:
        """Return the same review of another change of the same source."""
        return replace(self, change=change)


def is_selected(name: str, config: Config, request: ReviewRequest) -> bool:
    """Return True if the specialist of this name takes part in a review."""
    only = request.only or config.root.only
    skip = (*request.skip, *config.root.skip)
    return name not in skip and (not only or name in only)
