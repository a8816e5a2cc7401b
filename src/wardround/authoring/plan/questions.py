"""What the task leaves open, and a person should answer before a patch is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.definitions import definitions
from wardround.authoring.context.mentions import mentioned_names
from wardround.authoring.context.model import WriteContext
from wardround.authoring.plan.files import place_of
from wardround.change.encoding import escape_undecodable

_EXPECTATION = re.compile(
    r"(?i)\b(?:should|must|expect(?:ed|s)?|instead of|so that|returns?|raises?|no longer|even (?:if|when)"
    r"|when|unless|only if)\b"
)
_FEW_WORDS = 8
_MOST_DEFINING = 4
_MOST_NAMES = 5


def questions_of(context: WriteContext, code: BaseCode) -> tuple[str, ...]:
    """Return one question for each gap, those about names first."""
    return (*_questions_of_names(context, code), *_questions_of_place(context), *_questions_of_text(context))


def _questions_of_names(context: WriteContext, code: BaseCode) -> Iterator[str]:
    unknown = []
    for name in mentioned_names(context.task.text):
        defined = definitions(code, name)
        if len(defined) > 1:
            places = (f"{escape_undecodable(symbol.path)}:{symbol.line}" for symbol in defined)
            named = ", ".join(islice(places, _MOST_DEFINING))
            yield f"`{name}` is defined in {len(defined)} files ({named}): which one is meant?"
        elif not defined and not code.graph.files_defining(name) and not code.graph.uses_of(name):
            unknown.append(name)
    if unknown:
        named = ", ".join(f"`{name}`" for name in unknown[:_MOST_NAMES])
        verb = "occurs" if len(unknown) == 1 else "occur"
        yield f"{named} {verb} nowhere in the code: is it new, or named otherwise?"


def _questions_of_place(context: WriteContext) -> Iterator[str]:
    if not context.files:
        yield "no file shares a word with the task: where does the change belong?"
        return
    first = context.functions[:2]
    is_named = any(reason.startswith("the task names") for item in first for reason in item.reasons)
    if len(first) == 2 and first[0].pointer.path != first[1].pointer.path and not is_named:
        places = " or ".join(f"{place_of(item)} of {item.pointer.path}" for item in first)
        yield f"the task names no place, and the first candidates are in different files: {places}?"


def _questions_of_text(context: WriteContext) -> Iterator[str]:
    task = context.task
    if not task.kind.kind:
        yield "the task does not state its kind: is it a defect, a new behaviour, or neither?"
    if not task.criteria and not _EXPECTATION.search(task.text):
        yield "the task states no acceptance criteria and no expected result: which test decides?"
    if len(task.text.split()) < _FEW_WORDS:
        yield "the task is very short: which input shows it, and what is the result today?"
