"""Narrow questions as a part of the question of a plane: its prompt, its schema and its input."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from wardround.context.canonical import content_id
from wardround.planes.language_model.narrow_questions.placed import RoutedQuestions
from wardround.planes.language_model.prompts import Prompt, PromptPart, load_part
from wardround.planes.language_model.question import Question


def characters_of(routed: RoutedQuestions) -> int:
    """Return the characters that questions add to a request."""
    if not routed.placed:
        return 0
    part = _question_part()
    fixed = len(part.text) + len(msgspec.json.encode(part.schema))
    return fixed + len(msgspec.json.encode(routed.as_input))


def attach_questions(question: Question, routed: RoutedQuestions) -> Question:
    """Return the question of a plane with those about lines that it sends."""
    sent = {
        (hunk.path, line)
        for hunk in question.hunks
        for line in (*hunk.added, *(removed.next for removed in hunk.removed))
    }
    chosen = routed.about(sent)
    if not chosen.placed:
        return replace(question, narrow=chosen)
    content = replace(question.content, questions=chosen.as_input)
    return replace(question, prompt=_add_part(question.prompt), content=content, narrow=chosen)


def _add_part(prompt: Prompt) -> Prompt:
    part = _question_part()
    digest = content_id("\0".join((prompt.digest, part.digest)).encode())
    return Prompt(prompt.plane, f"{prompt.text}\n{part.text}", _schema(prompt, part), digest)


def _schema(prompt: Prompt, part: PromptPart) -> dict[str, Any]:
    schema = prompt.schema
    return {
        **schema,
        "required": [*schema["required"], "answers"],
        "properties": {**schema["properties"], "answers": part.schema},
    }


@cache
def _question_part() -> PromptPart:
    return load_part("questions")
