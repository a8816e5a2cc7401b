"""An author that may request one run with a probe before it returns its patch."""

from __future__ import annotations

import ast
import json
from collections.abc import Awaitable, Callable

import msgspec

from wardround.authoring.endpoint.author import AuthorQuestions, Read, ShownAttempt, ShownTest, proposals
from wardround.authoring.endpoint.conversation import Conversation
from wardround.authoring.endpoint.patch_answer import Edit, PatchAnswer, UnusableAnswer, decode_document
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.authoring.repair.probe import Probe, ProbeResult
from wardround.authoring.stages import LocalizationResult, Message, Patch
from wardround.languages.python.tree import UNREADABLE

Run = Callable[[Probe], Awaitable[ProbeResult]]
_SUFFIX = ".py"


class _ProbingAnswer(msgspec.Struct, frozen=True):
    edits: tuple[Edit, ...]
    reason: str = ""
    probe: Probe | None = None


class ShownProbe(msgspec.Struct, frozen=True):
    """The one run that was requested, with its result."""

    request: Probe
    result: ProbeResult


class ProbingInput(msgspec.Struct, frozen=True):
    """The input of the prompt of an author with a probe.

    Attributes:
        probe: absent before it ran.
    """

    task: str
    constraints: tuple[str, ...]
    failing_tests: tuple[ShownTest, ...]
    context: str
    attempts: tuple[ShownAttempt, ...] = ()
    probe: ShownProbe | msgspec.UnsetType = msgspec.UNSET


class ProbingAuthor:
    """Proposes at most one patch, after at most one run.

    Args:
        read: see ``Read``.
        run: runs a probe in the sandbox.
    """

    def __init__(self, role: Role, questions: AuthorQuestions, read: Read, run: Run) -> None:
        self._role = role
        self._questions = questions
        self._read = read
        self._run = run

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return a patch, or none; the run and its result are messages.

        Raises:
            ExchangeFailed: the endpoint does not answer.
            EnvironmentUnavailable: the project has no environment for the run.
        """
        shown = self._questions.content(localization, instance_id)
        content = ProbingInput(
            shown.task, shown.constraints, shown.failing_tests, shown.context, shown.attempts
        )
        conversation = Conversation(self._role)
        found = await conversation.ask(content, self._first_answer)
        if isinstance(found, Probe):
            result = await self._run(found)
            conversation.add_result(result)
            content = msgspec.structs.replace(content, probe=ShownProbe(found, result))
            found = await conversation.ask(content, self._last_answer)
        return found or [], conversation.messages

    def _first_answer(self, answer: Answer) -> Probe | list[Patch]:
        found = _answer_of(answer)
        if found.probe is not None and not found.edits:
            self._require_usable(found.probe)
            return found.probe
        return self._patches(found, answer)

    def _last_answer(self, answer: Answer) -> list[Patch]:
        found = _answer_of(answer)
        if found.probe is not None and not found.edits:
            raise UnusableAnswer("the one run was made; return the edits, or none with the reason")
        return self._patches(found, answer)

    def _patches(self, found: _ProbingAnswer, answer: Answer) -> list[Patch]:
        return proposals(PatchAnswer(found.edits, found.reason), self._read, answer)

    def _require_usable(self, probe: Probe) -> None:
        for path in (probe.file, probe.test.partition("::")[0]):
            if not path.endswith(_SUFFIX) or self._read(path) is None:
                raise UnusableAnswer(f"there is no file of Python {json.dumps(path)}")
        try:
            ast.parse(probe.expression, mode="eval")
        except UNREADABLE as cause:
            raise UnusableAnswer(f"{probe.expression!r} is no expression of Python: {cause}") from None


def _answer_of(answer: Answer) -> _ProbingAnswer:
    return decode_document(answer.text, _ProbingAnswer, "edits")
