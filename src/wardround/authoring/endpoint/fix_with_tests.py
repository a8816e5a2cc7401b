"""An author that returns a patch and tests for it: in one answer, or in two conversations apart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from wardround.authoring.endpoint.author import NAME, AuthorQuestions, EndpointAuthor, Read, proposals
from wardround.authoring.endpoint.conversation import Conversation
from wardround.authoring.endpoint.patch_answer import Edit, PatchAnswer, decode_document
from wardround.authoring.endpoint.proposer import TestProposer
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.authoring.endpoint.test_answer import TestReader, TestsAnswer
from wardround.authoring.proposed_tests import ProposedTests, WrittenTests
from wardround.authoring.stages import LocalizationResult, Message, Patch
from wardround.authoring.test_runs import WITH_PATCH, is_passed, run_at_base, run_tests
from wardround.authoring.work import Work

Written = tuple[list[Patch], WrittenTests, list[Message]]


class CombinedAnswer(msgspec.Struct, frozen=True):
    """The answer of an author with tests; either list is empty if it proposes none."""

    edits: tuple[Edit, ...]
    tests: tuple[Edit, ...]
    reason: str = ""


class CombinedAuthor:
    """Requests a patch and its tests in one answer."""

    def __init__(self, role: Role, questions: AuthorQuestions, read: Read, reader: TestReader) -> None:
        self._role = role
        self._questions = questions
        self._read = read
        self._reader = reader

    async def write(self, localization: LocalizationResult, instance_id: str) -> Written:
        """Return a patch and tests; of a second answer with unusable tests the patch alone.

        Raises:
            ExchangeFailed: the endpoint does not answer.
        """
        conversation = Conversation(self._role)
        patches = list[Patch]()

        def decode(answer: Answer) -> WrittenTests:
            found = decode_document(answer.text, CombinedAnswer, "edits")
            patches[:] = proposals(PatchAnswer(found.edits, found.reason), self._read, answer)
            return self._reader.written_tests(TestsAnswer(found.tests, found.reason), answer.model or NAME)

        written = await conversation.ask(self._questions.content(localization, instance_id), decode)
        if written is None:
            written = WrittenTests(reason=f"the answer cannot be used: {conversation.problem}")
        return patches, written, conversation.messages


class SeparateAuthors:
    """Requests a patch and tests in two conversations that do not see each other."""

    def __init__(self, author: EndpointAuthor, proposer: TestProposer) -> None:
        self._author = author
        self._proposer = proposer

    async def write(self, localization: LocalizationResult, instance_id: str) -> Written:
        """Return a patch and tests; both requests are sent before an error of one is raised."""
        found = await asyncio.gather(
            self._author.run(localization, instance_id),
            self._proposer.run(localization, instance_id),
            return_exceptions=True,
        )
        author, proposer = found
        if isinstance(author, BaseException):
            raise author
        if isinstance(proposer, BaseException):
            raise proposer
        (patches, messages), (written, others) = author, proposer
        return patches, written, [*messages, *others]


class FixWithTests:
    """Proposes a patch, and reports tests for it that fail without it.

    The tests are evidence: they do not judge the patch, and files that judge it remain closed to it.

    Args:
        report: gets the tests after they ran at the base.
    """

    def __init__(
        self,
        work: Work,
        authors: CombinedAuthor | SeparateAuthors,
        report: Callable[[ProposedTests], None],
    ) -> None:
        self._work = work
        self._authors = authors
        self._report = report

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return the patch with the number of its proposed tests, and of those that pass with it.

        Raises:
            ExchangeFailed: the endpoint does not answer.
            EnvironmentUnavailable: the tests cannot be run.
        """
        patches, written, messages = await self._authors.write(localization, instance_id)
        tests = await run_at_base(self._work, written)
        self._report(tests)
        return [await self._with_evidence(patch, tests) for patch in patches], messages

    async def _with_evidence(self, patch: Patch, tests: ProposedTests) -> Patch:
        passed = 0
        if tests.tests:
            observation = await run_tests(self._work, WITH_PATCH, (*patch.files, *tests.files), tests.ids)
            passed = sum(is_passed(observation, test) for test in tests.ids)
        evidence = {"proposed_tests": len(tests.tests), "proposed_tests_passed": passed}
        return msgspec.structs.replace(patch, metadata={**patch.metadata, **evidence})
