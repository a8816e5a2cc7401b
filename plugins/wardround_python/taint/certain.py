"""Whether a text a module builds is certain to be made of constants, whatever the functions are handed."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

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
        module = _module(path, text)
        nodes = (one for one in module.expressions_on.get(span.line, ()) if module.span(one) == span)
        return any(is_constant_text(module, one, one) or is_certain(module, one) for one in nodes)
    except (SyntaxError, ValueError, RecursionError):
        return False


@lru_cache(maxsize=2)
def _module(path: str, text: str) -> PythonModule:
    return PythonModule(path, text)


def is_certain(module: PythonModule, node: ast.expr) -> bool:
    """Whether every walk that comes by an expression knows each of its parts."""
    known = _known(module)
    return node in known and _is_fixed(module, node, known)


@lru_cache(maxsize=2)
def _known(module: PythonModule) -> Mapping[ast.expr, bool]:
    """The expressions that walks through a module come by, and whether each of them knew the value."""
    flow = _WatchingFlow(module, Modules())
    flow.known = {}
    flow.run()
    return flow.known


def _is_fixed(module: PythonModule, node: ast.expr, known: Mapping[ast.expr, bool]) -> bool:
    if known.get(node):
        return True
    parts = _parts(node)
    if parts is None:
        return is_constant_text(module, node, node)
    return all(_is_fixed(module, one, known) for one in parts)


class _WatchingWalk(FunctionFlow):
    """A walk that notes of every expression whether its value was known."""

    def value(self, node: ast.expr) -> Value:
        answer = super().value(node)
        owner = self._owner
        if isinstance(owner, _WatchingFlow):
            for one in (node, *(_parts(node) or ())):
                owner.known[one] = owner.known.get(one, True) and self._exact(one) is not None
        return answer


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
    known: dict[ast.expr, bool]
