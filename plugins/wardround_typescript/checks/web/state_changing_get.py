"""TS344: state changing get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ROUTER = LazyPattern(r"(?i)(^|\.)(\w*router|app|api|fastify|server|routes)$")
_SESSION = LazyPattern(
    r"(?i)\bsession\b|require(Login|User|Auth|Member|Session)\w*|\breq\.user\b|ctx\.state\.\w*user|isAuthenticated|ensureLogged|cookies?\b|render\("
)
_USER = LazyPattern(r"(?i)@CurrentUser|req\.user|@User\(|session|@Session|@Req\(")
_DOES = LazyPattern(
    r"(?i)[/:(|](delete|remove|destroy|approve|reject|decision|accept|decline|leave|cancel|disable|enable|activate|deactivate|archive|restore|ban|block|transfer|pay|buy|follow|unfollow|join|revoke|purge|clear|reset|promote|close|publish|unpublish|toggle|logout-all|invite|vote|like|add|update|set-\w+|disconnect|unlink|unsubscribe|reject|switch|upgrade|downgrade|deactivate|rotate|lock|unlock)\b"
)
_WRITES = LazyPattern(
    r"^(delete|remove|destroy|update|create|insert|save|approve|reject|decide|cancel|disable|enable|archive|revoke|leave|transfer|grant|ban|block|activate|deactivate|purge|follow|join|accept|decline|publish|toggle|vote|set|add|close|promote|mark|disconnect|unlink|unsubscribe|change|switch|upgrade|downgrade|rotate|lock|unlock|refund|charge)(?![a-z])(?!.*(Header|Cookie|Type|Status))"
)
_HARMLESS = LazyPattern(
    r"(?i)(^|\.)(map|set|cache|params|searchParams|headers?|res|response|reply|req|log|logger|"
    r"metrics?|redis|session|cookies|url|console|classList|list|array|seen|ids|listeners?|stats?|"
    r"audit)$|\bnew (Map|Set)\b"
)
_TOKEN = LazyPattern(r"(?i)token|signature|hmac|confirm.?key|unsubscribe|csrf")


class StateChangingGet(TreeCheck):
    """A GET request changes data.

    A link or an image on any other page sends it with the visitor's cookies, and so do prefetching programs.
    Use POST with a form token for requests that change data.
    """

    ID = "TS344"
    NAME = "state-changing-get"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "state-changing-get"
    WORDS = (".get(", ".all(", "@Get(", "function GET", "GET =")
    VALID = [
        code("""
            router.get('/teams/:id/leave', requireLogin, async (req, res) => {
              res.render('leave', { team: await teams.membership(req.session.userId, req.params.id) });
            });
        """),
        code("""
            app.get('/items', async (req, res) => {
              res.json(await items.find());
            });
        """),
    ]
    INVALID = [
        code("""
            router.get('/account/delete', requireLogin, async (req, res) => {
              await «users.remove(req.session.userId)»;
              res.redirect('/');
            });
        """),
        code("""
            «router.route('/:id/:decision').all(async (req, res) => {
              await approvals.decide(req.session.userId, Number(req.params.id), req.params.decision);
              res.render('done');
            })»;
        """),
    ]

    def check(self) -> None:
        for called, node in self.code.calls:
            owner, _, method = called.rpartition(".")
            if method == "get" and _ROUTER.search(owner):
                self._registered(node)
            elif (
                method == "all"
                and ".route(" in owner
                and _ROUTER.search(owner.partition(".route(")[0].strip())
            ):
                handler = self._handler(node)
                if handler is not None and (self._changes(handler) is not None or _DOES.search(owner)):
                    self.report_node(
                        node, "any request method changes data here, a link included; accept POST only"
                    )
        if "@Get(" in self.source.text:
            self._methods()

    def _handler(self, node: Node) -> Node | None:
        argument_list = node.child_by_field_name("arguments")
        arguments = argument_list.named_children if argument_list is not None else []
        return arguments[-1] if arguments and _SESSION.search(self.text(node)[:3000]) else None

    def _registered(self, node: Node) -> None:
        arguments = node.child_by_field_name("arguments")
        path = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        if path is None or path.type not in {"string", "template_string"}:
            return
        handler = self._handler(node)
        if handler is not None:
            self._route(path, handler)

    def _route(self, path: Node, handler: Node) -> None:
        change = self._changes(handler)
        if (
            change is not None
            and _DOES.search(self.text(path))
            and not _TOKEN.search(self.text(path) + self.text(handler)[:1500])
        ):
            self.report_node(change, "GET request changes data, so a link on any page does; use POST")

    def _changes(self, handler: Node) -> Node | None:
        """Return the first call in a handler that writes for the visitor."""
        from wardround.languages.script.syntax import inside

        for one in inside(handler):
            if one.type != "call_expression":
                continue
            called = self.code.field(one, "function")
            owner, _, last = called.rpartition(".")
            if owner and _WRITES.search(last) and not _HARMLESS.search(owner):
                return one
        return None

    def _methods(self) -> None:
        for body in self.code.kinds("class_body"):
            before = ""
            for one in body.named_children:
                if one.type == "decorator":
                    before += self.text(one)
                elif one.type == "method_definition":
                    if "@Get(" in before and _DOES.search(before) and _USER.search(self.text(one)):
                        change = self._changes(one)
                        if change is not None:
                            self.report_node(
                                change, "GET request changes data, so a link on any page does; use POST"
                            )
                    before = ""
