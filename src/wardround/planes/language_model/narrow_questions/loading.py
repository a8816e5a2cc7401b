"""The questions that ship with the rules, one file for each specialist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from wardround.errors import WardroundError
from wardround.planes.language_model.narrow_questions.model import NarrowQuestion, QuestionFile
from wardround.planes.language_model.narrow_questions.shapes import SHAPES
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.yaml_loader import load_yaml

FOLDER = "questions"


@cache
def narrow_questions() -> tuple[NarrowQuestion, ...]:
    """Return all questions that ship with the rules, by file.

    Raises:
        WardroundError: the package is incomplete.
    """
    return read_questions(package_folder(RULES_PACKAGE) / FOLDER)


def read_questions(folder: Path) -> tuple[NarrowQuestion, ...]:
    """Return the questions in a folder; the name of a file is that of the specialist.

    Raises:
        WardroundError: a file is not valid, or two questions have the same id.
    """
    found = tuple(question for file in sorted(folder.glob("*.yml")) for question in _read(file))
    ids = [question.id for question in found]
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    if repeated:
        raise WardroundError(f"{folder}: several questions have the id {', '.join(repeated)}; rename one")
    return found


def _read(file: Path) -> list[NarrowQuestion]:
    try:
        content = msgspec.convert(load_yaml(file.read_text("utf-8")), QuestionFile)
        for question in content.questions:
            _require_known_references(question)
        re.compile(content.scope.elsewhere if content.scope else "")
    except (OSError, ValueError, re.error) as cause:
        raise WardroundError(f"{file.parent.name}/{file.name} has no valid questions: {cause}") from cause
    return [replace(question, specialist=file.stem, scope=content.scope) for question in content.questions]


def _require_known_references(question: NarrowQuestion) -> None:
    """Reject a question that names its specialist, an unknown shape, or an invalid pattern."""
    if question.specialist:
        raise ValueError(f"{question.id}: the name of the file is the specialist; remove the key specialist")
    for condition in question.when:
        if condition.shape and condition.shape not in SHAPES:
            raise ValueError(f"{question.id}: unknown shape {condition.shape!r}; use {', '.join(SHAPES)}")
        for pattern in (condition.added, condition.removed, condition.around):
            re.compile(pattern)
