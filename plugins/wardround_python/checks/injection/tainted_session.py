"""PY311: tainted session."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
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
        keys = [t.slice for t in getattr(parent, "targets", []) if isinstance(t, ast.Subscript)]
        call = next((node for node in self.module.ancestors(hit.node) if isinstance(node, ast.Call)), None)
        for key, value in session_values(call) if call is not None else ():
            if key is hit.node:
                return True
            keys += [key] if value is hit.node else []
        return any(isinstance(key, ast.Constant) and _RIGHTS.search(str(key.value)) for key in keys)
