"""Sinks that tainted data reaches only behind a guard, for findings of tools that know fewer guards."""

from __future__ import annotations

import ast

from wardround.findings import Span
from wardround.languages.python.cache import cached_module
from wardround.languages.python.module import PythonModule
from wardround_python.dataflow.analysis import ModuleFlow, project_modules
from wardround_python.dataflow.check import may_have_source
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.module_analysis import hits
from wardround_python.dataflow.observers import Observers


class ReachedSinks:
    """Collects the sinks that tainted data reaches, each with its kind."""

    def __init__(self) -> None:
        self.reached: list[tuple[SinkKind, ast.expr]] = []

    def sink_reached(self, kind: SinkKind, node: ast.expr) -> None:
        """Collect one sink."""
        self.reached.append((kind, node))


def is_guarded(path: str, text: str, kind: SinkKind, span: Span) -> bool:
    """Return True if tainted data flows to a sink, and only a guard or a sanitizer makes it harmless.

    False for an expression that the analysis does not reach.
    """
    if not may_have_source(text):
        return False
    try:
        module = cached_module(path, text)
        if any(_is_at(module, hit.node, span) for hit in hits(module) if hit.kind & kind):
            return False
        reached = _unguarded_sinks(module)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return any(_is_at(module, node, span) for each, node in reached if each & kind)


def _unguarded_sinks(module: PythonModule) -> list[tuple[SinkKind, ast.expr]]:
    sinks = ReachedSinks()
    ModuleFlow(module, project_modules(), Observers(sinks=sinks, ignores_guards=True)).run()
    return sinks.reached


def _is_at(module: PythonModule, node: ast.expr, span: Span) -> bool:
    result = module.span(node)
    return (result.line, result.column) == (span.line, span.column)
