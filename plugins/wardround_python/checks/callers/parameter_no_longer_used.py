from __future__ import annotations

import ast

from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.changed_functions import rewritten_functions
from wardround_python.check import PythonCheck

_CONVENTIONAL = frozenset(
    {"self", "cls", "args", "kwargs", "event", "context", "ctx", "request", "sender", "frame", "signum"}
)
_INTENDED = LazyPattern(
    r"(?i)deprecat|unused|not used|no longer|ignored|backward|compat|noqa|ARG00|not supported"
    r"|any more|legacy|no-op"
)
_HOOKS = LazyPattern(r"__\w+__|visit_\w+|on_\w+|handle_\w+|\w*_?(?:hook|callback|handler|receiver|listener)")
_CALLED_BY_FRAMEWORK = LazyPattern(
    r"overrid|receiver|\bfixture\b|\.(?:get|post|put|patch|delete|head|options|route|websocket|command|api_operation)\("
)
"""Decorators of functions that a framework calls: a route's signature declares the request's parameters, and
a fixture's signature the fixtures that run before it.
"""


class ParameterNoLongerUsed(PythonCheck):
    """A change stops using a parameter that the function still accepts.

    Callers keep passing it and expect it to have an effect: the user whose rows are selected, the limit,
    the order. Use it again, or remove it from the signature and from the calls.
    """

    ID = "PY446"
    NAME = "parameter-no-longer-used"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "ignored-argument"
    VALID = [
        code(
            """
            def tags(names, user):
                rows = Tag.all(user)
                return matching(names, rows)
            """,
            base="""
            def tags(names, user):
                rows = visible(user, Tag)
                return matching(names, rows)
            """,
        ),
        # the request's schema is part of the interface and is read elsewhere
        code(
            """
            @router.get('/tags')
            def tags(names, form: str = Query('')):
                return matching(names)
            """,
            base="""
            @router.get('/tags')
            def tags(names, form: str = Query('')):
                return matching(shaped(names, form))
            """,
        ),
    ]
    INVALID = [
        code(
            """
            def tags(names, «user»):
                rows = Tag.all()
                return matching(names, rows)
            """,
            base="""
            def tags(names, user):
                rows = visible(user, Tag)
                return matching(names, rows)
            """,
        ),
        code(
            """
            class Box:
                def load(self, key, *, «timeout»=3):
                    return fetch(key)
            """,
            base="""
            class Box:
                def load(self, key, *, timeout=3):
                    return fetch(key, timeout)
            """,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        self._reported: set[str] = set()
        for before, after in rewritten_functions(self.source, self.module):
            if not self._has_fixed_signature(after):
                self._compare(before, after)

    def _compare(self, before: FunctionNode, after: FunctionNode) -> None:
        read = _read(after)
        lost = [parameter for parameter in _parameters(after) if _may_be_lost(parameter.arg, read)]
        if not lost or _is_stub(after) or "locals" in read or self._is_intended(after):
            return
        old = _read(before) & {parameter.arg for parameter in _parameters(before)}
        for parameter in lost:
            if parameter.arg in old - self._reported:
                self._reported.add(parameter.arg)
                self.report(
                    self.module.span(parameter),
                    f"parameter {parameter.arg} of {after.name}() is unused since this change; "
                    "use it or remove it",
                )

    def _is_intended(self, function: FunctionNode) -> bool:
        text = "\n".join(self.source.lines[function.lineno - 1 : function.end_lineno])
        return _INTENDED.search(text) is not None

    def _has_fixed_signature(self, node: FunctionNode) -> bool:
        """Return True if a base class or a framework determines the parameters."""
        owner = self.module.class_of(node)
        if _HOOKS.fullmatch(node.name):
            return True
        return bool(owner and owner.bases) or any(
            _CALLED_BY_FRAMEWORK.search(unparse(decorator)) for decorator in node.decorator_list
        )


def _parameters(node: FunctionNode) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _read(node: FunctionNode) -> set[str]:
    """Return the names that a function reads; a deleted name counts as read, since it is unused
    intentionally.
    """
    return {
        child.id
        for statement in node.body
        for child in walk(statement)
        if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Store)
    }


def _is_stub(node: FunctionNode) -> bool:
    """Return True if a function does nothing, or only returns a constant or raises."""
    statements = [
        statement
        for statement in node.body
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]
    if not statements:
        return True
    first = statements[0]
    return len(statements) == 1 and (
        isinstance(first, (ast.Pass, ast.Raise))
        or (isinstance(first, ast.Return) and (first.value is None or isinstance(first.value, ast.Constant)))
    )


def _may_be_lost(name: str, read: set[str]) -> bool:
    return name not in _CONVENTIONAL and name not in read and name[0] != "_"
