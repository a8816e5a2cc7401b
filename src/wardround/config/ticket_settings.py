"""The settings of tickets: the projects whose tickets a change may name."""

from __future__ import annotations

import msgspec

from wardround.errors import ConfigError
from wardround.lazy import LazyPattern

_PROJECT = LazyPattern(r"[A-Za-z0-9][\w.-]{0,99}/[\w.-]{1,100}|[A-Za-z][A-Za-z0-9_]{1,19}")


class TicketRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The table ``tickets``.

    Attributes:
        projects: those whose tickets a change may name: ``owner/name`` of a GitHub repository, or the key of
            a project in Jira or of a team in Linear. Without one, the repository under review on GitHub, and
            every project of the configured tracker.
    """

    projects: tuple[str, ...] = ()


def require_valid(rules: TicketRules, file: str) -> None:
    """Reject what is not the name of a project.

    Args:
        file: the configuration file, for messages.

    Raises:
        ConfigError: a project has another form.
    """
    for project in rules.projects:
        if not _PROJECT.fullmatch(project):
            raise ConfigError(
                f"{file}: tickets: projects: {project!r} is not a project; give OWNER/NAME of a repository, "
                "or the key of a project such as PROJ"
            )
