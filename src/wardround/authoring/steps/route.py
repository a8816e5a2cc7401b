"""The route of a task: the stages that work at it, and the endpoints that they use."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from wardround.authoring.instance import Instance
from wardround.config.language_model import EXCHANGE, EndpointSettings, Roles
from wardround.errors import UsageError

EDITS, ENDPOINT = "edits", "endpoint"
"""The built-in authors: edits validated by failing tests, and the endpoint with the role author."""
EXECUTED, CONTEXT, HIERARCHICAL = "executed", "context", "hierarchical"
"""Built-in localizations: code that failing tests execute, the context of the task, and the code that the
endpoint of the author chooses."""
FIRST = "first"
"""The built-in selection."""
EXCHANGE_SETTINGS = EndpointSettings(model=EXCHANGE, timeout=600.0, input_tokens=32_000)
"""The settings of an exchange of files that the command line requests."""


class StageNames(msgspec.Struct, frozen=True):
    """The names of requested stages; an empty one leaves the choice to the route."""

    localization: str = ""
    author: str = ""
    selection: str = ""


class Route(msgspec.Struct, frozen=True):
    """The chosen stages.

    Attributes:
        endpoints: the settings of the endpoint of each role.
    """

    stages: StageNames
    reason: str
    endpoints: Mapping[str, EndpointSettings] = {}


def choose_route(
    instance: Instance,
    requested: StageNames,
    roles: Roles,
    endpoints: Mapping[str, EndpointSettings],
    *,
    has_exchange: bool,
) -> Route:
    """Choose the stages of an instance.

    Args:
        endpoints: the configured ones, by name.
        has_exchange: an exchange of files answers in all roles, whatever endpoint is configured.

    Raises:
        UsageError: no author can work at the instance.
    """
    named: dict[str, str] = msgspec.structs.asdict(roles)
    del named["editor"]  # it words release notes, and has no part in a patch
    used = {role: endpoints[name] for role, name in named.items() if name}
    if has_exchange:
        used = dict.fromkeys(named, EXCHANGE_SETTINGS)
    author = requested.author or (ENDPOINT if "author" in used else EDITS)
    if author == ENDPOINT and "author" not in used:
        raise UsageError("no endpoint has the role author; configure roles.author, or give --exchange")
    if author == EDITS and not instance.failing_tests:
        raise UsageError(
            "without an endpoint a patch needs a failing test; give --test, or configure roles.author"
        )
    stages = StageNames(
        requested.localization or (EXECUTED if author == EDITS else CONTEXT),
        author,
        requested.selection or FIRST,
    )
    if author == EDITS and stages.localization != HIERARCHICAL:
        used.pop("author", None)
    return Route(stages, _reason(author, requested.author, instance), used)


def _reason(author: str, requested: str, instance: Instance) -> str:
    if requested:
        return "the author was requested"
    if author == ENDPOINT:
        return "an endpoint has the role author"
    return f"no endpoint is configured, and {len(instance.failing_tests)} failing tests define the task"
