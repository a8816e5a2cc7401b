"""TS338: reflected cors origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ORIGIN_NAME = LazyPattern(r"(?i)(^|\.)(request)?origin$|\borigin\b")
_LOOKS = LazyPattern(
    r"(?i)\.(includes|has|some|find|indexOf|endsWith|startsWith|test|match)\(|allow\w*\(|is\w*(Origin|"
    r"Allowed|Trusted)\w*\(|===|origin in \b"
)
_CREDENTIALS = LazyPattern(r"(?i)access-control-allow-credentials['\"]\s*,\s*['\"]?true")
_REFLECTED = LazyPattern(
    r"(?i)headers(\.origin|\[['\"]origin['\"]\]|\.get\(\s*['\"]origin['\"]\s*\))|\.(get|header)\(\s*['\"]origin['\"]\s*\)"
)
_WHERE = LazyPattern(r"(?i)NODE_ENV|prod|dev|local|test")
_SETS = LazyPattern(r"\.(set|setHeader|header)$")


class ReflectedCorsOrigin(TreeCheck):
    """Any website may read responses with the visitor's cookies.

    The origin of the request is returned as the allowed one, or a pattern decides that also matches other
    origins. Compare the complete origin with a list.
    """

    ID = "TS338"
    NAME = "reflected-cors-origin"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "cors-any-origin"
    WORDS = ("rigin",)
    VALID = [
        code("""
            const HEADERS = { 'access-control-allow-origin': '*' };
        """),
        code("""
            app.use(cors({ origin: ['https://a.example.com'], credentials: true }));
        """),
    ]
    INVALID = [
        code("""
            const options = {
              credentials: true,
              origin(origin, callback) {
                «callback(null, origin ?? true)»;
              },
            };
        """),
        code("""
            app.use((req, res, next) => {
              «res.setHeader('Access-Control-Allow-Origin', req.headers.origin)»;
              res.setHeader('Access-Control-Allow-Credentials', 'true');
              next();
            });
        """),
    ]

    def check(self) -> None:
        if "redentials" not in self.source.text:
            return
        for name, node, arguments in self.reader.calls():
            self._check_call(name, node, arguments)
        for node in self.code.kinds("pair"):
            if self.code.field(node, "key").strip("'\"") == "origin" and self._with_credentials(node):
                self._option(node, node.child_by_field_name("value"))
        for node in self.code.kinds("object"):
            if not self._is_set(node):
                self._headers(node, node)

    def _check_call(self, name: str, node: Node, arguments: list[Node]) -> None:
        last = name.rpartition(".")[2]
        if last == "test" and arguments and _ORIGIN_NAME.search(self.text(arguments[0])):
            self._tested(node)
        elif last in {"endsWith", "includes", "startsWith"}:
            if arguments and self._is_loose(node, last, arguments[0]):
                self.report_node(
                    node, "test accepts foreign origins; compare the complete origin with a list"
                )
        elif last in {"callback", "cb"} and len(arguments) == 2:
            self._called_back(node, arguments[1])
        elif last in {"set", "setHeader", "header"}:
            self._header(node, arguments)

    def _is_set(self, node: Node) -> bool:
        """Return True for an object that is an argument of a call that sets headers."""
        arguments = node.parent
        if arguments is None or arguments.type != "arguments":
            return False
        return _SETS.search(self.code.field(arguments.parent, "function")) is not None

    def _tested(self, node: Node) -> None:
        function = node.child_by_field_name("function")
        owner = function.child_by_field_name("object") if function is not None else None
        pattern = self.reader.scope.resolved(owner) if owner is not None else None
        if pattern is not None and pattern.type == "regex" and self._is_partial(self.text(pattern)):
            self.report_node(node, "pattern accepts foreign origins; anchor it at both ends")

    def _is_partial(self, pattern: str) -> bool:
        body = pattern[1:].rpartition("/")[0]
        return (
            not body.startswith("^")
            or not body.endswith("$")
            or (".*" in body.replace("\\.", "") and "\\." not in body.partition(".*")[2][:3])
        )

    def _is_loose(self, node: Node, method: str, given: Node) -> bool:
        owner = self.code.field(node, "function").rpartition(".")[0]
        text = self.reader.literal(given)
        if text is None or not _ORIGIN_NAME.search(owner) or len(text) < 5 or "." not in text:
            return False
        return (
            method == "includes"
            or (method == "endsWith" and not text.startswith((".", "https://", "http://")))
            or (method == "startsWith" and text.count("/") < 3)
        )

    def _called_back(self, node: Node, given: Node) -> None:
        function = self.reader.function_around(node)
        if (
            function is None
            or "origin" not in self._name(function)
            or self._validates(function)
            or not self._with_credentials(function)
        ):
            return
        if self.text(given) == "true" or _ORIGIN_NAME.search(self.text(given).partition(" ")[0]):
            self.report_node(
                node,
                "any website may send requests with the visitor's cookies; compare the origin with a list",
            )

    def _name(self, function: Node) -> str:
        holder = function if function.type == "method_definition" else function.parent
        return self.text(holder)[:30] if holder is not None else ""

    def _validates(self, function: Node) -> bool:
        return _LOOKS.search(self.text(function)) is not None

    def _with_credentials(self, node: Node) -> bool:
        around: Node | None = node
        while around is not None and around.type != "object":
            around = around.parent
        return around is not None and self.text(self.reader.option(around, "credentials")) == "true"

    def _option(self, node: Node, value: Node | None) -> None:
        found = self.reader.scope.resolved(value) if value is not None else None
        if found is None or self._is_at_home(node):
            return
        if self.text(found) == "true" and value is not None and value.type == "true":
            self.report_node(
                node,
                "any website may send requests with the visitor's cookies; compare the origin with a list",
            )
        elif found.type == "regex" and self._is_partial(self.text(found)):
            self.report_node(node, "pattern accepts foreign origins; anchor it at both ends")

    def _is_at_home(self, node: Node) -> bool:
        """Return True if a condition around the node tests the environment."""
        around = node.parent
        while around is not None:
            is_choice = around.type in {"if_statement", "ternary_expression"}
            if is_choice and _WHERE.search(self.code.field(around, "condition")):
                return True
            around = around.parent
        return False

    def _header(self, node: Node, arguments: list[Node]) -> None:
        function = self.reader.function_around(node)
        if arguments and arguments[0].type == "object":
            self._headers(arguments[0], node)
        elif (
            len(arguments) > 1
            and (self.reader.literal(arguments[0]) or "").lower() == "access-control-allow-origin"
        ):
            around = self.text(function) if function is not None else self.source.text
            if self._is_reflected(arguments[1]) and _CREDENTIALS.search(around) and not _LOOKS.search(around):
                self.report_node(
                    node,
                    "any website may send requests with the visitor's cookies; compare the origin "
                    "with a list",
                )

    def _headers(self, node: Node, at: Node) -> None:
        named = {
            self.code.field(one, "key").strip("'\"").lower(): one.child_by_field_name("value")
            for one in node.named_children
            if one.type == "pair"
        }
        origin, credentials = (
            named.get("access-control-allow-origin"),
            named.get("access-control-allow-credentials"),
        )
        function = self.reader.function_around(node)
        if (
            origin is None
            or credentials is None
            or "true" not in self.text(credentials)
            or not self._is_reflected(origin)
        ):
            return
        if function is None or not (_LOOKS.search(self.text(function)) or ".test(" in self.text(function)):
            self.report_node(
                at, "any website may send requests with the visitor's cookies; compare the origin with a list"
            )

    def _is_reflected(self, node: Node) -> bool:
        text = self.text(node) + " " + self.text(self.reader.scope.resolved(node))
        return _REFLECTED.search(text) is not None
