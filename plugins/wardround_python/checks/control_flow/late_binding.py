from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain

from wardround.findings import Span, SuggestedFix
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
# Keywords and methods whose callable runs after the loop has advanced.
_LATER_KEYWORD = LazyPattern(
    r"command|callback|cb|on_\w+|\w*handler|target|action|listener|errback|slot|hook|fn|func"
)
_LATER_METHOD = LazyPattern(
    r"append|appendleft|insert|put|connect|bind|after|after_idle|call_later|call_soon\w*|call_at|call_after\w*"
    r"|add_\w*(callback|listener|handler|job|task|command|route|url_rule|signal_handler)|add_done_callback|on"
    r"|subscribe|register\w*|schedule|enter|submit|setdefault|defer|enqueue|add_command|add_action|Timer|Thread"
    r"|partialmethod|addCleanup|push|callback|observe|once|listen|set_\w*(callback|handler)"
)


class LateBinding(PythonCheck):
    """A function defined in a loop reads the loop variable when it is called.

    It is stored and called after the loop has advanced, so every such function sees the last value. Bind
    the value as a default (``lambda item=item: ...``) or with ``functools.partial``.
    """

    ID = "PY022"
    NAME = "late-binding"
    PREFILTER = "wardround_python.prefilters:makes_functions_in_loops"
    WORDS = ("for ",)
    DEFECT_CLASS = "late-binding-loop"
    VALID = [
        code("""
            for n in names:
                buttons.append(lambda n=n: press(n))
        """),
        code("""
            for rows in tables:
                best = max(rows, key=lambda row: distance(row, rows[0]))
        """),
    ]
    INVALID = [
        code(
            """
            for n in names:
                buttons.append(«lambda: press(n)»)
            """,
            fixed="""
            for n in names:
                buttons.append(lambda n=n: press(n))
            """,
        ),
        code("""
            for k, v in pairs:
                button(text=k, command=«lambda: press(v)»)
        """),
    ]

    def visit_Lambda(self, node: ast.Lambda) -> None:
        if self._is_stored(node):
            self._check(node, self.module.span(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_inner(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_inner(node)

    def _check_inner(self, node: FunctionNode) -> None:
        loop = self._loop_of(node)
        if not isinstance(loop, (ast.For, ast.AsyncFor)):
            return
        uses = [n for n in walk(loop) if isinstance(n, ast.Name) and n.id == node.name]
        if any(self._is_stored(use) for use in uses):
            self._check(node, self.module.name_span(node))

    def _check(self, node: _Function, span: Span) -> None:
        loop = self._loop_of(node)
        if loop is None or _ends_after_creation(self.module.ancestors(node), loop, node):
            return
        rebound = _rebound_names(loop)
        free = sorted(_free_names(node) & rebound)
        if free:
            message = f'"{free[0]}" has the last value of the loop when this is called; bind it as a default'
            self.report(span, message, self._binding_fix(node, free))

    def _binding_fix(self, node: _Function, names: Sequence[str]) -> SuggestedFix | None:
        """Return the fix; a caller that passes more arguments than before makes it unsafe."""
        if not isinstance(node, ast.Lambda):
            return None
        return self.fix(
            node, lambda rewrite: rewrite.with_defaults(node, names), "bind the value as a default"
        )

    def _loop_of(
        self, node: ast.AST
    ) -> ast.For | ast.AsyncFor | ast.ListComp | ast.DictComp | ast.SetComp | None:
        """Return the innermost loop that contains a function, within the enclosing function."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                return None
            if isinstance(parent, (ast.For, ast.AsyncFor, ast.ListComp, ast.DictComp, ast.SetComp)):
                return parent
        return None

    def _is_stored(self, node: ast.AST) -> bool:
        """Return True if a function is stored for a later call."""
        parent = self.module.parents[node]
        while isinstance(parent, (ast.Tuple, ast.List)):
            node, parent = parent, self.module.parents[parent]
        if isinstance(parent, ast.keyword):
            return parent.arg is not None and _LATER_KEYWORD.fullmatch(parent.arg) is not None
        if isinstance(parent, ast.Call) and node in parent.args:
            name = (
                parent.func.attr if isinstance(parent.func, ast.Attribute) else getattr(parent.func, "id", "")
            )
            return _LATER_METHOD.fullmatch(name) is not None
        if isinstance(parent, ast.Assign):
            return isinstance(parent.targets[0], (ast.Subscript, ast.Attribute))
        if isinstance(parent, ast.DictComp):
            return parent.value is node
        return isinstance(parent, (ast.ListComp, ast.SetComp)) and parent.elt is node


def _rebound_names(loop: ast.AST) -> set[str]:
    """Return the names that each iteration of a loop rebinds."""
    names = (node for target in _targets(loop) for node in walk(target) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _targets(loop: ast.AST) -> Iterator[ast.expr]:
    """Yield the targets of a comprehension, or of a loop and of the assignments directly in it."""
    if isinstance(loop, (ast.ListComp, ast.DictComp, ast.SetComp)):
        yield from (generator.target for generator in loop.generators)
        return
    assert isinstance(loop, (ast.For, ast.AsyncFor))
    yield loop.target
    for statement in loop.body:
        if isinstance(statement, ast.Assign):
            yield from statement.targets


def _free_names(node: _Function) -> set[str]:
    """Return the names a function's body reads without binding them."""
    body = node.body if isinstance(node.body, list) else [node.body]
    inside = list(chain.from_iterable(map(walk, body)))
    names = [n for n in inside if isinstance(n, ast.Name)]
    bound = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in (*_parameters(node.args), *inside) if isinstance(n, ast.arg)}
    return {n.id for n in names} - bound


def _parameters(arguments: ast.arguments) -> list[ast.arg | None]:
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [*plain, arguments.vararg, arguments.kwarg]


def _ends_after_creation(ancestors: Iterator[ast.AST], loop: ast.AST, node: ast.AST) -> bool:
    """Return True if the loop ends directly after the function is created, so that its value does not
    change.
    """
    child = node
    for parent in ancestors:
        body = getattr(parent, "body", None)
        if isinstance(body, list) and child in body:
            last = body[-1]
            if isinstance(last, (ast.Break, ast.Return, ast.Raise)):
                return True
        if isinstance(parent, ast.Return) or parent is loop:
            return isinstance(parent, ast.Return)
        child = parent
    return False
