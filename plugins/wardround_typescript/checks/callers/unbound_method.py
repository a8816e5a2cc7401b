"""TS086: unbound method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_KEEPS = (
    "addEventListener", "addListener", "on", "once", "subscribe", "setTimeout", "setInterval", "setImmediate",
    "requestAnimationFrame", "requestIdleCallback", "queueMicrotask", "nextTick", "then", "catch", "finally",
    "map", "forEach", "filter", "some", "every", "find", "findIndex", "flatMap", "reduce", "sort",
)  # fmt: skip
"""Functions that call their callback later or without an object."""
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "all", "use", "route"})
_ROUTER = LazyPattern(r"(?i)^(\w*router|app|server|api|fastify|routes)$")
_HANDLER = LazyPattern(r"^on[A-Z]")
_DOM_HANDLER = LazyPattern(r"^on[a-z]+$")
_BOUND = LazyPattern(r"(?i)autobind|bindAll|bindMethods|\.bound\b|boundMethod")
_MADE = LazyPattern(
    r"(?:export\s+default|\bexports\s*=|\bexport\s+const\s+(\w+)\s*(?::[^=\n]*)?=)\s*new\s+(\w+)"
)
_OWN_THIS = frozenset({"function_expression", "function_declaration", "generator_function", "class_body"})
_PLAIN = frozenset({"static", "get", "set"})


class UnboundMethod(TreeCheck):
    """A method is passed without its object but uses ``this``.

    It is later called as a plain function: ``this`` is undefined, or the element or emitter that calls it.
    Pass a function that calls the method, or bind it: ``() => this.tick()``.
    """

    ID = "TS086"
    NAME = "unbound-method"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unbound-method"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    WORDS = (
        *(f"{name}(" for name in _KEEPS), "Router", "router", "app.", "={this.", "} = new ", "= this.",
        ": this.", " = new ",
    )  # fmt: skip
    ALSO = (("class ", "new ", "import ", "require("),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            class Ticker {
              constructor(b) {
                this.tick = this.tick.bind(this);
                b.addEventListener('click', this.tick);
              }
              tick() {
                this.n += 1;
              }
            }
        """),
        code("""
            class Ticker {
              start(b) {
                b.addEventListener('click', () => this.tick());
                b.on('x', this.tick, this);
                this.on('y', this.tick);
                b.on('z', this.help);
              }
              tick = () => this.n++;
              help() {
                return 1;
              }
            }
        """),
    ]
    INVALID = [
        code(
            """
            const shop = require('./shop');
            router.get('/', «shop.list»);
            """,
            path="src/routes.js",
            others={
                "src/shop.js": """
                class Shop {
                  list(req, res) {
                    res.json(this.rows);
                  }
                }
                module.exports = new Shop();
                """,
            },
        ),
        code("""
            class Api {
              get(path) {
                return fetch(this.base + path);
              }
            }
            const api = new Api();
            const get = «api.get»;
            get('/x');
        """),
    ]

    def check(self) -> None:
        code = self.code
        own = {body.id: _asking(code, body) for body in code.kinds("class_body")}
        for node in code.kinds("member_expression"):
            held, name = node.child_by_field_name("object"), code.field(node, "property")
            if held is None or held.type not in ("this", "identifier") or not self._is_passed(node):
                continue
            methods = own.get(_class_of(node), ()) if held.type == "this" else self._methods_of(held)
            if name in methods:
                self.report_node(
                    node,
                    f"{name} uses this but is passed without its object; bind it or wrap it in an "
                    "arrow function",
                )
        for name_node, class_name in self._destructured():
            if code.text(name_node) in self._of_class(class_name, name_node):
                self.report_node(
                    name_node,
                    f"{code.text(name_node)} uses this but is taken from its object; bind it or call "
                    "it on the object",
                )

    def _is_passed(self, node: Node) -> bool:
        """Return True if a node passes the method itself to code that calls it without an object."""
        code, above = self.code, node.parent
        if above is None:
            return False
        if above.type == "jsx_expression":
            return self._is_event_attribute(above.parent)
        if above.type == "pair":
            return _HANDLER.search(code.field(above, "key")) is not None
        if above.type == "variable_declarator":
            return self._is_called(above)
        if above.type == "assignment_expression":
            left = above.child_by_field_name("left")
            return left != node and _DOM_HANDLER.search(code.field(left, "property")) is not None
        return above.type == "arguments" and self._is_callback(node, above)

    def _is_event_attribute(self, attribute: Node | None) -> bool:
        return (
            attribute is not None
            and attribute.type == "jsx_attribute"
            and _HANDLER.search(self.code.text(attribute.named_children[0])) is not None
        )

    def _is_callback(self, node: Node, arguments: Node) -> bool:
        call = arguments.parent
        if call is None or call.type != "call_expression":
            return False
        if any(child.type == "this" for child in arguments.children):
            return False
        owner, _, last = self.code.called(call).rpartition(".")
        if last in _VERBS:
            is_first = arguments.named_children[0] == node
            return _ROUTER.search(owner.rpartition(".")[2]) is not None and not is_first
        return last in _KEEPS and owner != "this"

    def _is_called(self, declarator: Node) -> bool:
        """Return True if a variable that holds the method is called on its own."""
        code = self.code
        name = code.field(declarator, "name")
        return any(code.declaration(name, call) == declarator for call in code.calls_named(name))

    def _methods_of(self, held: Node) -> frozenset[str]:
        """Return the methods that use ``this``, of the object that a name refers to."""
        from wardround.languages.script.code import argument

        code = self.code
        name = code.text(held)
        value = code.value_of(name, held)
        if value is not None and code.called(value) == "require":
            return self._imported(code.text(argument(value, 0))[1:-1], name)
        if value is not None:
            return self._of_class(_class_made(code, value), held)
        module = code.imports.get(name)
        return frozenset() if module is None else self._imported(module, name)

    def _of_class(self, name: str, at: Node) -> frozenset[str]:
        from wardround_typescript.analysis.call_resolution import origin, script_of

        if not name:
            return frozenset()
        found = _class_named(self.code, name)
        if found is not None or name not in self.code.imports:
            return found or frozenset()
        elsewhere = origin(name, script_of(self.source.path, self.source.text), self.source.project)
        return _in_text(elsewhere[0].path, elsewhere[0].text, elsewhere[1]) if elsewhere else frozenset()

    def _imported(self, module: str, name: str) -> frozenset[str]:
        """Return the methods of an object that another file creates and exports."""
        from wardround_typescript.analysis.call_resolution import file_meant

        found = file_meant(module, self.source.path, self.source.project)
        for match in _MADE.finditer(found[1]) if found is not None else ():
            if match[1] in (None, name) and found is not None:
                return _in_text(*found, match[2])
        return frozenset()

    def _destructured(self) -> Iterator[tuple[Node, str]]:
        """Yield the names that ``const { write } = new Log()`` binds, each with the class."""
        code = self.code
        for node in code.kinds("variable_declarator"):
            pattern, made = (
                node.child_by_field_name("name"),
                _class_made(code, node.child_by_field_name("value")),
            )
            if pattern is not None and pattern.type == "object_pattern" and made:
                for one in pattern.named_children:
                    if one.type == "shorthand_property_identifier_pattern":
                        yield one, made


