"""TS343: unguarded route."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck

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
_MESSAGE = "this route changes data without the guard of its sibling routes; add it"


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
                self._class(body)
        self._routes()

    def _class(self, body: Node) -> None:
        """Check methods with their decorators: one that changes data without the guard of its siblings."""
        changing = [(node, text) for node, text in self._decorated(body) if _CHANGES.search(text)]
        unguarded = [(node, text) for node, text in changing if not _GUARD.search(text)]
        if len(changing) - len(unguarded) < 2:
            return
        open_ = [(node, text) for node, text in unguarded if not _OPEN.search(text)]
        if len(open_) == 1:
            node, text = open_[0]
            if not _SELF.search(text + self.code.field(node, "name")):
                self.report_node(node.child_by_field_name("name") or node, _MESSAGE)

    def _decorated(self, body: Node) -> Iterator[tuple[Node, str]]:
        """Yield the methods of a class with the text of their decorators."""
        before = ""
        for member in body.named_children:
            if member.type == "decorator":
                before += self.text(member) + "\n"
            elif member.type == "method_definition":
                own = " ".join(self.text(d) for d in member.children if d.type == "decorator")
                yield member, before + own
                before = ""
            elif member.type != "comment":
                before = ""

    def _routes(self) -> None:
        by_router: dict[str, list[tuple[Node, list[Node]]]] = {}
        for node in self.code.kinds("call_expression"):
            route = self._route(node)
            if route is not None:
                router, arguments = route
                by_router.setdefault(router, []).append((node, arguments))
        for routes in by_router.values():
            self._router(routes)
            self._unvalidated(routes)

    def _route(self, node: Node) -> tuple[str, list[Node]] | None:
        """Return the router of a route and its arguments, the path first; None for other calls."""
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or argument_list is None or function.type != "member_expression":
            return None
        owner, arguments = self.code.field(function, "object"), argument_list.named_children
        if self.code.field(function, "property") not in _VERBS or not arguments:
            return None
        chained = _CHAIN.match(owner)
        if chained is not None:
            path = self._path_of(function)
            return (f"{chained['router']}.route", [path, *arguments]) if path is not None else None
        is_route = _ROUTER.search(owner) and len(arguments) > 1 and arguments[0].type == "string"
        return (owner, arguments) if is_route else None

    def _path_of(self, function: Node) -> Node | None:
        """Return the path of ``router.route('/shelf').get(list).post(add)`` for one of its verbs."""
        call = function.child_by_field_name("object")
        while call is not None and call.type == "call_expression":
            called, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if self.code.field(called, "property") == "route" and arguments is not None:
                return arguments.named_children[0] if arguments.named_children else None
            call = called.child_by_field_name("object") if called is not None else None
        return None

    def _unvalidated(self, routes: list[tuple[Node, list[Node]]]) -> None:
        """Check routes with input: one accepts anything, and the others validate it."""
        taking = [(node, arguments) for node, arguments in routes if self._verb(node) in _TAKING]
        loose = [one for one in taking if not any(_VALIDATES.search(self.text(a)) for a in one[1][1:-1])]
        if (
            len(loose) == 1
            and self._verb(loose[0][0]) != "post"
            and len(taking) > _FEW
            and len(loose[0][1]) > 1
        ):
            arguments = loose[0][1]
            handler = self.text(arguments[-1])
            if not _OPEN_PATH.search(self.text(arguments[0])) and not _VALIDATES.search(handler):
                self.report_node(
                    arguments[-1],
                    "this route does not validate its input, unlike its sibling routes; validate it",
                )

    def _verb(self, node: Node) -> str:
        return self.code.field(node.child_by_field_name("function"), "property")

    def _router(self, routes: list[tuple[Node, list[Node]]]) -> None:
        guards = Counter(
            name for _, arguments in routes for name in self._names(arguments) if _GUARD_NAME.search(name)
        )
        open_ = [
            (node, arguments)
            for node, arguments in routes
            if not any(map(_GUARD_NAME.search, self._names(arguments)))
            and not _OPEN_PATH.search(self.text(arguments[0]))
        ]
        if len(open_) != 1 or guards.total() < 2 or max(guards.values()) < 2:
            return
        node, arguments = open_[0]
        if not _CHECKS.search(self.text(arguments[-1])[:1500]):
            self.report_node(node, _MESSAGE)

    def _names(self, arguments: list[Node]) -> list[str]:
        """Return the names of the middleware between the path and the handler."""
        return [self.text(one).partition("(")[0] for one in arguments[1:-1]]
