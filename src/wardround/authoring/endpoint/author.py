"""The author: a language model that proposes one patch for a task."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from wardround.authoring.endpoint.conversation import Conversation
from wardround.authoring.endpoint.patch_answer import PatchAnswer, decode_answer, patch_of
from wardround.authoring.endpoint.roles import Answer, Role
from wardround.authoring.instance import InstanceSource
from wardround.authoring.stages import LocalizationResult, Message, Patch
from wardround.planes.language_model.parameters import MOST_PROBABLE, Sampling

NAME = "endpoint"
Read = Callable[[str], str | None]
"""Path -> the present text; None if it is not a text file of the tree."""


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
    """The input of the author's prompt.

    Attributes:
        sample: the number of a sample, such as ``2 of 3``; absent for a single patch.
    """

    task: str
    constraints: tuple[str, ...]
    failing_tests: tuple[ShownTest, ...]
    context: str
    attempts: tuple[ShownAttempt, ...] = ()
    sample: str | msgspec.UnsetType = msgspec.UNSET


class AuthorQuestions:
    """The questions to an author about instances.

    Args:
        failing_tests, attempts: what the author is shown of the instance, at the time of the call.
        with_text: adds the ready text to a localization that has pointers alone.
    """

    def __init__(
        self,
        instances: InstanceSource,
        failing_tests: Callable[[], Sequence[ShownTest]],
        attempts: Callable[[], Sequence[ShownAttempt]],
        with_text: Callable[[LocalizationResult], LocalizationResult],
    ) -> None:
        self._instances = instances
        self._failing_tests = failing_tests
        self._attempts = attempts
        self._with_text = with_text

    def content(self, localization: LocalizationResult, instance_id: str) -> AuthorInput:
        """Return the input of a prompt."""
        instance = self._instances.instance(instance_id)
        return AuthorInput(
            instance.text,
            tuple(constraint.text for constraint in instance.constraints),
            tuple(self._failing_tests()),
            self._with_text(localization).text,
            tuple(self._attempts()),
        )


class EndpointAuthor:
    """Proposes at most one patch a round; an answer that is not a patch is returned once.

    Args:
        read: see ``Read``.
        sampling: the way to choose among answers.
        sample: the number of a sample; see ``AuthorInput``.
    """

    def __init__(
        self,
        role: Role,
        questions: AuthorQuestions,
        read: Read,
        sampling: Sampling = MOST_PROBABLE,
        sample: str | msgspec.UnsetType = msgspec.UNSET,
    ) -> None:
        self._role = role
        self._questions = questions
        self._read = read
        self._sampling = sampling
        self._sample = sample

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return a patch, or none if the model proposes none or its second answer is unusable, too.

        Raises:
            ExchangeFailed: the endpoint does not answer.
        """
        content = self._questions.content(localization, instance_id)
        conversation = Conversation(self._role, self._sampling)
        patches = await conversation.ask(
            msgspec.structs.replace(content, sample=self._sample),
            lambda answer: proposals(decode_answer(answer.text), self._read, answer),
        )
        return patches or [], conversation.messages


def proposals(found: PatchAnswer, read: Read, answer: Answer) -> list[Patch]:
    """Return the patch that an answer describes; none if it has no edits.

    Raises:
        UnusableAnswer: an edit cannot be applied.
    """
    return [patch_of(found, read, answer.model or NAME)] if found.edits else []
