from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.changed_functions import rewritten_functions
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
    check the owner directly after the query.
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
        for previous, current in rewritten_functions(self.source, self.module):
            self._compare(previous, current)

    def _compare(self, was: FunctionNode, now: FunctionNode) -> None:
        before = [node for node in walk(was) if _is_query(node)]
        unchanged = set(map(unparse, before))
        for call in walk(now):
            if not isinstance(call, ast.Call) or not _is_query(call) or unparse(call) in unchanged:
                continue
            for keyword in _removed_keywords(before, call):
                if not self._is_used_elsewhere(keyword, call, was, now):
                    self.report(
                        self.module.span(call),
                        f"this was filtered by {unparse(keyword)[:60]} before the change; filter it again",
                    )
                    break

    def _is_used_elsewhere(
        self, lost: ast.keyword, call: ast.Call, previous: FunctionNode, current: FunctionNode
    ) -> bool:
        """Return True if the function refers to the filtered value more often elsewhere than before."""
        description = unparse(lost.value)
        text, old = unparse(current), unparse(previous)
        return text.count(description) >= old.count(description)


def _is_query(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _ASKS


def _removed_keywords(before: Sequence[ast.AST], call: ast.Call) -> Iterator[ast.keyword]:
    """Yield the filters by owner that earlier queries have in addition to a call."""
    for old in before:
        keyword = _removed_keyword(old, call) if isinstance(old, ast.Call) else None
        if keyword is not None:
            yield keyword


def _removed_keyword(old: ast.Call, new: ast.Call) -> ast.keyword | None:
    """Return the keyword that filters by owner, if the new query is the old one without it."""
    if unparse(old.func) != unparse(new.func) or [*map(unparse, old.args)] != [*map(unparse, new.args)]:
        return None
    current = {unparse(keyword) for keyword in new.keywords}
    removed = [item for item in old.keywords if unparse(item) not in current]
    if len(removed) != 1 or len(new.keywords) != len(old.keywords) - 1 or removed[0].arg is None:
        return None
    return removed[0] if _WHOSE.search(removed[0].arg) else None
