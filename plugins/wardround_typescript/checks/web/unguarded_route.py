from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import arguments, child, first_part, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_CHANGES = LazyPattern(r"@(Post|Put|Patch|Delete)\(")
_GUARD = LazyPattern(
    r"@(Roles?|RequirePermissions?|Permissions?|CheckPolicies|CheckPolicy|Policies|Auth|Admin\w*|RequireRole|HasRoles?|Scopes?|UseGuards|Acl|Can|RolesAllowed|Authorized?)\("
)
_OPEN = LazyPattern(r"@(Public|AllowAnonymous|SkipAuth\w*|IsPublic|NoAuth|Anonymous|Unprotected)\b")
_SELF = LazyPattern(
    r"(?i)login|logout|register|refresh|webhook|forgot|callback|\bme\b|profile|\bown\b|\bself\b"
)
_VERBS = frozenset({"post", "put", "patch", "delete"})
_ROUTER = LazyPattern(r"(?i)(^|\.)(\w*router|app|api|fastify|server|routes)$")
_GUARD_NAME = LazyPattern(
    r"(?i)^(this\.)?(\w+\.)*(require|ensure|check|is|has|verify|authori[sz]e|authenticate|auth|protect|guard|must|only|can|allow|permit|restrict)(?-i:[A-Z_(]\w*|$)|(?i:(auth|admin|guard|permission|protected|jwt|session|loggedin)\w*$)"
)
_OPEN_PATH = LazyPattern(
    r"(?i)login|log-in|signin|sign-in|signup|register|logout|webhook|callback|forgot|reset|refresh|public|health|verify|confirm|contact|subscribe|token|auth|graphql|csp|search"
)
_CHECKS = LazyPattern(
    r"(?i)\b(req|request|ctx)\.(user|session|auth)|currentUser|getSession|verify|signature|isAdmin|can\(|authori[sz]e|ctx\.state\.user|res\.locals\.user"
)
_CHAIN = LazyPattern(r"(?s)(?P<router>\w*(?i:router|app|api|routes))\s*\.route\(")
_VALIDATES = LazyPattern(r"(?i)^(\w+\.)*(validat\w*|celebrate|check_?schema|\w*validator)\b|\bvalidate\w*\(")
_TAKING = frozenset({"post", "put", "patch"})
_FEW = 2
_LEAST_GUARDED = 2
"""Number of guarded sibling routes from which one without a guard is an oversight."""
_MESSAGE = "this route changes data without the guard of its sibling routes; add it"


class _Route(NamedTuple):
    """A route of a router; its arguments are the path, the middleware and the handler."""

    router: str
    call: Node
    verb: str
    arguments: list[Node]


