from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, last_name, names_in, statements_in
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.semantics.semdiff.guards import KINDS
from wardround_python.analysis.changed_functions import rewritten_functions
from wardround_python.check import PythonCheck

_WHOSE = LazyPattern(
    r"(?i)(?:^|[._ (])(?:\w+_)?(?:user|owner|org(?:anization)?|tenant|team|group|household|account|project"
    r"|workspace|customer|company|author|member)(?:_?id|s)?\b"
)
"""Owners and users; a condition that compares two of them checks the ownership."""
_ENDS = frozenset({"abort", "fail", "error", "exit"})


class RemovedPermissionCheck(PythonCheck):
    """A permission check was removed, and the code after it runs for every caller.

    The function checked that something belongs to the caller, or that the caller has a permission. No line of
    the function checks it now. Restore the check, or name its replacement in the commit message.
    """

    ID = "PY453"
    NAME = "removed-permission-check"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authorization"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    VALID = [
        code(
            """
            def rename(self, box, name):
                if box.group != self.group:
                    raise Refused(box)
                box.name = name.strip()
                box.save()
            """,
            base="""
            def rename(self, box, name):
                if box.group != self.group:
                    raise Refused(box)
                box.name = name
                box.save()
            """,
        ),
        code(
            """
            def rename(other, box, name):
                box.name = name.strip()
                box.save()
            """,
            base="""
            def rename(other, box, name):
                box.name = name
            """,
        ),
    ]
    INVALID = [
        code(
            """
            def rename(self, box, name):
                «b»ox.name = name.strip()
                box.save()
            """,
            base="""
            def rename(self, box, name):
                if box.group != self.group:
                    raise Refused(box)
                box.name = name
                box.save()
            """,
        ),
        code(
            """
            def rename(self, box, name):
                «b»ox.name = name
                box.save()
            """,
            base="""
            def rename(self, box, name):
                if box.group != self.group:
                    raise Refused(box)
                box.name = name
                box.save()
            """,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for previous, current in rewritten_functions(self.source, self.module):
            if len(current.decorator_list) <= len(previous.decorator_list):
                self._compare(previous, current)

    def _compare(self, was: FunctionNode, now: FunctionNode) -> None:
        if _exits(now) >= _exits(was) or _new_calls(was, now):
            return
        for guard, after in _guards(was.body):
            if not self._is_removed(guard, now):
                continue
            asked = names_in(guard.test) - {"self", "cls"}
            later = {name for statement in after for name in names_in(statement)}
            place = _first_remaining(after, now)
            if place is not None and asked and asked <= later & names_in(now):
                description = unparse(guard.test)[:80]
                self.report(
                    self.module.keyword_span(place, 1),
                    f"{now.name}() rejected this before if {description}, and nothing checks it now",
                )
                return

    def _is_removed(self, guard: ast.If, now: FunctionNode) -> bool:
        """Return True if the function no longer has a check of permissions, nor its error."""
        if not _checks_permission(guard):
            return False
        text, reason = unparse(now), unparse(guard.body[-1])
        if unparse(guard.test) in text or reason in text:
            return False
        return reason not in self.source.text.replace('"', "'")


def _exits(function: FunctionNode) -> int:
    return sum(isinstance(node, (ast.Raise, ast.Assert)) or _is_end(node) for node in walk(function))


def _new_calls(previous: FunctionNode, current: FunctionNode) -> bool:
    """Return True if the function calls something new by itself, which may perform the check."""
    old = {last_name(node.func) for node in walk(previous) if isinstance(node, ast.Call)}
    return any(
        isinstance(inner, ast.Expr)
        and isinstance(inner.value, ast.Call)
        and last_name(inner.value.func) not in old | {"log"}
        for inner in walk(current)
    )


def _guards(block: Sequence[ast.stmt]) -> Iterator[tuple[ast.If, Sequence[ast.stmt]]]:
    """Return the conditions under which a request is rejected, with the code that runs otherwise."""
    for index, statement in enumerate(block):
        if isinstance(statement, ast.If) and not statement.orelse and _is_refusal(statement.body[-1]):
            yield statement, block[index + 1 :]
        for name in ("body", "orelse", "finalbody"):
            below = getattr(statement, name, None)
            if isinstance(below, list) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                yield from _guards(below)


def _checks_permission(guard: ast.If) -> bool:
    """Return True if a condition tests a permission, or compares the owners of two things."""
    if KINDS["permission"].search(f"{unparse(guard.test)} {unparse(guard.body[-1])}"):
        return True
    pairs = (node for node in walk(guard.test) if isinstance(node, ast.Compare))
    return any(len(_WHOSE.findall(unparse(pair))) > 1 for pair in pairs)


def _is_refusal(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return statement.exc is not None
    return isinstance(statement, ast.Expr) and _is_end(statement.value)


def _is_end(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _ENDS


def _first_remaining(after: Sequence[ast.stmt], current: FunctionNode) -> ast.stmt | None:
    """Return the first statement after a rejection that still exists, entirely or by its assigned value."""
    texts = {_render_condition(item) for item in after}
    return next(
        (node for node in statements_in(current) if node is not current and _render_condition(node) in texts),
        None,
    )


def _render_condition(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Assign):
        return f"{unparse(statement.targets[0])} ="
    return unparse(statement).partition("\n")[0]
