"""PY446."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck

_GIVEN_ANYWAY = frozenset({"self", "cls", "args", "kwargs", "event", "context", "sender", "frame", "signum"})
_MEANT = LazyPattern(
    r"(?i)deprecat|unused|not used|no longer|ignored|backward|compat|noqa|ARG00|not supported"
    r"|any more|legacy|no-op"
)
_HOOKS = LazyPattern(r"__\w+__|visit_\w+|on_\w+|handle_\w+|\w*_?(?:hook|callback|handler|receiver|listener)")
_HANDED_ON = LazyPattern(
    r"overrid|receiver|\.(?:get|post|put|patch|delete|head|options|route|websocket|command|api_operation)\("
)
"""Decorators of what is called from outside: a route's signature says what a request may say."""


class ParameterNoLongerUsed(PythonCheck):
    """A function stopped reading a parameter that it still takes.

    Callers go on giving it and believe that it counts: the user whose rows alone were to be found, the limit,
    the order. Use it again, or take it out of the signature together with the callers.
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
        # what a request may say is part of the interface, and something else reads it
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
        self._told: set[str] = set()
        for was, now in rewritten(self.source, self.module):
            if not self._may_be_told_by_others(now):
                self._compare(was, now)

    def _compare(self, was: FunctionNode, now: FunctionNode) -> None:
        parameters = [one for one in _parameters(now) if one.arg not in _GIVEN_ANYWAY]
        read = _read(now)
        lost = [one for one in parameters if one.arg not in read and one.arg[0] != "_"]
        if not lost or _is_stub(now) or "locals" in read:
            return
        old = _read(was) & {one.arg for one in _parameters(was)}
        text = "\n".join(self.source.lines[now.lineno - 1 : now.end_lineno])
        for one in lost:
            if one.arg in old and one.arg not in self._told and not _MEANT.search(text):
                self._told.add(one.arg)
                self.report(
                    self.module.span(one),
                    f"{now.name}() still takes {one.arg}, and this change stopped using it",
                )

    def _may_be_told_by_others(self, node: FunctionNode) -> bool:
        """Whether somebody else says which parameters a function has: a base, a framework."""
        holder = self.module.class_of(node)
        if _HOOKS.fullmatch(node.name):
            return True
        return bool(holder and holder.bases) or any(
            _HANDED_ON.search(ast.unparse(one)) for one in node.decorator_list
        )


def _parameters(node: FunctionNode) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _read(node: FunctionNode) -> set[str]:
    """The names a function reads; one that is deleted is known to be of no use."""
    return {
        one.id
        for statement in node.body
        for one in walk(statement)
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    }


def _is_stub(node: FunctionNode) -> bool:
    """Whether a function says that it does nothing, or hands on what is fixed."""
    rest = [
        one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    ]
    if not rest:
        return True
    first = rest[0]
    return len(rest) == 1 and (
        isinstance(first, (ast.Pass, ast.Raise))
        or (isinstance(first, ast.Return) and (first.value is None or isinstance(first.value, ast.Constant)))
    )
