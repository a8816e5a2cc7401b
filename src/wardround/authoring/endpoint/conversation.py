"""A conversation with an endpoint: a question, and once more if the answer to it cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from wardround.authoring.endpoint.patch_answer import UnusableAnswer
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.authoring.stages import Message
from wardround.planes.language_model.parameters import MOST_PROBABLE, Sampling

Result = TypeVar("Result")
_ATTEMPTS = 2
NO_DOCUMENT = "it has no JSON document of the form above"
"""The reason for an answer without the document that its prompt demands."""


class Conversation:
    """The messages of one conversation in a role.

    Attributes:
        messages: all questions and answers so far.
        problem: the reason why the last answer cannot be used; empty if it can.
    """

    def __init__(self, role: Role, sampling: Sampling = MOST_PROBABLE) -> None:
        self._role = role
        self._sampling = sampling
        self.messages: list[Message] = []
        self.problem = ""

    async def ask(self, content: object, decode: Callable[[Answer], Result]) -> Result | None:
        """Return the decoded answer to a question; None if the second answer to it is unusable, too.

        Args:
            decode: raises ``UnusableAnswer`` with the reason for the author.

        Raises:
            ExchangeFailed: the endpoint does not answer.
        """
        self.problem = ""
        self.messages.append(Message("user", msgspec.json.encode(content).decode()))
        for _ in range(_ATTEMPTS):
            answer = await self._role.ask(content, self.problem, self._sampling)
            self.messages.append(Message("assistant", answer.text))
            try:
                if answer.problem:
                    raise UnusableAnswer(answer.problem)
                return decode(answer)
            except UnusableAnswer as cause:
                self.problem = str(cause)
                self.messages.append(Message("user", f"The answer cannot be used: {self.problem}"))
        return None

    def add_result(self, content: object) -> None:
        """Append the result of a tool that an answer requested."""
        self.messages.append(Message("tool", msgspec.json.encode(content).decode()))
