"""TS337."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.analysis.call_options import ServerCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  (what is looked for)
_SENDS = frozenset({"json", "send", "end", "write", "render", "jsonp"})
_RESPONSE = LazyPattern(r"^(res|response|_res|reply|rep|c|ctx|Response|NextResponse|this\.res)\b")
_STACK = LazyPattern(r"(?i)\b(e|err|error|ex|exception|cause|reason)\??\.stack$")
_CHOSEN = LazyPattern(
    r"(?i)NODE_ENV|\?\s*\w+\??\.stack|(dev|debug|production|prod|show\w*|expose\w*|verbose)\w*\s*(\?|&&)"
    r"|&&\s*\{?\s*stack|isDev"
)
_WHERE = LazyPattern(r"(?i)NODE_ENV|dev|debug|prod|env\b|local|expose|verbose|test")
_WHERE_RETURNED = LazyPattern(
    r"(?is)if\s*\([^)]*(NODE_ENV|isProd|production|isDev)[^)]*\)+\s*\{?[^}]{0,200}return"
)


class ErrorDetailsSent(ServerCheck):
    """The inside of an error is sent to whoever asked.

    Stack traces, SQL and file names tell how to attack next. Log them, and send a number by which you find
    them.
    """

    ID = "TS337"
    NAME = "error-details-sent"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "debug-in-production"
    WORDS = ("stack", "errorhandler", "inspector", "showStack", "debug: true", "introspection")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): one hit, right (NodeBB's installer sends err.stack)"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.use((err, req, res, next) => {\n"
            "  logger.error(err.stack);\n"
            "  res.status(500).json({ error: 'internal' });\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "const DEV = process.env.NODE_ENV === 'development';\n"
            "app.use((err, req, res, next) => {\n"
            "  res.status(500).json({ trace: DEV ? err.stack : null });\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.use((err, req, res, next) => {\n"
            "  if (process.env.NODE_ENV !== 'production') return res.send(err.stack);\n"
            "  res.sendStatus(500);\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "class Filter {\n  catch(error, host) {\n    res.status(500).json(this.describe(error));\n  }\n"
            "  describe(error) {\n    return { title: error.name, trace: error.stack?.split('\\n') };\n"
            "  }\n}\n",
            line=3,
            column=5,
            path="case.ts",
        ),
        Invalid(
            "app.setErrorHandler((error, request, reply) => {\n"
            "  const { code, stack } = error;\n"
            "  return reply.code(500).send({ error: { code, stack } });\n"
            "});\n",
            line=3,
            column=10,
            path="case.ts",
        ),
        Invalid(
            "app.use((err, req, res, next) => {\n"
            "  res.status(500).json({ message: err.message, stack: err.stack });\n"
            "});\n",
            line=2,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "export async function GET() {\n"
            "  try {\n"
            "    return Response.json(await rows());\n"
            "  } catch (err) {\n"
            "    return NextResponse.json({ error: err.stack }, { status: 500 });\n"
            "  }\n"
            "}\n",
            line=5,
            column=12,
            path="case.ts",
        ),
        Invalid(
            "const inspector = require('inspector');\n"
            "const settings = { inspect: { port: 9229, host: '0.0.0.0' } };\n"
            "inspector.open(settings.inspect.port, settings.inspect.host);\n",
            line=3,
            column=1,
            path="case.ts",
        ),
        Invalid(
            "const errorhandler = require('errorhandler');\napp.use(errorhandler({ log: true }));\n",
            line=2,
            column=1,
            path="case.ts",
        ),
    ]

    def look(self) -> None:
        for name, node, arguments in self.calls():
            last = name.rpartition(".")[2]
            if last in _SENDS and arguments and _RESPONSE.search(self._called(node)):
                self._sent(node, arguments[0])
            elif (
                name == "inspector.open"
                and len(arguments) > 1
                and (self.literal(arguments[1]) or "") in _EVERYWHERE
            ):
                self.say(node, "the debugger is open to whoever connects")
            elif (
                last == "use"
                and arguments
                and self._shows_stacks(arguments[0])
                and not self._is_guarded(node)
            ):
                self.say(node, "stack traces are sent to whoever asked")
        for node in self.code.kinds("assignment_expression"):
            if self.code.field(node, "left") in {"ctx.body", "this.body"}:
                self._sent(node, node.child_by_field_name("right"))

    def _shows_stacks(self, handler: Node) -> bool:
        is_made = handler.type == "call_expression"
        return is_made and self.scope.dotted(_function(handler)) == "errorhandler"

    def _called(self, node: Node) -> str:
        return self.code.field(node, "function")

    def _sent(self, node: Node, given: Node | None) -> None:
        if given is not None and self._tells(given) and not self._is_guarded(node):
            self.say(node, "the stack trace of the error is sent to whoever asked")

    def _tells(self, node: Node) -> bool:
        from wardround.languages.script.syntax import inside

        whole = self._described(self.scope.resolved(node))
        for one in inside(whole):
            text = self.text(one)
            if one.type == "member_expression" and _STACK.search(text):
                return not _CHOSEN.search(self.text(whole))
            if one.type == "shorthand_property_identifier" and text == "stack":
                return not _CHOSEN.search(self.text(whole))
        return False

    def _described(self, node: Node) -> Node:
        """What a function or method of the file makes of the error that is handed to it."""
        if node.type != "call_expression":
            return node
        name = self._called(node).rpartition(".")[2]
        helper = self.scope.functions.get(name) or next(
            (one.methods[name] for one in self.scope.classes.values() if name in one.methods), None
        )
        return helper if helper is not None else node

    def _is_guarded(self, node: Node) -> bool:
        """Whether a condition around it, or a return before it, asks where the program runs."""
        around: Node | None = node
        while around is not None and around.type != "program":
            if around.type in {"if_statement", "ternary_expression"} and _WHERE.search(
                self.code.field(around, "condition")
            ):
                return True
            if around.type in {"statement_block"}:
                before = self.text(around)[: node.start_byte - around.start_byte]
                if _WHERE_RETURNED.search(before):
                    return True
            around = around.parent
        return False


def _function(call: Node) -> Node:
    function = call.child_by_field_name("function")
    return function if function is not None else call
