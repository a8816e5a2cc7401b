"""The route of a task: who writes the patch, and who verifies it."""

from __future__ import annotations

import msgspec

from wardround.authoring.instance import Instance
from wardround.config.language_model import Roles
from wardround.errors import UsageError

EDITS, ENDPOINT = "edits", "endpoint"
"""The built-in authors: edits validated by failing tests, and a configured endpoint."""


class Route(msgspec.Struct, frozen=True):
    """The chosen author.

    Attributes:
        endpoint: the name of the author's endpoint; empty for an exchange, and for an author without one.
        verifier: the name of the verifier's endpoint; empty for none.
    """

    author: str
    reason: str
    endpoint: str = ""
    verifier: str = ""


def choose_route(instance: Instance, roles: Roles, requested: str, *, has_exchange: bool) -> Route:
    """Choose the author of an instance.

    Args:
        requested: the name of an author; empty to choose one.
        has_exchange: answers are read from an exchange of files, whatever endpoint is configured.

    Raises:
        UsageError: no author can work at the instance.
    """
    has_endpoint = has_exchange or bool(roles.author)
    author = requested or (ENDPOINT if has_endpoint else EDITS)
    if author == ENDPOINT and not has_endpoint:
        raise UsageError("no endpoint has the role author; configure roles.author, or give --exchange")
    if author == EDITS and not instance.failing_tests:
        raise UsageError(
            "without an endpoint a patch needs a failing test; give --test, or configure roles.author"
        )
    is_by_endpoint = author == ENDPOINT
    if has_exchange:
        return Route(author, _reason(author, requested, instance))
    endpoint = roles.author if is_by_endpoint else ""
    return Route(author, _reason(author, requested, instance), endpoint, roles.verifier)


def _reason(author: str, requested: str, instance: Instance) -> str:
    if requested:
        return "the author was requested"
    if author == ENDPOINT:
        return "an endpoint has the role author"
    return f"no endpoint is configured, and {len(instance.failing_tests)} failing tests define the task"
