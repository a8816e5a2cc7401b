from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.libraries.web_routes import Route, routes_of

_OPEN = LazyPattern(
    r"(?i)public|log_?in|log_?out|sign_?(in|up|out)|register|health|ping|status|webhook|callback|reset|forgot|"
    r"verif|confirm|token|index|home|about|oauth|sso|hook|static|robots|shared?|unsubscribe|subscribe|contact|"
    r"anonymous|guest|open|ready|live|metrics|favicon|error|landing|search|terms|privacy|activate|accept|invite|csp|preview|feedback|track|report"
)
_ASKS = LazyPattern(
    r"(?i)current_user|request\.user|session\[|session\.get|authoriz|verify|signature|hmac|secret|api_key|token|"
    r"abort\(40[13]|status_code=40[13]|HTTPException\(40[13]|PermissionDenied|check_|require|_auth|auth_|authenticate"
)
_MIXIN = LazyPattern(
    r"(LoginRequired|PermissionRequired|UserPassesTest|StaffRequired|AccessMixin|Authenticated)\w*"
)
_VERBS = frozenset({"get", "post", "put", "patch", "delete"})
_EDITING = LazyPattern(r"(Update|Delete|Create|Form)View$")


_UNGUARDED = "this route changes data without the login its adjacent routes require; require it here too"


class UnguardedRoute(PythonCheck):
    """A state-changing route lacks the login that all adjacent routes require.

    Anyone who knows its address can call it without an account. Apply the decorator, dependency or mixin of
    the adjacent routes, or name the route so that its public access is clear.
    """

    ID = "PY341"
    NAME = "unguarded-route"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authentication"
    WORDS = (
        "required",
        "Depends(",
        "Security(",
        "authenticat",
        "LoginRequired",
        "permission",
        "_only",
        "protected",
    )
    VALID = [
        code("""
            @app.get('/a')
            @login_required
            def a(): ...
            @app.get('/b')
            @login_required
            def b(): ...
            @app.post('/login')
            def login(): ...
        """),
        code("""
            @app.get('/a')
            @login_required
            def a(): ...
            @app.get('/b')
            @login_required
            def b(): ...
            @app.get('/c')
            def c(): ...
        """),
    ]
    INVALID = [
        code("""
            @app.get('/a')
            @login_required
            def a(): ...
            @app.get('/b')
            @login_required
            def b(): ...
            @app.delete('/a/<int:pk>')
            def «remove»(pk):
                delete(pk)
        """),
        code("""
            @router.get('/a')
            def a(user: User = Depends(current_user)): ...
            @router.post('/a')
            def add(data: Note, user: User = Depends(current_user)): ...
            @router.delete('/a/{pk}')
            def «remove»(pk: int, db: Session = Depends(get_db)):
                db.delete(pk)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and ("@" in source.text or "Mixin" in source.text)

    def visit_Module(self, node: ast.Module) -> None:
        routes = routes_of(self.module)
        open_ones = [item for item in routes if not item.is_guarded]
        guarded = len(routes) - len(open_ones)
        if guarded >= 2 and guarded >= 2 * len(open_ones) and not self._has_module_guard():
            for route in open_ones:
                if route.writes and not self._is_public_by_name(route):
                    name = self.module.name_span(route.function)
                    self.report(
                        name,
                        "this route changes data without the login its adjacent "
                        "routes require; require it here too",
                    )
        self._check_classes(node)
        self._check_handlers(node)

    def _has_module_guard(self) -> bool:
        """Return True if every request of the module is checked first, by a router or a hook."""
        return "before_request" in self.source.text or any(
            isinstance(node, ast.Call)
            and unparse(node.func).endswith(("Router", "FastAPI"))
            and any(keyword.arg == "dependencies" for keyword in node.keywords)
            for node in self.module.nodes
        )

    def _is_public_by_name(self, route: Route) -> bool:
        paths = " ".join(
            str(decorator.args[0].value)
            for decorator in route.function.decorator_list
            if isinstance(decorator, ast.Call)
            and decorator.args
            and isinstance(decorator.args[0], ast.Constant)
        )
        return bool(
            _OPEN.search(route.function.name) or _OPEN.search(paths) or _ASKS.search(route.body)
        ) or any("exempt" in unparse(item) for item in route.function.decorator_list)

    def _check_classes(self, node: ast.Module) -> None:
        views = [statement for statement in node.body if _is_editing_view(statement)]
        open_views = [view for view in views if not _has_mixin(view) and not self._is_decorated(view)]
        guarded = len(views) - len(open_views)
        if guarded < 2 or guarded < 2 * len(open_views):
            return
        for view in open_views:
            if not _is_intentionally_public(view, view):
                self.report(self.module.name_span(view), _UNGUARDED)

    def _check_handlers(self, tree: ast.Module) -> None:
        """Report methods of Tornado's handlers, which require a login individually."""
        methods = list(_request_methods(tree))
        guarded = [method for _, method in methods if _is_authenticated(method)]
        if len(guarded) < 2 or 2 * (len(methods) - len(guarded)) > len(guarded):
            return
        for handler, method in methods:
            if method in guarded or method.name == "get" or _is_intentionally_public(handler, method):
                continue
            if "prepare" not in unparse(handler):
                self.report(self.module.name_span(method), _UNGUARDED)

    def _is_decorated(self, node: ast.ClassDef) -> bool:
        return (len(node.bases) > 1 and "Mixin" in unparse(node.bases[0])) or bool(node.decorator_list)


def _is_editing_view(statement: ast.stmt) -> TypeGuard[ast.ClassDef]:
    if not isinstance(statement, ast.ClassDef) or not statement.bases:
        return False
    return _EDITING.search(unparse(statement.bases[-1])) is not None


def _has_mixin(view: ast.ClassDef) -> bool:
    return any(_MIXIN.search(unparse(base)) for base in view.bases)


def _request_methods(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, FunctionNode]]:
    """Yield the methods of the classes of a module that are named after the method of a request."""
    for holder in tree.body:
        for member in holder.body if isinstance(holder, ast.ClassDef) else ():
            if isinstance(member, FunctionNode) and member.name in _VERBS:
                assert isinstance(holder, ast.ClassDef)
                yield holder, member


def _is_authenticated(method: FunctionNode) -> bool:
    return any("authenticated" in unparse(decorator) for decorator in method.decorator_list)


def _is_intentionally_public(view: ast.ClassDef, code: ast.stmt) -> bool:
    """Return True if a view is for everyone by its name, or its code tests who sent the request."""
    return bool(_OPEN.search(view.name) or _ASKS.search(unparse(code)))
