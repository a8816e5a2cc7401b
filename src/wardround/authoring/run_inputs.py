"""The inputs of the stages of one run, and what they add to its packet."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from copy import copy

import msgspec

from wardround.authoring.attempt import Attempt
from wardround.authoring.context.model import WriteContext
from wardround.authoring.endpoint.opening import EndpointAccess, key_of, open_endpoint
from wardround.authoring.endpoint.redaction import redaction_of
from wardround.authoring.endpoint.roles import Role, TokenBudget
from wardround.authoring.failing_tests import FailingTests
from wardround.authoring.packet import Search
from wardround.authoring.proposed_tests import ProposedTests
from wardround.authoring.repair.model import Observation
from wardround.authoring.sequence import Effects, Header
from wardround.authoring.stages import CodePointer
from wardround.authoring.work import Work
from wardround.change.change_source import decode_text
from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError
from wardround.planes.language_model.prompts import load_part

AUTHOR, VERIFIER, PROPOSER, RANKER = "author", "verifier", "proposer", "ranker"
ROLES = (AUTHOR, VERIFIER, PROPOSER, RANKER)
"""The roles, and the names of their prompts."""
LOCALIZATION, FIX_WITH_TESTS, AUTHOR_WITH_PROBE = "localization", "fix-with-tests", "author-with-probe"
"""Further prompts of the author's endpoint."""


class RunReport:
    """The additions of stages to the packet, besides their results.

    Attributes:
        pointers: the code of the task, the most relevant first.
        proposed_tests: tests that the author of a patch, or another model, proposes with it.
        search: the search for edits; None without one.
        advice: what to try next if no patch is accepted.
        context: what ``wardround write`` writes for the task; None if it was not needed.
        plan: its plan as Markdown.
        selections: one line for each selection, on its reason.
    """

    def __init__(self) -> None:
        self.pointers: tuple[CodePointer, ...] = ()
        self.proposed_tests: tuple[ProposedTests, ...] = ()
        self.search: Search | None = None
        self.advice: tuple[str, ...] = ()
        self.context: WriteContext | None = None
        self.plan = ""
        self.selections: list[str] = []


class RunInputs:
    """The inputs of the stages of one run; endpoints are open as long as the exit stack.

    Attributes:
        failing_tests: the tests that define the instance.
        attempts: the evaluated patches so far.
        report: collects what stages add to the packet.
        budget: the tokens of all endpoints together.

    Args:
        shown_step: the role whose next request is shown and not sent; empty for none.
    """

    def __init__(self, work: Work, header: Header, access: EndpointAccess, shown_step: str) -> None:
        self.work = work
        self.failing_tests = FailingTests(work)
        self.attempts: list[Attempt] = []
        self.report = RunReport()
        self.budget = TokenBudget(work.settings.most_tokens)
        self._header = header
        self._access = access
        self._shown_step = shown_step
        self._opened = AsyncExitStack()

    def with_effects(self, effects: Effects, observation: Observation) -> RunInputs:
        """Return the inputs for stages that run other effects; report, budget and endpoints are the same.

        Args:
            observation: the tests that define the instance, as they ran at the base.
        """
        inputs = copy(self)
        inputs.work = msgspec.structs.replace(self.work, effects=effects)
        inputs.failing_tests = FailingTests(inputs.work, observation)
        return inputs

    @property
    def opened(self) -> AsyncExitStack:
        """The open endpoints, which the caller closes."""
        return self._opened

    def has_role(self, name: str) -> bool:
        """Return True if an endpoint has a role in this run; that of the author proposes tests, too."""
        return self._endpoint_of(name) is not None

    async def role(self, name: str) -> Role:
        """Open the endpoint of a role.

        Args:
            name: one of the roles, or a further prompt of the author's endpoint.

        Raises:
            UsageError: it cannot be used, or no endpoint has the role.
        """
        settings = self._endpoint_of(name)
        if settings is None:
            role = _role_of(name)
            raise UsageError(f"no endpoint has the role {role}; configure roles.{role}, or give --exchange")
        endpoint = await self._opened.enter_async_context(open_endpoint(settings, self._access))
        return Role(
            name,
            load_part(name),
            settings,
            endpoint,
            self.work.effects,
            self._redactor(settings),
            self.budget,
            is_shown=self._shown_step == (name if name == LOCALIZATION else _role_of(name)),
        )

    def read(self, path: str) -> str | None:
        """Return the text of a file at the base; None if it is not a text of the tree."""
        content = self.work.repository.tree(self.work.instance.base).read(path)
        return None if content is None else decode_text(content)

    def _endpoint_of(self, name: str) -> EndpointSettings | None:
        endpoints, role = self._header.route.endpoints, _role_of(name)
        return endpoints.get(role) or (endpoints.get(AUTHOR) if role == PROPOSER else None)

    def _redactor(self, settings: EndpointSettings) -> Callable[[str], str]:
        return redaction_of(self.work.host, self.read, key_of(settings, self._access.environ))


def _role_of(name: str) -> str:
    return name if name in ROLES else AUTHOR
