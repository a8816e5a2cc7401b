"""The analysis of a module by itself: run once for all checks and for the refutation of tools' findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import NamedTuple

from wardround.languages.python.module import PythonModule
from wardround.lazy import LazyPattern
from wardround_python.dataflow.analysis import ModuleFlow, project_modules
from wardround_python.dataflow.domain import Hit
from wardround_python.dataflow.modules import nothing
from wardround_python.dataflow.observers import Observers
from wardround_python.dataflow.value_recorder import Seen

_DOUBTED = LazyPattern(
    r"(?i)\bselect\b|\b(?:insert|replace|merge)\s+into\b|\bdelete\s+from\b|\bupdate\s+\S+\s+set\b|"
    r"\b(?:create|drop|alter|truncate)\s+table\b|shell|\bsystem\(|popen|\b(?:eval|exec)\("
)
"""Text in most modules for which a tool reports an injection."""
_WALKING = Lock()
"""Checks and the readers of tools run in parallel: the second waits for the analysis of the first."""


class AnalysedModule(NamedTuple):
    """An analysed module.

    Attributes:
        flow: the analysis; None once it was taken over.
        seen: the recorded expressions; None if none were recorded.
    """

    flow: ModuleFlow | None
    hits: Sequence[Hit]
    seen: Seen | None


def hits(module: PythonModule) -> Sequence[Hit]:
    """Return every sink of the module that tainted data reaches, in source order.

    Raises:
        RecursionError: the module is nested too deep.
    """
    with _WALKING:
        return _cached_walk(module).hits


def observe_module(module: PythonModule, read: Callable[[str], str | None] = nothing) -> Seen:
    """Return the expressions of a module with the values known from every analysis.

    Args:
        read: path -> the content of another file of the project, if values are followed into these.

    Raises:
        RecursionError: the module is nested too deep.
    """
    with _WALKING:
        if read is nothing and _is_doubted(module):
            return _cached_walk(module).seen or {}
        result = module.notes.get(observe_module)
        if not isinstance(result, _ProjectValues) or result.read != read:
            result = module.notes[observe_module] = _ProjectValues(read, _watch(module, read).seen or {})
        return result.seen


class _ProjectValues(NamedTuple):
    """The recorded values of an analysis that reads other modules."""

    read: Callable[[str], str | None]
    seen: Seen


def take_analysis(module: PythonModule) -> ModuleFlow | None:
    """Return the analysed module, once; None if there is none, or it was returned before."""
    with _WALKING:
        result = module.notes.get(AnalysedModule)
        if not isinstance(result, AnalysedModule):
            return None
        module.notes[AnalysedModule] = result._replace(flow=None)
        return result.flow


def _cached_walk(module: PythonModule) -> AnalysedModule:
    result = module.notes.get(AnalysedModule)
    if not isinstance(result, AnalysedModule):
        result = _watch(module) if _is_doubted(module) else _walk(module)
        module.notes[AnalysedModule] = result
    return result


def _is_doubted(module: PythonModule) -> bool:
    return _DOUBTED.search(module.text) is not None


def _walk(module: PythonModule) -> AnalysedModule:
    flow = ModuleFlow(module, project_modules())
    return AnalysedModule(flow, flow.run(), None)


def _watch(module: PythonModule, read: Callable[[str], str | None] = nothing) -> AnalysedModule:
    from wardround_python.dataflow.value_recorder import ValueRecorder  # few modules need it

    recorder = ValueRecorder()
    flow = ModuleFlow(module, project_modules(read), Observers(values=recorder))
    return AnalysedModule(flow, flow.run(), recorder.seen.copy())
