"""The author: a language model that proposes one patch for a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from wardround.authoring.endpoint.patch_answer import PatchAnswer, UnusableAnswer, decode_answer, patch_of
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.authoring.instance import InstanceSource
from wardround.authoring.stages import LocalizationResult, Message, Patch

NAME = "endpoint"


class ShownTest(msgspec.Struct, frozen=True):
    """A failing test as the author sees it.

    Attributes:
        failure: the end of the representation of its failure.
    """

    id: str
    source: str = ""
    failure: str = ""


class ShownAttempt(msgspec.Struct, frozen=True):
    """An earlier patch with the reasons for which it was rejected."""

    patch: str
    problems: tuple[str, ...]


class AuthorInput(msgspec.Struct, frozen=True):
    """The input of the author's prompt."""

    task: str
    constraints: tuple[str, ...]
    failing_tests: tuple[ShownTest, ...]
    context: str
    attempts: tuple[ShownAttempt, ...] = ()


class EndpointAuthor:
    """Proposes at most one patch a round; an answer that is not a patch is returned once.

    Args:
        read: instance id and path -> the present text.
        failing_tests, attempts: what the author is shown of the instance, at the time of the call.
        with_text: adds the ready text to a localization that has pointers alone.
    """

    def __init__(
        self,
        role: Role,
        instances: InstanceSource,
        read: Callable[[str], str | None],
        failing_tests: Callable[[], Sequence[ShownTest]],
        attempts: Callable[[], Sequence[ShownAttempt]],
        with_text: Callable[[LocalizationResult], LocalizationResult],
    ) -> None:
        self._role = role
        self._instances = instances
        self._read = read
        self._failing_tests = failing_tests
        self._attempts = attempts
        self._with_text = with_text

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return a patch, or none if the model proposes none or its second answer is unusable, too.

        Raises:
            ExchangeFailed: the endpoint does not answer.
        """
        content = self._input(localization, instance_id)
        messages = [Message("user", msgspec.json.encode(content).decode())]
        problem = ""
        for _ in range(2):
            answer = await self._role.ask(content, problem)
            messages.append(Message("assistant", answer.text))
            try:
                found = _patch_answer(answer)
                patches = [patch_of(found, self._read, answer.model or NAME)] if found.edits else []
            except UnusableAnswer as cause:
                problem = str(cause)
                messages.append(Message("user", f"The answer cannot be used: {problem}"))
                continue
            return patches, messages
        return [], messages

    def _input(self, localization: LocalizationResult, instance_id: str) -> AuthorInput:
        instance = self._instances.instance(instance_id)
        return AuthorInput(
            instance.text,
            tuple(constraint.text for constraint in instance.constraints),
            tuple(self._failing_tests()),
            self._with_text(localization).text,
            tuple(self._attempts()),
        )


def _patch_answer(answer: Answer) -> PatchAnswer:
    if answer.problem:
        raise UnusableAnswer(answer.problem)
    return decode_answer(answer.text)
