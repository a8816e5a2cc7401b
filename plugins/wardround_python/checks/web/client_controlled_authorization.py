from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_PARTS = frozenset({"cookies", "COOKIES", "headers", "args", "GET", "query_params", "META"})
_RIGHTS = LazyPattern(
    r"(?i)(^|[_-])(is_?)?(admin|staff|superuser|root|roles?|user_?role|authenticated|authori[sz]ed|logged_?in|"
    r"privileged|permissions?)$"
)
_FORWARDED = LazyPattern(
    r"(?i)^(http_)?(x[-_]forwarded[-_]for|x[-_]real[-_]ip|client[-_]ip|true[-_]client[-_]ip)$"
)
_ABOUT = LazyPattern(
    r"(?i)['\"][\w-]*(admin|staff|superuser|root|role|auth|logged_?in|privileged|permission|forwarded|real[-_]ip|"
    r"client[-_]ip)"
)
_LETS_IN = LazyPattern(r"(?i)^['\"](admin\w*|root|superuser|staff|owner|true|yes|on|1)['\"]$|^True$")
_ADDRESS = LazyPattern(r"^['\"](\d{1,3}\.\d|::1|localhost)")


class ClientControlledAuthorization(PythonCheck):
    """Authorization depends on a cookie, header or field that the client sends.

    A client can send any value: ``is_admin=1`` grants access. Store the permission in the session on the
    server or in a signed token, or look it up for the logged-in user.
    """

    ID = "PY354"
    NAME = "client-controlled-authorization"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "trust-boundary"
    WORDS = (".cookies", ".COOKIES", ".headers", ".args", ".GET", "query_params", ".META")
    VALID = [
        code("""
            def page(request):
                if request.user.role == 'admin':
                    return all_pages()
        """),
        code("""
            def page(request):
                if request.COOKIES.get('theme') == 'dark':
                    return dark()
        """),
    ]
    INVALID = [
        code("""
            def page(request):
                return «request.cookies.get('is_admin') == '1'»
        """),
        code("""
            def page(request):
                if «request.COOKIES.get('is_staff')»:
                    return 1
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and _ABOUT.search(source.text) is not None

    def visit_Compare(self, node: ast.Compare) -> None:
        for operand in (node.left, *node.comparators):
            key = self._key(operand)
            if not key:
                continue
            others = [unparse(other) for other in (node.left, *node.comparators) if other is not operand]
            if (_RIGHTS.search(key) and any(map(_LETS_IN.search, others))) or (
                _FORWARDED.search(key) and any(map(_ADDRESS.search, others))
            ):
                self.report(
                    self.module.span(node),
                    "the client controls this authorization; look it up for the logged-in user",
                )
                return

    def visit_Call(self, node: ast.Call) -> None:
        self._check_test(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._check_test(node)

    def _check_test(self, node: ast.expr) -> None:
        """Report a read whose presence is sufficient for access."""
        inner: ast.AST = node
        parent = self.module.parents[node]
        while isinstance(parent, (ast.UnaryOp, ast.BoolOp)):
            inner, parent = parent, self.module.parents[parent]
        is_test = isinstance(parent, (ast.If, ast.IfExp)) and parent.test is inner
        if is_test and _RIGHTS.search(self._read(node)) and "role" not in self._read(node).lower():
            self.report(
                self.module.span(node),
                "the client controls this authorization; look it up for the logged-in user",
            )

    def _key(self, node: ast.expr) -> str:
        """Return the request key of a value, resolved through one name of the same function."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASE:
            node = node.func.value
        if not isinstance(node, ast.Name):
            return self._read(node)
        value = self._assigned_values.get((self.module.function_of(node), node.id), [])
        return self._read(value[0]) if len(value) == 1 else ""

    @cached_property
    def _assigned_values(self) -> dict[tuple[ast.AST | None, str], list[ast.expr]]:
        """Return the values of each name, in the enclosing function and in its own."""
        result: dict[tuple[ast.AST | None, str], list[ast.expr]] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.Assign):
                names = {target.id for target in node.targets if isinstance(target, ast.Name)}
                for around in self.module.ancestors(node) if names else ():
                    for name in names if isinstance(around, _FUNCTIONS) else ():
                        result.setdefault((around, name), []).append(node.value)
        return result

    def _read(self, node: ast.expr) -> str:
        """Return the key that is read from a part of a request; empty for everything else."""
        match node:
            case (
                ast.Subscript(value=ast.Attribute() as part, slice=ast.Constant(value=key))
                | ast.Call(
                    func=ast.Attribute(value=ast.Attribute() as part, attr="get"),
                    args=[ast.Constant(value=key), *_],
                )
            ) if part.attr in _PARTS:
                owner = part.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                return str(key) if name in {"request", "req"} else ""
            case _:
                return ""


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CASE = frozenset({"lower", "upper", "strip", "casefold"})
