"""The walk through a module by itself: made once, for every check and for all who doubt what tools say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import PythonModule
from wardround_python.dataflow.analysis import ModuleFlow
from wardround_python.dataflow.domain import Hit
from wardround_python.dataflow.modules import Modules, nothing
from wardround_python.dataflow.observers import Observers
from wardround_python.dataflow.value_recorder import Seen

_DOUBTED = LazyPattern(
    r"(?i)\bselect\b|\b(?:insert|replace|merge)\s+into\b|\bdelete\s+from\b|\bupdate\s+\S+\s+set\b|"
    r"\b(?:create|drop|alter|truncate)\s+table\b|shell|\bsystem\(|popen|\b(?:eval|exec)\("
)
"""What stands in most modules of which a tool says that a text in them is open to others' values."""
_WALKING = Lock()
"""Checks and the readers of tools run side by side: who comes second waits for the walk of the first."""


class Walked(NamedTuple):
    """A module after its walk.

    Attributes:
        flow: what made the walk; None once somebody took it.
        seen: the expressions that were come by; None if these were not noted.
    """

    flow: ModuleFlow | None
    hits: Sequence[Hit]
    seen: Seen | None


def hits(module: PythonModule) -> Sequence[Hit]:
    """Every place of the module that data from outside reaches, in source order.

    Raises:
        RecursionError: it is nested past what the interpreter can walk.
    """
    with _WALKING:
        return _walked(module).hits


def seen(module: PythonModule, read: Callable[[str], str | None] = nothing) -> Seen:
    """The expressions that walks through a module come by, with what each of the walks knew of them.

    Args:
        read: path -> the text of another file of the project, where the walk may follow values into these.

    Raises:
        RecursionError: it is nested past what the interpreter can walk.
    """
    with _WALKING:
        if read is nothing and _is_doubted(module):
            return _walked(module).seen or {}
        found = module.notes.get(seen)
        if not isinstance(found, _Beside) or found.read != read:
            found = module.notes[seen] = _Beside(read, _watch(module, read).seen or {})
        return found.seen


class _Beside(NamedTuple):
    """What was seen on a walk of its own."""

    read: Callable[[str], str | None]
    seen: Seen


def taken(module: PythonModule) -> ModuleFlow | None:
    """What made the walk through a module, for one who goes on with it; None if none was made, or taken."""
    with _WALKING:
        found = module.notes.get(Walked)
        if not isinstance(found, Walked):
            return None
        module.notes[Walked] = found._replace(flow=None)
        return found.flow


def _walked(module: PythonModule) -> Walked:
    found = module.notes.get(Walked)
    if not isinstance(found, Walked):
        found = _watch(module) if _is_doubted(module) else _walk(module)
        module.notes[Walked] = found
    return found


def _is_doubted(module: PythonModule) -> bool:
    return _DOUBTED.search(module.text) is not None


def _walk(module: PythonModule) -> Walked:
    flow = ModuleFlow(module, Modules())
    return Walked(flow, flow.run(), None)


def _watch(module: PythonModule, read: Callable[[str], str | None] = nothing) -> Walked:
    from wardround_python.dataflow.value_recorder import ValueRecorder  # few modules are doubted

    recorder = ValueRecorder()
    flow = ModuleFlow(module, Modules(read), Observers(values=recorder))
    return Walked(flow, flow.run(), recorder.seen.copy())
