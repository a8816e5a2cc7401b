"""The localization of ``wardround write`` as a stage, and its pointers as text."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence

from wardround.authoring.context.assembly import ContextRequest, build_context
from wardround.authoring.context.base_code import with_base_code
from wardround.authoring.context.base_tree import BaseTree
from wardround.authoring.context.budget import CHARACTERS_PER_TOKEN, Span, TextBudget
from wardround.authoring.context.model import DEFAULT_TOKENS, WriteContext
from wardround.authoring.context.redacted_tree import RedactedTree
from wardround.authoring.context.suspects import Suspect
from wardround.authoring.instance import Instance, InstanceSource
from wardround.authoring.stages import CodePointer, LocalizationResult
from wardround.authoring.task import Task, task_of_text, task_of_ticket
from wardround.change.repository import Repository


class WordLocalization:
    """Locates code by the words and names of a task, the history, the code graph, and failing tests.

    Args:
        suspects: instance id -> functions that its failing tests point at, the most suspicious first.
    """

    def __init__(
        self,
        source: InstanceSource,
        suspects: Mapping[str, Sequence[Suspect]] | None = None,
        tokens: int = DEFAULT_TOKENS,
    ) -> None:
        self._source = source
        self._suspects = suspects or {}
        self._tokens = tokens
        self._lock = threading.Lock()

    async def run(self, instance_id: str) -> LocalizationResult:
        """Return the pointers of an instance; see ``Localization``."""
        return localization_of(await asyncio.to_thread(self._context, instance_id))

    def _context(self, instance_id: str) -> WriteContext:
        instance = self._source.instance(instance_id)
        request = ContextRequest(
            instance, task_of(instance), self._tokens, tuple(self._suspects.get(instance_id, ()))
        )
        with self._lock:  # instances of one repository share the process that reads its objects
            repository = self._source.repository(instance_id)
            return with_base_code(repository, instance.base, lambda code: build_context(code, request))


def task_of(instance: Instance) -> Task:
    """Return the task of an instance; that of its failing tests if it has no words."""
    if instance.ticket is not None:
        return task_of_ticket(instance.ticket)
    return task_of_text(instance.text or " ".join(instance.failing_tests))


def localization_of(context: WriteContext) -> LocalizationResult:
    """Return a context as the result of a stage."""
    return LocalizationResult(
        context.pointers,
        {
            "author": "words",
            "digest": context.digest,
            "kind": context.task.kind.kind,
            "tokens": context.tokens.used,
        },
    )


def text_of_pointers(
    repository: Repository, commit: str, pointers: Sequence[CodePointer], tokens: int = DEFAULT_TOKENS
) -> str:
    """Return the lines of pointers as text without secrets: those that fit, the first ones first."""
    shown = RedactedTree(BaseTree(repository, commit))
    budget = TextBudget(shown, "Code", tokens * CHARACTERS_PER_TOKEN)
    budget.add([Span(at.path, at.first_line, at.last_line, at.symbol) for at in pointers])
    return budget.text()
