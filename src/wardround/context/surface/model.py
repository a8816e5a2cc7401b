"""The values of a comparison: the changes of published surfaces, and what was not compared."""

from __future__ import annotations

import enum

import msgspec

COMMIT_MESSAGE = "the commit message"
"""The announcement that only the author makes."""


class SurfaceKind(enum.StrEnum):
    """The kind of a published surface."""

    CLI_OPTIONS = "cli-options"
    CONTAINER = "container"
    DEPENDENCIES = "dependencies"
    HTTP_API = "http-api"
    PYTHON_API = "python-api"
    SCRIPT_EXPORTS = "script-exports"
    SETTINGS = "settings"
    SQL_SCHEMA = "sql-schema"
    WORKFLOW_INPUTS = "workflow-inputs"


class SurfaceChange(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A change of a published surface.

    Attributes:
        path: the file that declares it; at the base for something that is removed.
        line: 1-based, in the same version as the path.
        name: name of the function, the export, the input or the like, as its users write it.
        detail: the change as a predicate of the name: "is removed".
        is_breaking: users have to change something before they can use the new version.
        announced_by: the changelog, the version or the commit message that announces it; None if none does.
    """

    kind: SurfaceKind
    path: str
    line: int
    name: str
    detail: str
    is_breaking: bool
    announced_by: str | None = None

    @property
    def is_unannounced(self) -> bool:
        """is_unannounced: True if it breaks users and nothing announces it."""
        return self.is_breaking and self.announced_by is None

    @property
    def is_unseen(self) -> bool:
        """True if it breaks users and no file that they read announces it: a commit message is a claim."""
        return self.is_breaking and self.announced_by in (None, COMMIT_MESSAGE)


class NotCompared(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A surface that the change may alter and that could not be compared."""

    kind: SurfaceKind
    reason: str


class ComparingTool(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A library that compared a surface."""

    tool: str
    version: str


class Surface(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The changes of all published surfaces, those that break users first.

    Attributes:
        omitted: the number of further changes, above the limit on the size of a record.
    """

    changes: tuple[SurfaceChange, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    omitted: int = 0
    tools: tuple[ComparingTool, ...] = ()

    @property
    def breaking(self) -> tuple[SurfaceChange, ...]:
        """The changes that break users."""
        return tuple(change for change in self.changes if change.is_breaking)

    @property
    def unannounced(self) -> tuple[SurfaceChange, ...]:
        """The changes that break users and that nothing announces."""
        return tuple(change for change in self.changes if change.is_unannounced)
