"""The question of one plane: its prompt, its input, and the body of the request."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.config.language_model import EndpointSettings, LanguageModelSettings
from wardround.findings import Plane
from wardround.planes.language_model.budget import CHARACTERS_PER_TOKEN, choose
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.inputs import ChosenHunk, Described, PlaneInput, plane_input
from wardround.planes.language_model.narrow_questions.placed import RoutedQuestions
from wardround.planes.language_model.parameters import (
    ALL_PARAMETERS,
    MOST_PROBABLE,
    AcceptedParameters,
    Sampling,
)
from wardround.planes.language_model.prompts import Prompt, PromptPart
from wardround.planes.language_model.sent_code import SentCode
from wardround.text.escaping import json_text

_CORRECTION = "The previous answer could not be used: {problem}. Return one JSON document of the form above."


class Candidate(msgspec.Struct, frozen=True):
    """A hunk that a plane may see, and True if it is of a test file."""

    hunk: SentHunk
    is_test: bool


class Question(msgspec.Struct, frozen=True):
    """The request content for one plane.

    Attributes:
        hunks: the hunks of the input; claims are verified against them.
        omitted: the number of hunks that did not fit.
        narrow: the questions about single lines.
        code: the code around the change in the input; no claim can be about it.
    """

    prompt: Prompt
    content: PlaneInput
    hunks: tuple[SentHunk, ...]
    omitted: int
    narrow: RoutedQuestions = RoutedQuestions()
    code: tuple[SentCode, ...] = ()

    @property
    def plane(self) -> Plane:
        """The plane that has the question."""
        return self.prompt.plane

    def body(
        self,
        settings: LanguageModelSettings,
        accepted: AcceptedParameters = ALL_PARAMETERS,
        problem: str = "",
    ) -> bytes:
        """Return the body of a request, in JSON without characters that a terminal interprets.

        Args:
            problem: problem of the previous answer; empty for the first request.
        """
        return request_body(f"wardround_{self.plane}", self.prompt, self.content, settings, accepted, problem)


def request_body(
    name: str,
    prompt: Prompt | PromptPart,
    content: object,
    settings: EndpointSettings,
    accepted: AcceptedParameters = ALL_PARAMETERS,
    problem: str = "",
    sampling: Sampling = MOST_PROBABLE,
) -> bytes:
    """Return the body of a request, in JSON without characters that a terminal interprets.

    Args:
        name: name of the output schema.
        content: the input, which is sent as one JSON document.
        problem: problem of the previous answer; empty for the first request.
    """
    correction = f"\n{_CORRECTION.format(problem=problem)}\n" if problem else ""
    schema_format = {
        "type": "json_schema",
        "json_schema": {"name": name, "strict": True, "schema": prompt.schema},
    }
    request = {
        "model": settings.model,
        "messages": [
            {"role": "system", "content": prompt.text + correction},
            {"role": "user", "content": msgspec.json.encode(content).decode()},
        ],
        **accepted.values(settings, schema_format, sampling),
    }
    return json_text(msgspec.json.format(msgspec.json.encode(request), indent=2)).encode()


def input_characters(settings: LanguageModelSettings, prompt: Prompt) -> int:
    """Return the characters for the input of a plane: the budget without the prompt and the schema."""
    fixed = len(prompt.text) + len(msgspec.json.encode(prompt.schema))
    return max(0, settings.input_tokens * CHARACTERS_PER_TOKEN - fixed)


def question(
    prompt: Prompt,
    candidates: Sequence[Candidate],
    description: Described,
    characters: int,
    unread: int = 0,
) -> Question:
    """Return the question of a plane; it has no hunks if none fits into the characters of the input.

    Args:
        unread: the number of hunks that are no candidates, since the change has too many files.
    """
    characters -= len(msgspec.json.encode(description))
    chosen = _choose_hunks(prompt.plane, candidates, characters)
    omitted = len(candidates) - len(chosen) + unread
    values = [ChosenHunk(candidate.hunk.as_input, candidate.is_test) for candidate in chosen]
    content = plane_input(prompt.plane, values, omitted, description)
    return Question(prompt, content, tuple(candidate.hunk for candidate in chosen), omitted)


def _choose_hunks(plane: Plane, candidates: Sequence[Candidate], characters: int) -> list[Candidate]:
    """The hunks that fit: source before tests, but for the tests plane half of the room is for tests."""
    first = [candidate for candidate in candidates if candidate.is_test is (plane is Plane.TESTS)]
    second = [candidate for candidate in candidates if candidate.is_test is not (plane is Plane.TESTS)]
    room = characters // 2 if plane is Plane.TESTS else characters
    used, rest = choose([candidate.hunk for candidate in first], room)
    others, _ = choose([candidate.hunk for candidate in second], characters - room + rest)
    retained = {id(hunk) for hunk in (*used, *others)}
    return [candidate for candidate in (*first, *second) if id(candidate.hunk) in retained]
