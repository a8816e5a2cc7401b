"""The gaps of a task that a person should fill before a patch is written."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.definitions import definitions
from wardround.authoring.context.mentions import mentioned_names
from wardround.authoring.context.model import WriteContext
from wardround.authoring.plan.files import is_named, place_of
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.model import Symbol
from wardround.lazy import LazyPattern

_EXPECTATION = LazyPattern(
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
    names = mentioned_names(context.task.text)
    for name in names:
        defined = definitions(code, name)
        if len(defined) > 1:
            places = ", ".join(map(_place_of_symbol, defined[:_MOST_DEFINING]))
            yield f"`{name}` is defined in {len(defined)} files ({places}): which one is meant?"
    unknown = [name for name in names if _is_unknown(code.graph, name)]
    if unknown:
        quoted = ", ".join(f"`{name}`" for name in unknown[:_MOST_NAMES])
        yield f"the code has no {quoted}: is it new, or named otherwise?"


def _place_of_symbol(symbol: Symbol) -> str:
    return f"{escape_undecodable(symbol.path)}:{symbol.line}"


def _is_unknown(graph: CodeGraph, name: str) -> bool:
    return not graph.files_defining(name) and not graph.uses_of(name)


def _questions_of_place(context: WriteContext) -> Iterator[str]:
    if not context.files:
        yield "no file shares a word with the task: where does the change belong?"
    first = context.functions[:2]
    if len({item.pointer.path for item in first}) > 1 and not any(map(is_named, first)):
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
