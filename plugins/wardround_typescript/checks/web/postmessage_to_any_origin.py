from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import child, parts

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_WINDOW = LazyPattern(
    r"(?i)(^|\.)(opener|parent|top|contentWindow|popup|frame|iframe|child|host"
    r"|target|source|win|\w*window)!?\.postMessage$"
)
_PERSONAL = LazyPattern(
    r"(?i)(token|password|passwd|secret|credential|api_?key|jwt|session|profile"
    r"|email|phone|account|customer|\buser\b|address|iban|card)"
)
_WRITTEN = LazyPattern(
    r"(?i)^(?:selection|selected_?text|draft|clipboard|comments?|notes?|answers?|form_?(?:data|values)|transcript"
    r"|search_?term)$"
)
_GRANT = LazyPattern(r"(?i)^(code|auth_?code|grant|id_?token|access_?token|assertion)$")
_FLOW = LazyPattern(r"(?i)oauth|sign_?in|log_?in|auth|callback|sso|oidc")
_CSRF = LazyPattern(r"(?i)csrf")
_DEPTH = 3


class PostmessageToAnyOrigin(TreeCheck):
    """Private data is posted to a window of any origin.

    With the target "*" the message is delivered whichever page is loaded in the window by then, and a page
    that opened this one receives the code of the login. Name the expected origin of the receiver.
    """

    ID = "TS063"
    NAME = "postmessage-to-any-origin"
    DEFECT_CLASS = "message-to-any-origin"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("postMessage",)
    ALSO = (("'*'", '"*"', "`*`"),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            window.parent.postMessage({ type: 'height', height }, '*');
        """),
        code("""
            const origin = settings.origin;
            window.opener.postMessage({ token }, origin);
            const all = '*';
        """),
    ]
    INVALID = [
        code("""
            const tell = (frame, selection) => {
              «frame.contentWindow?.postMessage({ type: 'select', selection }, '*')»;
            };
        """),
        code("""
            const target = () => «settings.origin || '*'»;
            export function publish(profile) {
              window.parent.postMessage({ email: profile.email }, target());
            }
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import argument

        for called, call in self.code.calls:
            target = argument(call, 1)
            if target is None or not _WINDOW.search(called):
                continue
            location = self._open_target(target, call)
            if location is not None:
                self._check_message(argument(call, 0), location)

    def _check_message(self, message: Node | None, place: Node) -> None:
        if self._is_private(message, _DEPTH):
            self.report_node(place, "private data is posted to a page of any origin; name the target origin")
        elif any(_WRITTEN.search(key) for key in self._keys(message, _DEPTH)):
            self.report_node(
                place,
                "user input is posted to a page of any origin; name the target origin",
                Severity.INFO,
            )

    def _open_target(self, target: Node | None, call: Node) -> Node | None:
        """Return the call or the helper node that allows any origin; None for a named origin."""
        from wardround.languages.script.code import bare

        value = bare(target)
        if value is None:
            return None
        match value.type:
            case "object":
                return self._open_target(self._target_origin(value), call)
            case "identifier":
                return call if self._is_star(self.code.value_of(self.text(value), value)) else None
            case "call_expression":
                return self._star_of_helper(value)
        return call if self._is_star(value) else None

    def _star_of_helper(self, call: Node) -> Node | None:
        """Return the star that a function of the file returns."""
        from wardround.languages.script.code import returned_expressions

        called = self.code.callee(call)
        function = self.code.function_of(called, call) if "." not in called else None
        values = returned_expressions(function) if function is not None else ()
        return next((value for value in values if self._is_star(value)), None)

    def _target_origin(self, options: Node) -> Node | None:
        for pair in options.named_children:
            if self.code.field(pair, "key") == "targetOrigin":
                return pair.child_by_field_name("value")
        return None

    def _is_star(self, node: Node | None) -> bool:
        match node.type if node is not None else "":
            case "string" | "template_string":
                return self.text(node)[1:-1] == "*"
            case "binary_expression" if self.code.field(node, "operator") in ("||", "??"):
                return self._is_star(child(node, "right"))
            case "ternary_expression":
                return self._is_star(child(node, "consequence")) or self._is_star(child(node, "alternative"))
        return False

    def _is_private(self, node: Node | None, depth: int) -> bool:
        return any(self._is_private_key(key) for key in self._keys(node, depth))

    def _is_private_key(self, key: str) -> bool:
        if _CSRF.search(key):
            return False
        if _GRANT.search(key):
            return _FLOW.search(self.source.path + self.code.module.text) is not None
        return _PERSONAL.search(key) is not None

    def _keys(self, node: Node | None, depth: int) -> Iterator[str]:
        """Yield the names of the fields of a message, if the file declares them."""
        from wardround.languages.script.code import bare

        value = bare(node)
        if value is None or depth == 0:
            return
        match value.type:
            case "object":
                for part in value.named_children:
                    yield from self._keys_of_entry(part, depth)
            case "identifier":
                yield from self._keys_of_name(value, depth)
            case "call_expression":
                yield from self._keys_of_call(value, depth)
            case "ternary_expression":
                yield from self._keys(child(value, "consequence"), depth - 1)

    def _keys_of_entry(self, part: Node, depth: int) -> Iterator[str]:
        match part.type:
            case "pair":
                yield self.code.field(part, "key").strip("'\"")
                yield from self._keys(child(part, "value"), depth - 1)
            case "shorthand_property_identifier":
                yield self.code.text(part)
            case "spread_element":
                yield from self._keys(part.named_children[0], depth - 1)

    def _keys_of_call(self, call: Node, depth: int) -> Iterator[str]:
        from wardround.languages.script.code import argument, returned_expressions

        called = self.code.callee(call)
        if called == "JSON.stringify":
            yield from self._keys(argument(call, 0), depth)
        elif "." not in called:
            function = self.code.function_of(called, call)
            for value in returned_expressions(function) if function is not None else ():
                yield from self._keys(value, depth - 1)
            yield from self._fields(self.code.field(function, "return_type"))

    def _keys_of_name(self, name: Node, depth: int) -> Iterator[str]:
        code = self.code
        declaration = code.declaration(code.text(name), name)
        if declaration is not None:
            yield from self._fields(code.field(declaration, "type"))
            yield from self._keys(code.value_of(code.text(name), name), depth - 1)

    def _fields(self, type_text: str) -> Iterator[str]:
        """Yield the fields of a type that the file declares."""
        types = type_text.strip(": ").removeprefix("Promise<").rstrip(">").split("|")
        names = {name.strip() for name in types}
        for declaration in self.code.kinds("interface_declaration", "type_alias_declaration"):
            if self.code.field(declaration, "name") not in names:
                continue
            body = child(declaration, "body") or child(declaration, "value")
            for member in parts(body):
                yield self.code.field(member, "name")
