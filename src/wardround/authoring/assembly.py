"""The stages of one run, made of the chosen route, the configuration and the contributed stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack

from wardround.authoring.attempt import Attempt
from wardround.authoring.endpoint.author import EndpointAuthor
from wardround.authoring.endpoint.opening import (
    EXCHANGE_SETTINGS,
    EndpointAccess,
    key_of,
    open_endpoint,
)
from wardround.authoring.endpoint.roles import Role, TokenBudget
from wardround.authoring.failing_tests import FailingTests
from wardround.authoring.instance import RepositoryInstances
from wardround.authoring.loop import Stages
from wardround.authoring.selection import FirstPatch
from wardround.authoring.sequence import Header
from wardround.authoring.stages import Localization, PatchGeneration
from wardround.authoring.steps.revise import shown_attempts
from wardround.authoring.steps.route import EDITS, ENDPOINT, Route
from wardround.authoring.work import Work
from wardround.change.change_source import decode_text
from wardround.config.language_model import EndpointSettings
from wardround.config.schema import RunSettings
from wardround.errors import UsageError
from wardround.planes.language_model.prompts import load_part
from wardround.planes.language_model.redaction import Redactor

AUTHOR, VERIFIER = "author", "verifier"
"""The roles, and the names of their prompts."""
_ANY_TEXT = "context.txt"
"""A path of no file: every check for secrets in any text reads what is sent."""


def endpoints_of(route: Route, root: RunSettings) -> dict[str, EndpointSettings]:
    """Return the settings of the endpoint of each role of a route."""
    names = {AUTHOR: route.endpoint, VERIFIER: route.verifier}
    found = {role: root.endpoints[name] for role, name in names.items() if name}
    if route.author == ENDPOINT and not route.endpoint:
        found[AUTHOR] = EXCHANGE_SETTINGS
    return found


class Assembly:
    """Makes the stages of a run; endpoints are open as long as the exit stack.

    Attributes:
        budget: the tokens of all endpoints together.

    Args:
        attempts: the evaluated patches so far, at the time of a call.
        shown_step: the role whose next request is shown and not sent; empty for none.
    """

    def __init__(
        self,
        work: Work,
        header: Header,
        access: EndpointAccess,
        failing_tests: FailingTests,
        attempts: Sequence[Attempt],
        shown_step: str,
    ) -> None:
        self._work = work
        self._header = header
        self._access = access
        self._failing_tests = failing_tests
        self._attempts = attempts
        self._shown_step = shown_step
        self.budget = TokenBudget(work.settings.most_tokens)

    async def open(
        self, opened: AsyncExitStack, localization: Localization, edits: PatchGeneration
    ) -> Stages:
        """Return the stages.

        Args:
            localization: finds the code of the instance.
            edits: the author without a model.

        Raises:
            UsageError: an endpoint cannot be used.
        """
        is_verified = VERIFIER in self._header.endpoints
        verifier = await self._role(VERIFIER, opened) if is_verified else None
        generation = edits if self._header.route.author == EDITS else await self._author(opened)
        return Stages(localization, generation, FirstPatch(), verifier)

    async def _author(self, opened: AsyncExitStack) -> EndpointAuthor:
        role = await self._role(AUTHOR, opened)
        instances = RepositoryInstances(self._work.repository, [self._work.instance])
        return EndpointAuthor(
            role, instances, self._read, self._failing_tests.shown, lambda: shown_attempts(self._attempts)
        )

    async def _role(self, name: str, opened: AsyncExitStack) -> Role:
        settings = self._header.endpoints[name]
        endpoint = await opened.enter_async_context(open_endpoint(settings, self._access))
        return Role(
            name,
            load_part(name),
            settings,
            endpoint,
            self._work.effects,
            self._redactor(settings),
            self.budget,
            is_shown=name == self._shown_step,
        )

    def _read(self, path: str) -> str | None:
        content = self._work.repository.tree(self._work.instance.base).read(path)
        return None if content is None else decode_text(content)

    def _redactor(self, settings: EndpointSettings) -> Callable[[str], str]:
        """Return what removes secrets from a text that leaves this process.

        Raises:
            UsageError: no check for secrets is loaded.
        """
        specialists = self._work.host.specialists
        key = key_of(settings, self._access.environ)
        redactor = Redactor((), specialists, (), self._read, self._read, key)
        if not redactor.is_complete:
            raise UsageError("no check for secrets is loaded, so nothing is sent; install its plugin")
        return lambda text: "\n".join(redactor.lines(_ANY_TEXT, text))
