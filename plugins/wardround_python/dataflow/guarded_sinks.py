"""Places that data from outside reaches only past a guard, for findings of tools that know fewer guards."""

from __future__ import annotations

import ast

from wardround.findings import Span
from wardround.languages.python.cache import parsed
from wardround.languages.python.module import PythonModule
from wardround_python.dataflow.analysis import ModuleFlow
from wardround_python.dataflow.check import may_ask
from wardround_python.dataflow.domain import SinkKind, Value
from wardround_python.dataflow.module_analysis import hits
from wardround_python.dataflow.modules import Modules
from wardround_python.dataflow.scope import Clears
from wardround_python.dataflow.statements import FunctionFlow


class UnguardedWalk(FunctionFlow):
    """A walk for which no test tells anything, and that notes which places data from outside reaches."""

    def _clear(self, cleared: Clears) -> None:
        pass

    def _reach(self, danger: SinkKind, node: ast.expr, value: Value) -> None:
        super()._reach(danger, node, value)
        if value and isinstance(self._owner, UnguardedFlow):
            self._owner.reached.append((danger, node))


class UnguardedFlow(ModuleFlow):
    """The functions of a module without their guards.

    Attributes:
        reached: the places that data from outside reaches, in whatever form, each with its danger.
    """

    walker = UnguardedWalk

    def __init__(self, module: PythonModule, modules: Modules) -> None:
        super().__init__(module, modules)
        self.reached: list[tuple[SinkKind, ast.expr]] = []


def is_guarded(path: str, text: str, danger: SinkKind, span: Span) -> bool:
    """Return True if data from outside comes to a place, and a guard or its form keeps it harmless there.

    False for a place that the walk does not come to: nothing is known of it.
    """
    if not may_ask(text):
        return False
    try:
        module = parsed(path, text)
        if any(_is_at(module, hit.node, span) for hit in hits(module) if hit.kind & danger):
            return False
        flow = UnguardedFlow(module, Modules())
        flow.run()
    except (SyntaxError, ValueError, RecursionError):
        return False
    return any(_is_at(module, node, span) for reached, node in flow.reached if reached & danger)


def _is_at(module: PythonModule, node: ast.expr, span: Span) -> bool:
    found = module.span(node)
    return (found.line, found.column) == (span.line, span.column)
