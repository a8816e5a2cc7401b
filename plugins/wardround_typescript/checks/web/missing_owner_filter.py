from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_LONGEST = 3_000
_SESSION = LazyPattern(
    r"(?:const|let)\s+(?P<name>\w+)\s*=\s*await\s+(?:auth|getServerSession|getSession|requireSession|currentUser|validateRequest|getAuth)\([^)]*\)"
)
_ONLY_ASKED = LazyPattern(r"\w+(\??\.user)?(\??\.\w+)?\s*(\)|&&|\|\|)")
_ROLE = LazyPattern(
    r"(?i)role|isAdmin|permission|\bcan\(|ability|(?<!un)authori[sz]e|owner|belongs|tenant|member|orgId|organi[sz]ation|hasAccess|canAccess|assert\w*Access|team|workspace"
)
_GUARDED = LazyPattern(
    r"\b(requireUser|requireLogin|requireAuth|isAuthenticated|ensureAuthenticated|ensureLoggedIn|authenticate|requireSession|authMiddleware|verifyToken|isLoggedIn)\b"
)
_GUARDED_ROLE = LazyPattern(r"(?i)admin|role|owner|permission|staff|access|member|can\w*\(|policy")
_VISITOR = LazyPattern(
    r"\b(req|request|ctx)\.(user|session|auth\w*|state|account|userId)\b|res\.locals|currentUser|\buser\b|userId"
)
_BY_NUMBER = LazyPattern(r"\bid\b|\bparams\.\w+|[a-z]Id\b")
_LOOKS_UP = LazyPattern(
    r"\.(findById|findByPk|findUnique|findOne|findFirst|getById|get|byId|load|fetch|find)\(|\.(findById|findByPk|findUnique|findOne|findFirst|getById|byId)$"
)
_PERSONAL = LazyPattern(
    r"(?i)pay_?slip|invoice|order|payment|receipt|statement|message|conversation|document|address|card|subscription|prescription|patient|medical|salary|contract|ticket|booking|reservation|wallet|transaction|transcript|report_?card|tax|attachment|upload|export|note"
)


class MissingOwnerFilter(TreeCheck):
    """A logged-in user can read the record of another user by its id.

    The handler requires a session but never reads its user; the record is found by an id of the request
    alone. Add the owner to the query, or compare the owner with the user of the session.
    """

    ID = "TS347"
    NAME = "missing-owner-filter"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authorization"
    SEVERITY = Severity.INFO
    WORDS = ("session", "auth", "requireUser", "requireLogin", "requireAuth")
    VALID = [
        code("""
            export async function GET(_request: Request, { params }) {
              const session = await auth();
              if (!session?.user) return unauthorized();
              const { id } = await params;
              const invoice = await invoices.findFor(session.user.id, id);
              return Response.json(invoice);
            }
        """),
        code("""
            export async function GET(_request: Request, { params }) {
              const session = await auth();
              if (!session) return unauthorized();
              const article = await articles.findById(params.id);
              return Response.json(article);
            }
        """),
    ]
    INVALID = [
        code("""
            router.get('/invoices/:id', requireUser, async (req, res) => {
              res.json(await «invoices.findById(req.params.id)»);
            });
        """),
        code("""
            app.get('/orders/:orderId', requireLogin, async (req, res) => {
              const order = await «Order.findByPk(req.params.orderId)»;
              res.render('order', { order });
            });
        """),
    ]

    def check(self) -> None:
        for function in self.code.kinds("function_declaration", "arrow_function", "function_expression"):
            text = self.text(function)
            if "params" in text and len(text) < _LONGEST and self._is_known_visitor(function, text):
                self._handler(function)

    def _is_known_visitor(self, function: Node, text: str) -> bool:
        """Return True if the handler requires a login and does not use the identity otherwise."""
        if _ROLE.search(text):
            return False
        held = _SESSION.search(text)
        if held is not None:
            rest = text[held.end() :]
            uses = [m.start() for m in _occurrences(held["name"], rest)]
            return bool(uses) and all(
                _ONLY_ASKED.match(rest, at) is not None or rest[:at].endswith("!") for at in uses
            )
        holder = function.parent
        beside = self.text(holder)[: function.start_byte - holder.start_byte] if holder is not None else ""
        return (
            _GUARDED.search(beside) is not None
            and not _GUARDED_ROLE.search(beside)
            and not _VISITOR.search(text)
        )

    def _handler(self, function: Node) -> None:
        from wardround.languages.script.syntax import inside

        for node in inside(function):
            if node.type != "call_expression":
                continue
            called = self.code.field(node, "function")
            arguments = self.code.field(node, "arguments")
            helper = self.reader.scope.functions.get(called)
            complete = self.text(helper)[:600] if helper is not None else called
            if (
                _BY_NUMBER.search(arguments)
                and _LOOKS_UP.search(complete)
                and _PERSONAL.search(called + " " + complete.partition("(")[0])
            ):
                if arguments.count(",") == 0 and self.reader.function_around(node) == function:
                    self.report_node(
                        node, "any logged-in user can read this record; add the owner to the query"
                    )
                return


def _occurrences(name: str, text: str) -> list[re.Match[str]]:
    """Return the positions of a name in a string."""
    return list(re.finditer(rf"(?<![\w$.]){re.escape(name)}\b", text))
