"""PY311."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
    """Data from the request is stored in the session as who the visitor is or what they may do.

    Later code trusts the session, so the sender gives themselves a role or somebody else's account. Look the
    value up for the user who is logged in, and store what was found.
    """

    ID = "PY311"
    NAME = "tainted-session"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "trust-boundary"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding; "
        "widened, over twenty-eight trees of 1.3 million lines: none; again, over thirty-one trees: none"
    )
    DANGER = SinkKind.TRUST
    MESSAGE = "data from the request is stored in the session as what the visitor may do"
    WORDS = ("session[", "session.setdefault(", "session.update(", "session.__setitem__(")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from flask import request, session\ndef choose():\n"
        "    session['language'] = request.form['language']\n",
        "from flask import request, session\ndef choose(user):\n    role = request.form['role']\n"
        "    if role not in user.roles:\n        raise PermissionError\n    session['role'] = role\n",
        "from flask import request, session\ndef log_in():\n    user = find(request.form['name'])\n"
        "    session['user_id'] = user.id\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from flask import request, session\n\ndef choose():\n"
            "    session.update({'seen': 1}, role=request.form.get('role'))\n",
            line=4,
            column=38,
        ),
        Invalid(
            "from flask import request, session\n\ndef choose():\n"
            "    session.setdefault('tenant', request.form['tenant'])\n",
            line=4,
            column=34,
        ),
        Invalid(
            "from flask import request, session\n\ndef choose():\n    role = request.form.get('role')\n"
            "    session['role'] = role\n",
            line=5,
            column=23,
        ),
        Invalid(
            "def switch(request):\n    request.session['tenant_id'] = request.POST['tenant']\n",
            line=2,
            column=36,
        ),
        Invalid(
            "def chosen(request):\n    return request.GET.get('plan', '').lower()\n\n"
            "def choose(request):\n    request.session['plan'] = chosen(request)\n",
            line=5,
            column=31,
        ),
        Invalid(
            "from flask import request, session\ndef keep():\n    for name, value in request.form.items():\n"
            "        session[name] = value\n",
            line=4,
            column=17,
        ),
    ]

    def counts(self, hit: Hit) -> bool:
        """Only where the session's key says that it is about rights, or is the sender's choice itself."""
        parent = self.module.parents.get(hit.node)
        if isinstance(parent, ast.Subscript):
            return parent.slice is hit.node
        keys = [t.slice for t in getattr(parent, "targets", []) if isinstance(t, ast.Subscript)]
        call = next((one for one in self.module.ancestors(hit.node) if isinstance(one, ast.Call)), None)
        for key, value in session_values(call) if call is not None else ():
            if key is hit.node:
                return True
            keys += [key] if value is hit.node else []
        return any(isinstance(key, ast.Constant) and _RIGHTS.search(str(key.value)) for key in keys)
