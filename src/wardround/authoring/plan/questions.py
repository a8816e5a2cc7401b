"""What the task leaves open, and a person should answer before a patch is written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.authoring.context.base_code import BaseCode
from wardround.authoring.context.mentions import mentioned_names
from wardround.authoring.context.model import WriteContext
from wardround.change.encoding import escape_undecodable
from wardround.context.code_graph.model import SymbolKind

_EXPECTATION = re.compile(
    r"(?i)\b(?:should|must|expect(?:ed|s)?|instead of|so that|returns?|raises?|no longer|even (?:if|when)"
    r"|when|unless|only if)\b"
)
_FEW_WORDS = 8
_MOST_DEFINING = 4
_MOST_NAMES = 5
_DEFINITIONS = frozenset({SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.COMPONENT})


def questions_of(context: WriteContext, code: BaseCode) -> tuple[str, ...]:
    """Return one question for each gap, those about names first."""
    return (*_questions_of_names(context, code), *_questions_of_place(context), *_questions_of_text(context))


def _questions_of_names(context: WriteContext, code: BaseCode) -> Iterator[str]:
    unknown = []
    for name in mentioned_names(context.task.text):
        files = [path for path in code.graph.files_defining(name) if path in code.tree.source_set]
        defined = [
            f"{escape_undecodable(path)}:{symbol.line}"
            for path in files[:_MOST_DEFINING]
            for symbol in code.graph.symbols_in(path)
            if symbol.own_name == name and symbol.kind in _DEFINITIONS
        ]
        if len(defined) > 1 and len(files) > 1:
            yield f"`{name}` is defined in several files ({', '.join(defined[:_MOST_DEFINING])}): which one is meant?"
        elif not files and not code.graph.uses_of(name):
            unknown.append(name)
    if unknown:
        named = ", ".join(f"`{name}`" for name in unknown[:_MOST_NAMES])
        yield f"{named} {'occurs' if len(unknown) == 1 else 'occur'} nowhere in the code: is it new, or named otherwise?"


def _questions_of_place(context: WriteContext) -> Iterator[str]:
    if not context.files:
        yield "no file shares a word with the task: where does the change belong?"
        return
    first = context.functions[:2]
    is_named = any(reason.startswith("the task names") for item in first for reason in item.reasons)
    if len(first) == 2 and first[0].pointer.path != first[1].pointer.path and not is_named:
        places = " or ".join(
            f"`{item.pointer.symbol or 'the module'}` in {item.pointer.path}" for item in first
        )
        yield f"the task names no place, and the first candidates are in different files: {places}?"


def _questions_of_text(context: WriteContext) -> Iterator[str]:
    task = context.task
    if not task.kind.kind:
        yield "the task does not state its kind: is it a defect, a new behaviour, or a change without new behaviour?"
    if not task.criteria and not _EXPECTATION.search(task.text):
        yield "the task has no acceptance criteria, and states no expected result: which test decides that it is done?"
    if len(task.text.split()) < _FEW_WORDS:
        yield "the task is very short: which input shows it, and what is the result today?"
