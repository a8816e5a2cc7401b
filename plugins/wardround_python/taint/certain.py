"""Whether a text a module builds is certain to be made of constants, whatever the functions are handed."""

from __future__ import annotations

import ast

from wardround.findings import Span
from wardround_python.constants import is_constant_text
from wardround_python.module import PythonModule
from wardround_python.taint.dangers import Value
from wardround_python.taint.flow import ModuleFlow
from wardround_python.taint.modules import Modules
from wardround_python.taint.statements import FunctionFlow


def is_known(path: str, text: str, span: Span) -> bool:
    """Whether what stands at a place of a file is certain to be a constant; not where it cannot be read."""
    try:
        module = PythonModule(path, text)
        node = next((one for one in module.nodes if _is_at(module, one, span)), None)
        return isinstance(node, ast.expr) and (
            is_constant_text(module, node, node) or is_certain(module, node)
        )
    except (SyntaxError, ValueError, RecursionError):
        return False


def _is_at(module: PythonModule, node: ast.AST, span: Span) -> bool:
    return isinstance(node, ast.expr) and node.lineno == span.line and module.span(node) == span


def is_certain(module: PythonModule, node: ast.expr) -> bool:
    """Whether every walk that comes by an expression knows each of its parts."""
    flow = _WatchingFlow(module, Modules())
    flow.watched, flow.seen = node, []
    flow.run()
    return bool(flow.seen) and all(flow.seen)


class _WatchingWalk(FunctionFlow):
    """A walk that notes whether one expression is made of constants."""

    def value(self, node: ast.expr) -> Value:
        answer = super().value(node)
        owner = self._owner
        if isinstance(owner, _WatchingFlow) and node is owner.watched:
            owner.seen.append(self._is_fixed(node))
        return answer

    def _is_fixed(self, node: ast.expr) -> bool:
        if self._exact(node) is not None:
            return True
        parts = _parts(node)
        if parts is None:
            return is_constant_text(self._module, node, node)
        return all(self._is_fixed(one) for one in parts)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """The expressions a text is put together of."""
    if isinstance(node, ast.BinOp):
        right = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return [node.left, *right]
    if isinstance(node, ast.JoinedStr):
        return [one.value if isinstance(one, ast.FormattedValue) else one for one in node.values]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return [node.func.value, *node.args, *(keyword.value for keyword in node.keywords)]
    return None


class _WatchingFlow(ModuleFlow):
    walker = _WatchingWalk
    watched: ast.expr
    seen: list[bool]