def _class_made(code: Code, value: Node | None) -> str:
    return code.field(value, "constructor") if value is not None and value.type == "new_expression" else ""


def _in_text(path: str, text: str, name: str) -> frozenset[str]:
    from wardround.languages.script.code import code_of

    return _class_named(code_of(path, text), name) or frozenset()


def _class_named(code: Code, name: str) -> frozenset[str] | None:
    for node in code.kinds("class_declaration", "class"):
        body = node.child_by_field_name("body")
        if code.field(node, "name") == name and body is not None:
            return _asking(code, body)
    return None


def _class_of(node: Node) -> int:
    """Return the class body to which ``this`` belongs at a node; 0 if a function has its own ``this``."""
    above = node.parent
    while above is not None and above.type not in _OWN_THIS:
        above = above.parent
    return above.id if above is not None and above.type == "class_body" else 0


def _asking(code: Code, body: Node) -> frozenset[str]:
    """Return the methods of a class that use ``this`` and are not bound to their object."""
    text = code.text(body)
    if _BOUND.search(text):
        return frozenset()
    found = set()
    for one in body.named_children:
        if one.type != "method_definition" or any(child.type in _PLAIN for child in one.children):
            continue
        name = code.field(one, "name")
        before = one.prev_named_sibling
        is_decorated = before is not None and before.type == "decorator"
        if not is_decorated and f"this.{name} = " not in text and _uses_this(one.child_by_field_name("body")):
            found.add(name)
    return frozenset(found)


def _uses_this(body: Node | None) -> bool:
    open_ = [body] if body is not None else []
    while open_:
        one = open_.pop()
        if one.type in ("this", "super"):
            return True
        open_.extend(child for child in one.children if child.type not in _OWN_THIS)
    return False
