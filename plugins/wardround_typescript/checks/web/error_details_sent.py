from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import ancestors, child

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
_CHOICES = frozenset({"if_statement", "ternary_expression"})


class ErrorDetailsSent(TreeCheck):
    """Internal details of an error are sent to the client.

    Stack traces, SQL and file names help an attacker. Log them, and send an id under which they are found.
    """

    ID = "TS337"
    NAME = "error-details-sent"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "information-exposure"
    WORDS = ("stack", "errorhandler", "inspector", "showStack", "debug: true", "introspection")
    VALID = [
        code("""
            app.use((err, req, res, next) => {
              logger.error(err.stack);
              res.status(500).json({ error: 'internal' });
            });
        """),
        code("""
            const DEV = process.env.NODE_ENV === 'development';
            app.use((err, req, res, next) => {
              res.status(500).json({ trace: DEV ? err.stack : null });
            });
        """),
    ]
    INVALID = [
        code(r"""
            class Filter {
              catch(error, host) {
                «res.status(500).json(this.describe(error))»;
              }
              describe(error) {
                return { title: error.name, trace: error.stack?.split('\n') };
              }
            }
        """),
        code("""
            app.setErrorHandler((error, request, reply) => {
              const { code, stack } = error;
              return «reply.code(500).send({ error: { code, stack } })»;
            });
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            if arguments:
                self._check_call(name, node, arguments)
        for assignment in self.code.kinds("assignment_expression"):
            if self.code.field(assignment, "left") in {"ctx.body", "this.body"}:
                self._check_sent(assignment, child(assignment, "right"))

    def _check_call(self, name: str, node: Node, arguments: list[Node]) -> None:
        last = name.rpartition(".")[2]
        if last in _SENDS and _RESPONSE.search(self._callee_text(node)):
            self._check_sent(node, arguments[0])
        elif name == "inspector.open" and self.reader.literal(_second(arguments)) in _EVERYWHERE:
            self.report_node(node, "debugger is open to every client; bind it to localhost or disable it")
        elif last == "use" and self._shows_stacks(arguments[0]) and not self._is_guarded(node):
            self.report_node(node, "stack traces are sent to the client; log them instead")

    def _shows_stacks(self, handler: Node) -> bool:
        is_made = handler.type == "call_expression"
        return is_made and self.reader.scope.qualified_name(_function(handler)) == "errorhandler"

    def _callee_text(self, node: Node) -> str:
        return self.code.field(node, "function")

    def _check_sent(self, node: Node, value: Node | None) -> None:
        if value is not None and self._has_details(value) and not self._is_guarded(node):
            self.report_node(node, "stack trace of the error is sent to the client; log it and send an id")

    def _has_details(self, node: Node) -> bool:
        from wardround.languages.script.syntax import inside

        complete = self._described_error(self.reader.scope.resolve(node))
        if not any(map(self._is_stack, inside(complete))):
            return False
        return not _CHOSEN.search(self.text(complete))

    def _is_stack(self, node: Node) -> bool:
        match node.type:
            case "member_expression":
                return _STACK.search(self.text(node)) is not None
            case "shorthand_property_identifier":
                return self.text(node) == "stack"
        return False

    def _described_error(self, node: Node) -> Node:
        """Return the function or method of the file that describes an error; else the node."""
        if node.type != "call_expression":
            return node
        name = self._callee_text(node).rpartition(".")[2]
        scope = self.reader.scope
        if name in scope.functions:
            return scope.functions[name]
        return next((owner.methods[name] for owner in scope.classes.values() if name in owner.methods), node)

    def _is_guarded(self, node: Node) -> bool:
        """Return True if a condition around the node, or a return before it, tests the environment."""
        for around in (node, *ancestors(node)):
            if around.type in _CHOICES and _WHERE.search(self.code.field(around, "condition")):
                return True
            if around.type == "statement_block":
                before = self.text(around)[: node.start_byte - around.start_byte]
                if _WHERE_RETURNED.search(before):
                    return True
        return False


def _function(call: Node) -> Node:
    return child(call, "function") or call


def _second(arguments: list[Node]) -> Node | None:
    return arguments[1] if len(arguments) > 1 else None