class UnguardedRoute(TreeCheck):
    """A route that changes data lacks the guard of its sibling routes.

    The guard of the others checks the user or its permissions; here anyone may call the route. Add the same
    guard, or mark the route as public with a decorator.
    """

    ID = "TS343"
    NAME = "unguarded-route"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authorization"
    WORDS = (
        "@Roles",
        "@UseGuards",
        "@RequirePermission",
        "@Permissions",
        "@Auth",
        "@CheckPolicies",
        "require",
        "router.",
        "app.",
        "ensure",
        "@Admin",
    )
    VALID = [
        code("""
            router.post('/a', requireAdmin, add);
            router.delete('/a/:id', requireAdmin, remove);
            router.get('/a', list);
        """),
        code("""
            router.use(requireUser);
            router.post('/a', requireAdmin, add);
            router.post('/b', requireAdmin, other);
            router.post('/login', login);
        """),
    ]
    INVALID = [
        code("""
            router.route('/').post(auth('manage'), validate(shapes.add), users.add);
            router.route('/me').patch(auth(), «users.changeMe»);
            router.route('/:id').patch(auth('manage'), validate(shapes.change), users.change)
              .put(auth('manage'), validate(shapes.put), users.put);
        """),
        code("""
            router.post('/a', requireAdmin, add);
            router.put('/a/:id', requireAdmin, change);
            «router.delete('/a/:id', remove)»;
        """),
    ]

    def check(self) -> None:
        if "@" in self.source.text:
            for body in self.code.kinds("class_body"):
                self._check_class(body)
        self._check_routers()

    def _check_class(self, body: Node) -> None:
        """Check methods with their decorators: one that changes data without the guard of its siblings."""
        unguarded: list[tuple[Node, str]] = []
        guarded = 0
        for method, decorators in self._decorated_methods(body):
            if not _CHANGES.search(decorators):
                continue
            if _GUARD.search(decorators):
                guarded += 1
            elif not _OPEN.search(decorators):
                unguarded.append((method, decorators))
        if guarded < _LEAST_GUARDED or len(unguarded) != 1:
            return
        method, decorators = unguarded[0]
        if not _SELF.search(decorators + self.code.field(method, "name")):
            self.report_node(method.child_by_field_name("name") or method, _MESSAGE)

    def _decorated_methods(self, body: Node) -> Iterator[tuple[Node, str]]:
        """Yield the methods of a class with the text of their decorators."""
        before = ""
        for member in body.named_children:
            match member.type:
                case "decorator":
                    before += self.text(member) + "\n"
                case "method_definition":
                    yield member, before + self._own_decorators(member)
                    before = ""
                case "comment":
                    pass
                case _:
                    before = ""

    def _own_decorators(self, method: Node) -> str:
        return " ".join(self.text(part) for part in method.children if part.type == "decorator")

    def _check_routers(self) -> None:
        by_router: dict[str, list[_Route]] = {}
        for call in self.code.kinds("call_expression"):
            route = self._route(call)
            if route is not None:
                by_router.setdefault(route.router, []).append(route)
        for routes in by_router.values():
            self._check_guards(routes)
            self._check_validation(routes)

    def _route(self, call: Node) -> _Route | None:
        """Return the route that a call adds; None for other calls."""
        callee, passed = child(call, "function"), arguments(call)
        if not is_kind(callee, "member_expression") or not passed:
            return None
        owner, verb = self.code.field(callee, "object"), self.code.field(callee, "property")
        if verb not in _VERBS:
            return None
        chained = _CHAIN.match(owner)
        if chained is not None:
            path = self._path_of(callee)
            router = f"{chained['router']}.route"
            return _Route(router, call, verb, [path, *passed]) if path is not None else None
        if len(passed) > 1 and passed[0].type == "string" and _ROUTER.search(owner):
            return _Route(owner, call, verb, passed)
        return None

    def _path_of(self, callee: Node) -> Node | None:
        """Return the path of ``router.route('/shelf').get(list).post(add)`` for one of its verbs."""
        call = child(callee, "object")
        while is_kind(call, "call_expression"):
            inner = child(call, "function")
            if self.code.field(inner, "property") == "route":
                return first_part(child(call, "arguments"))
            call = child(inner, "object")
        return None

    def _check_validation(self, routes: list[_Route]) -> None:
        """Check routes with input: one accepts anything, and the others validate it."""
        taking = [route for route in routes if route.verb in _TAKING]
        loose = [route for route in taking if not self._is_validated(route)]
        if len(loose) != 1 or len(taking) <= _FEW or loose[0].verb == "post":
            return
        path, handler = loose[0].arguments[0], loose[0].arguments[-1]
        if _OPEN_PATH.search(self.text(path)) or _VALIDATES.search(self.text(handler)):
            return
        self.report_node(
            handler, "this route does not validate its input, unlike its sibling routes; validate it"
        )

    def _is_validated(self, route: _Route) -> bool:
        return any(_VALIDATES.search(self.text(middleware)) for middleware in route.arguments[1:-1])

    def _check_guards(self, routes: list[_Route]) -> None:
        guards = Counter(name for route in routes for name in self._guards(route))
        if max(guards.values(), default=0) < _LEAST_GUARDED:
            return
        unguarded = [route for route in routes if not self._guards(route)]
        reachable = [route for route in unguarded if not _OPEN_PATH.search(self.text(route.arguments[0]))]
        if len(reachable) != 1:
            return
        handler = self.text(reachable[0].arguments[-1])
        if not _CHECKS.search(handler[:1500]):
            self.report_node(reachable[0].call, _MESSAGE)

    def _guards(self, route: _Route) -> list[str]:
        """Return the names of the guards between the path and the handler."""
        names = [self.text(middleware).partition("(")[0] for middleware in route.arguments[1:-1]]
        return [name for name in names if _GUARD_NAME.search(name)]
