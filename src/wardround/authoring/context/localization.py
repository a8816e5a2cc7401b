"""The results of localizations: of a context, and the ready text of pointers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import CHARACTERS_PER_TOKEN, Span, TextBudget
from wardround.authoring.context.model import WriteContext, pointer
from wardround.authoring.context.redacted_tree import RedactedTree
from wardround.authoring.instance import Instance
from wardround.authoring.stages import LocalizationResult, Value
from wardround.authoring.task import Task, task_of_text, task_of_ticket
from wardround.change.repository import Repository


def task_of(instance: Instance) -> Task:
    """Return the task of an instance; that of its failing tests if it has no words."""
    if instance.ticket is not None:
        return task_of_ticket(instance.ticket)
    return task_of_text(instance.text or " ".join(instance.failing_tests))


def localization_of(context: WriteContext, metadata: Mapping[str, Value]) -> LocalizationResult:
    """Return a context as the result of a stage."""
    return LocalizationResult(
        context.text,
        {**metadata, "digest": context.digest},
        tuple(dict.fromkeys(context.pointers)),
        context.shown,
    )


def with_text(
    repository: Repository, commit: str, result: LocalizationResult, tokens: int
) -> LocalizationResult:
    """Return a result with a ready text: that of its pointers that fit, the first ones first.

    A result that has one is returned as it is. The text is without secrets.
    """
    if isinstance(result.content, str):
        return result
    tree = BaseTree(repository, commit)
    budget = TextBudget(RedactedTree(tree), "Code", tokens * CHARACTERS_PER_TOKEN)
    spans = (Span(at.path, at.first_line, at.last_line, at.symbol) for at in result.content)
    budget.add([span for span in spans if span.path in tree.blobs])
    shown = (chosen.lines for chosen in budget.chosen)
    return replace(
        result,
        content=budget.text(),
        code=result.content,
        shown=tuple(
            pointer(span.path, span.first_line, span.last_line, span.symbol, tree.blobs[span.path])
            for span in shown
        ),
    )
