"""TS343."""

from __future__ import annotations

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
_SAID = "this route changes data without the guard of its sibling routes; add it"


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
        found: list[tuple[Node, str]] = []
        before = ""
        for one in body.named_children:
            if one.type == "decorator":
                before += self.text(one) + "\n"
            elif one.type == "method_definition":
                found.append(
                    (one, before + " ".join(self.text(d) for d in one.children if d.type == "decorator"))
                )
                before = ""
            elif one.type != "comment":
                before = ""
        changing = [(node, text) for node, text in found if _CHANGES.search(text)]
        guarded = [text for _, text in changing if _GUARD.search(text)]
        open_ = [
            (node, text) for node, text in changing if not _GUARD.search(text) and not _OPEN.search(text)
        ]
        if len(guarded) >= 2 and len(open_) == 1:
            node, text = open_[0]
            if not _SELF.search(text + self.code.field(node, "name")):
                self.report_node(node.child_by_field_name("name") or node, _SAID)

    def _routes(self) -> None:
        by_router: dict[str, list[tuple[Node, list[Node]]]] = {}
        for node in self.code.kinds("call_expression"):
            function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            if function is None or given is None or function.type != "member_expression":
                continue
            owner, method = self.code.field(function, "object"), self.code.field(function, "property")
            arguments = given.named_children
            chained = _CHAIN.match(owner)
            if method in _VERBS and chained is not None and arguments:
                path = self._path_of(function)
                if path is not None:
                    by_router.setdefault(f"{chained['router']}.route", []).append((node, [path, *arguments]))
                continue
            if (
                method in _VERBS
                and _ROUTER.search(owner)
                and len(arguments) > 1
                and arguments[0].type == "string"
            ):
                by_router.setdefault(owner, []).append((node, arguments))
        for routes in by_router.values():
            self._router(routes)
            self._unvalidated(routes)

    def _path_of(self, function: Node) -> Node | None:
        """Return the path of ``router.route('/shelf').get(list).post(add)`` for one of its verbs."""
        call = function.child_by_field_name("object")
        while call is not None and call.type == "call_expression":
            called, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if self.code.field(called, "property") == "route" and given is not None:
                return given.named_children[0] if given.named_children else None
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
        guards: dict[str, int] = {}
        for _, arguments in routes:
            for one in arguments[1:-1]:
                name = self.text(one).partition("(")[0]
                if _GUARD_NAME.search(name):
                    guards[name] = guards.get(name, 0) + 1
        common = [name for name, count in guards.items() if count >= 2]
        bare = [
            (node, arguments)
            for node, arguments in routes
            if not any(_GUARD_NAME.search(self.text(one).partition("(")[0]) for one in arguments[1:-1])
            and not _OPEN_PATH.search(self.text(arguments[0]))
        ]
        if common and len(bare) == 1 and len(bare) < sum(guards.values()):
            node, arguments = bare[0]
            handler = self.text(arguments[-1])[:1500]
            if not _CHECKS.search(handler):
                self.report_node(node, _SAID)
