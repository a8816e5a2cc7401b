"""The published surfaces of a change, compared when they are first needed."""

from __future__ import annotations

from functools import cached_property

import msgspec

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.context.surface.model import Surface


class PublishedSurface(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The comparison of a review, shared by its checks and its evidence.

    Attributes:
        is_compared: False at commit, where both trees would have to be read.
    """

    source: ChangeSource
    change: Change
    is_compared: bool

    @cached_property
    def surface(self) -> Surface:
        """The result of the comparison; an empty one where nothing is compared."""
        if not self.is_compared:
            return Surface()
        from wardround.context.surface.comparison import surface_of  # the commit profile never needs it

        return surface_of(self.source, self.change, self.source.messages(self.change))
