from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_WHO = LazyPattern(
    r"^(req|request|ctx)\.session\.(user|user_?[iI]d|uid|account|account_?[iI]d|customer|customer_?[iI]d|member|member_?[iI]d"
    r"|is_?[aA]uthenticated|authenticated|is_?[lL]ogged_?[iI]n|logged_?[iI]n|admin|is_?[aA]dmin|auth)$"
)
_GONE = frozenset({"null", "undefined", "false"})
_LOGS_IN = LazyPattern(
    r"(?i)log-?_?in|sign-?_?in|authenticat|passw|\botp\b|magic|one.?time|redeem|bcrypt|argon2|verifyCode|callback"
)
_FRESH = LazyPattern(
    r"\.regenerate\(|regenerate[A-Z]?\w*\(|cookie-session|iron-session|cookieSession|migrateSession|ctx\.rotateSession"
)


class SessionFixation(TreeCheck):
    """The session keeps its id after a login.

    An attacker who planted the id in the visitor's browser is then logged in as the visitor. Call
    ``req.session.regenerate``, and store the user in the new session.
    """

    ID = "TS362"
    NAME = "session-fixation"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "session-fixation"
    WORDS = (".session.",)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            app.post('/login', async (req, res) => {
              req.session.regenerate(() => {
                req.session.userId = user.id;
                res.end();
              });
            });
        """),
        code("""
            app.post('/logout', (req, res) => {
              req.session.user = null;
            });
        """),
    ]
    INVALID = [
        code("""
            app.post('/login', async (req, res) => {
              const user = await find(req.body);
              «req.session.userId = user.id»;
              req.session.authenticated = true;
              res.end();
            });
        """),
        code(
            """
            exports.signIn = async (req, res) => {
              «req.session.user = await check(req.body)»;
            };
            """,
            path="a.js",
        ),
    ]

    def check(self) -> None:
        if _FRESH.search(self.source.text):
            return
        text: set[int] = set()
        for node in self.code.kinds("assignment_expression"):
            value = node.child_by_field_name("right")
            if not _WHO.search(self.code.field(node, "left")) or value is None or self.text(value) in _GONE:
                continue
            function = self.reader.function_around(node)
            if function is None or function.id in text or "session." in self.text(value):
                continue
            if self._logs_in(node, function):
                text.add(function.id)
                self.report_node(node, "session keeps its id after the login; call regenerate first")

    def _logs_in(self, node: Node, function: Node) -> bool:
        """Return True if a route, a surrounding name, or the values read by the function indicate a login."""
        given = function.parent
        route = self.text(given)[:80] if given is not None and given.type == "arguments" else ""
        names = self.reader.names_around(node)
        return any(_LOGS_IN.search(text) is not None for text in (route, names, self.text(function)[:2000]))
