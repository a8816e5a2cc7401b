"""PY452: removed owner filter."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.check import PythonCheck

_ASKS = frozenset(
    {"filter", "get", "exclude", "filter_by", "get_object_or_404", "aget", "first", "get_or_404", "where"}
)
_WHOSE = LazyPattern(
    r"(?i)(?:^|_)(?:users?|owners?|org(?:anization)?|tenants?|teams?|groups?|household|account|project|workspace|customer"
    r"|company|site|member|author|created_by|shop|store|channel)(?:_|$)"
)


class RemovedOwnerFilter(PythonCheck):
    """A query was filtered by owner, and the same query is unfiltered now.

    It returns the rows of all users, so a caller with another user's key gets their data. Filter it again, or
    check the owner right after the query.
    """

    ID = "PY452"
    NAME = "removed-owner-filter"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authorization"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    WORDS = tuple(f"{name}(" for name in sorted(_ASKS))
    VALID = [
        code(
            """
            def mine(request, key):
                box = Box.objects.get(id=key, owner=request.user)
                return box.show()
            """,
            base="""
            def mine(request, key):
                box = Box.objects.get(pk=key, owner=request.user)
                return box.show()
            """,
        ),
        code(
            """
            def mine(request, key):
                box = Box.objects.get(pk=key, owner=request.user)
                return box.show(1)
            """,
            base="""
            def mine(request, key):
                box = Box.objects.get(pk=key, owner=request.user)
                return box.show()
            """,
        ),
    ]
    INVALID = [
        code(
            """
            def mine(request, key):
                box = «Box.objects.get(pk=key)»
                return box.show()
            """,
            base="""
            def mine(request, key):
                box = Box.objects.get(pk=key, owner=request.user)
                return box.show()
            """,
        ),
        code(
            """
            def rows(session, team):
                return «session.query(Row).filter_by(kind=1)».all()
            """,
            base="""
            def rows(session, team):
                return session.query(Row).filter_by(kind=1, team_id=team.id).all()
            """,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for was, now in rewritten(self.source, self.module):
            self._compare(was, now)

    def _compare(self, was: FunctionNode, now: FunctionNode) -> None:
        before = [node for node in walk(was) if _is_query(node)]
        kept = {unparse(item) for item in before}
        for call in walk(now):
            if not isinstance(call, ast.Call) or not _is_query(call) or unparse(call) in kept:
                continue
            for old in before:
                lost = _removed_keyword(old, call) if isinstance(old, ast.Call) else None
                if lost is not None and not self._is_used_elsewhere(lost, call, was, now):
                    text = unparse(lost)
                    self.report(
                        self.module.span(call),
                        f"this was filtered by {text[:60]} before the change; filter it again",
                    )
                    break

    def _is_used_elsewhere(
        self, lost: ast.keyword, call: ast.Call, was: FunctionNode, now: FunctionNode
    ) -> bool:
        """Return True if the function refers to the filtered value more often elsewhere than before."""
        description = unparse(lost.value)
        text, old = unparse(now), unparse(was)
        return text.count(description) >= old.count(description)


def _is_query(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _ASKS


def _removed_keyword(old: ast.Call, new: ast.Call) -> ast.keyword | None:
    """Return the keyword that filters by owner, if the new query is the old one without it."""
    if unparse(old.func) != unparse(new.func) or [*map(unparse, old.args)] != [*map(unparse, new.args)]:
        return None
    now = {unparse(keyword) for keyword in new.keywords}
    gone = [item for item in old.keywords if unparse(item) not in now]
    if len(gone) != 1 or len(new.keywords) != len(old.keywords) - 1 or gone[0].arg is None:
        return None
    return gone[0] if _WHOSE.search(gone[0].arg) else None
