"""The proposer: a language model that writes tests for a task, in a conversation of its own."""

from __future__ import annotations

import msgspec

from wardround.authoring.endpoint.author import NAME, AuthorInput, AuthorQuestions, ShownTest
from wardround.authoring.endpoint.conversation import Conversation
from wardround.authoring.endpoint.roles import Role
from wardround.authoring.endpoint.test_answer import TestReader
from wardround.authoring.proposed_tests import WrittenTests
from wardround.authoring.stages import LocalizationResult, Message


class ProposerInput(msgspec.Struct, frozen=True):
    """The input of the proposer's prompt."""

    task: str
    constraints: tuple[str, ...]
    failing_tests: tuple[ShownTest, ...]
    context: str


class TestProposer:
    """Proposes tests; it sees no patch, and none of the conversation of its author."""

    __test__ = False

    def __init__(self, role: Role, questions: AuthorQuestions, reader: TestReader) -> None:
        self._role = role
        self._questions = questions
        self._reader = reader

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[WrittenTests, list[Message]]:
        """Return tests, or none if the model proposes none or its second answer is unusable, too.

        Raises:
            ExchangeFailed: the endpoint does not answer.
        """
        conversation = Conversation(self._role)
        content = _proposer_input(self._questions.content(localization, instance_id))
        written = await conversation.ask(
            content, lambda answer: self._reader.decode(answer.text, answer.model or NAME)
        )
        if written is None:
            written = WrittenTests(reason=f"the answer cannot be used: {conversation.problem}")
        return written, conversation.messages


def _proposer_input(content: AuthorInput) -> ProposerInput:
    return ProposerInput(content.task, content.constraints, content.failing_tests, content.context)
