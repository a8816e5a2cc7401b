from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import ancestors, child, is_kind

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
_TEXT_TESTS = frozenset({"endsWith", "includes", "startsWith"})
_CALLBACKS = frozenset({"callback", "cb"})
_SETTERS = frozenset({"set", "setHeader", "header"})
_REFLECTS = "any website may send requests with the visitor's cookies; compare the origin with a list"
_PARTIAL = "pattern accepts foreign origins; anchor it at both ends"
_CHOICES = frozenset({"if_statement", "ternary_expression"})
_SHORTEST_HOST = 5


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
            if arguments:
                self._check_call(name.rpartition(".")[2], node, arguments)
        for pair in self.code.kinds("pair"):
            if self.code.field(pair, "key").strip("'\"") == "origin" and self._sends_credentials(pair):
                self._check_option(pair, child(pair, "value"))
        for node in self.code.kinds("object"):
            if not self._is_set(node):
                self._check_headers(node, node)

    def _check_call(self, method: str, node: Node, arguments: list[Node]) -> None:
        if method == "test" and _ORIGIN_NAME.search(self.text(arguments[0])):
            self._check_pattern(node)
        elif method in _TEXT_TESTS:
            if self._is_loose(node, method, arguments[0]):
                self.report_node(
                    node, "test accepts foreign origins; compare the complete origin with a list"
                )
        elif method in _CALLBACKS and len(arguments) == 2:
            self._check_callback(node, arguments[1])
        elif method in _SETTERS:
            self._check_setter(node, arguments)

    def _is_set(self, node: Node) -> bool:
        """Return True for an object that is an argument of a call that sets headers."""
        arguments = node.parent
        if not is_kind(arguments, "arguments"):
            return False
        return _SETS.search(self.code.field(arguments.parent, "function")) is not None

    def _check_pattern(self, test: Node) -> None:
        owner = child(child(test, "function"), "object")
        pattern = self.reader.scope.resolve(owner) if owner is not None else None
        if is_kind(pattern, "regex") and self._is_partial(self.text(pattern)):
            self.report_node(test, _PARTIAL)

    def _is_partial(self, pattern: str) -> bool:
        body = pattern[1:].rpartition("/")[0]
        if not (body.startswith("^") and body.endswith("$")):
            return True
        has_wildcard = ".*" in body.replace("\\.", "")
        return has_wildcard and "\\." not in body.partition(".*")[2][:3]

    def _is_loose(self, node: Node, method: str, argument: Node) -> bool:
        """Return True for a test of a part of an origin that other hosts can contain."""
        text = self.reader.literal(argument)
        if text is None or len(text) < _SHORTEST_HOST or "." not in text:
            return False
        if not _ORIGIN_NAME.search(self.code.field(node, "function").rpartition(".")[0]):
            return False
        match method:
            case "endsWith":
                return not text.startswith((".", "https://", "http://"))
            case "startsWith":
                return text.count("/") < 3
        return True

    def _check_callback(self, node: Node, allowed: Node) -> None:
        function = self.reader.function_around(node)
        if function is None or "origin" not in self._name(function):
            return
        if self._validates_origin(function) or not self._sends_credentials(function):
            return
        text = self.text(allowed)
        if text == "true" or _ORIGIN_NAME.search(text.partition(" ")[0]):
            self.report_node(node, _REFLECTS)

    def _name(self, function: Node) -> str:
        holder = function if function.type == "method_definition" else function.parent
        return self.text(holder)[:30]

    def _validates_origin(self, function: Node) -> bool:
        return _LOOKS.search(self.text(function)) is not None

    def _sends_credentials(self, node: Node) -> bool:
        options = next((around for around in (node, *ancestors(node)) if around.type == "object"), None)
        return options is not None and self.text(self.reader.option(options, "credentials")) == "true"

    def _check_option(self, pair: Node, value: Node | None) -> None:
        if value is None or self._is_for_environment(pair):
            return
        found = self.reader.scope.resolve(value)
        if value.type == "true" and self.text(found) == "true":
            self.report_node(pair, _REFLECTS)
        elif found.type == "regex" and self._is_partial(self.text(found)):
            self.report_node(pair, _PARTIAL)

    def _is_for_environment(self, node: Node) -> bool:
        """Return True if a condition around the node tests the environment."""
        choices = (around for around in ancestors(node) if around.type in _CHOICES)
        return any(_WHERE.search(self.code.field(choice, "condition")) for choice in choices)

    def _check_setter(self, node: Node, arguments: list[Node]) -> None:
        if arguments[0].type == "object":
            self._check_headers(arguments[0], node)
            return
        name = self.reader.literal(arguments[0]) or ""
        if len(arguments) < 2 or name.lower() != "access-control-allow-origin":
            return
        around = self.text(self.reader.function_around(node)) or self.source.text
        if _CREDENTIALS.search(around) and not _LOOKS.search(around) and self._is_reflected(arguments[1]):
            self.report_node(node, _REFLECTS)

    def _check_headers(self, headers: Node, place: Node) -> None:
        values = self._values(headers)
        origin = values.get("access-control-allow-origin")
        credentials = self.text(values.get("access-control-allow-credentials"))
        if origin is None or "true" not in credentials or not self._is_reflected(origin):
            return
        around = self.text(self.reader.function_around(headers))
        if not _LOOKS.search(around) and ".test(" not in around:
            self.report_node(place, _REFLECTS)

    def _values(self, headers: Node) -> dict[str, Node | None]:
        """Return the values of an object literal by their keys in lower case."""
        pairs = [entry for entry in headers.named_children if entry.type == "pair"]
        return {self.code.field(pair, "key").strip("'\"").lower(): child(pair, "value") for pair in pairs}

    def _is_reflected(self, node: Node) -> bool:
        text = self.text(node) + " " + self.text(self.reader.scope.resolve(node))
        return _REFLECTED.search(text) is not None
