"""PY350: unvalidated password."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import given_once
from wardround.rules.maturity import Maturity
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind

_SETTERS = frozenset({"set_password", "create_user", "create_superuser", "make_password", "acreate_user"})


class UnvalidatedPassword(TaintedCheck):
    """A new password from the request is set without Django's validators.

    ``set_password`` accepts any text, including the empty one: the configured minimum length and lists of
    common passwords apply only to Django's own forms. Call ``validate_password(password, user)`` first.
    """

    ID = "PY350"
    NAME = "unvalidated-password"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "unvalidated-password"
    SINK = SinkKind.TRUST
    MESSAGE = "the configured validators do not check this password; call validate_password first"
    WORDS = ("set_password(", "create_user(", "create_superuser(", "make_password(")
    VALID = [
        code("""
            from django.contrib.auth.password_validation import validate_password
            def change(request):
                new = request.POST['new']
                validate_password(new, request.user)
                request.user.set_password(new)
        """),
        code("""
            from django.contrib.auth import login
            def change(request):
                form = PasswordForm(request.POST)
                if form.is_valid():
                    request.user.set_password(form.cleaned_data['new'])
        """),
    ]
    INVALID = [
        code("""
            def change(request, user):
                user.set_password(«request.POST.get('password', '')»)
        """),
        code("""
            from django.contrib.auth import login
            def change(request):
                request.user.set_password(«request.POST.get('new', '')»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        """Report a missing field that becomes an empty password, which is valid."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "set_password" or not node.args:
            return
        arguments = node.args[0]
        read = given_once(self.module, arguments) if isinstance(arguments, ast.Name) else arguments
        if isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute) and read.func.attr == "get":
            if self._lacks_validators:
                return
            read = read.args[1] if len(read.args) > 1 else read
        if isinstance(read, ast.Constant) and read.value == "":
            self.report(self.module.span(arguments), "an empty string is accepted as a password; reject it")

    def is_reported(self, hit: Hit) -> bool:
        """Return True for a module with Django, if the sink sets a password."""
        parent = self.module.parents.get(hit.node)
        call = self.module.parents.get(parent) if isinstance(parent, ast.keyword) else parent
        func = call.func if isinstance(call, ast.Call) else None
        last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
        return last in _SETTERS and self._lacks_validators

    @property
    def _lacks_validators(self) -> bool:
        """Return True if the module uses Django and has no validators yet."""
        roots = {name.partition(".")[0] for name in self.module.imported.values()}
        is_seen = "validate_password" in self.source.text or "password_validation" in self.source.text
        return bool(roots & {"django", "rest_framework"}) and not is_seen
