from __future__ import annotations

import ast
from collections.abc import Iterable

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind
from wardround_python.dataflow.sinks import session_values

_RIGHTS = LazyPattern(
    r"(?i)(role|admin|staff|superuser|perm|scope|tenant|org|owner|group|level|plan|priv|right|account|user|"
    r"workspace|impersonat|authenticated|logged|clearance|customer|company)"
)


class TaintedSession(TaintedCheck):
    """Data from the request is stored in the session as the visitor's identity or permissions.

    Later code trusts the session, so the sender can take a role or another user's account. Look the value up
    for the logged-in user, and store the result.
    """

    ID = "PY311"
    NAME = "tainted-session"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "trust-boundary"
    SINK = SinkKind.TRUST
    MESSAGE = (
        "data from the request is stored in the session as a permission; look it up for the logged-in user"
    )
    WORDS = ("session[", "session.setdefault(", "session.update(", "session.__setitem__(")
    VALID = [
        code("""
            from flask import request, session
            def choose():
                session['language'] = request.form['language']
        """),
        code("""
            from flask import request, session
            def choose(user):
                role = request.form['role']
                if role not in user.roles:
                    raise PermissionError
                session['role'] = role
        """),
    ]
    INVALID = [
        code("""
            from flask import request, session

            def choose():
                session.update({'seen': 1}, role=«request.form.get('role')»)
        """),
        code("""
            from flask import request, session

            def choose():
                session.setdefault('tenant', «request.form['tenant']»)
        """),
    ]

    def is_reported(self, hit: Hit) -> bool:
        """Return True if the session's key concerns permissions, or the sender chooses the key itself."""
        parent = self.module.parents.get(hit.node)
        if isinstance(parent, ast.Subscript):
            return parent.slice is hit.node
        keys = [
            target.slice for target in getattr(parent, "targets", []) if isinstance(target, ast.Subscript)
        ]
        for key, value in self._session_values(hit.node):
            if key is hit.node:
                return True
            if value is hit.node:
                keys.append(key)
        return any(isinstance(key, ast.Constant) and _RIGHTS.search(str(key.value)) for key in keys)

    def _session_values(self, node: ast.AST) -> Iterable[tuple[ast.expr, ast.expr]]:
        """Return the keys and values that the innermost call around a node stores in the session."""
        calls = (parent for parent in self.module.ancestors(node) if isinstance(parent, ast.Call))
        call = next(calls, None)
        return session_values(call) if call is not None else ()
