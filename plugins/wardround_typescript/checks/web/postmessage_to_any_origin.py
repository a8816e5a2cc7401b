"""TS063: postmessage to any origin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

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
            place = self._star(target, call)
            if place is None:
                continue
            message = argument(call, 0)
            if self._is_private(message, _DEPTH):
                self.report_node(
                    place, "private data is posted to a page of any origin; name the target origin"
                )
            elif any(_WRITTEN.search(key) for key in self._keys(message, _DEPTH)):
                self.report_node(
                    place,
                    "user input is posted to a page of any origin; name the target origin",
                    Severity.INFO,
                )

    def _star(self, target: Node, call: Node) -> Node | None:
        """Return the call or the helper node that allows any origin; None for a named origin."""
        from wardround.languages.script.code import bare, returned

        code = self.code
        one = bare(target)
        if one is None:
            return None
        if one.type == "object":
            value = self._target_origin(one)
            return self._star(value, call) if value is not None else None
        if self._is_star(one):
            return call
        if one.type == "identifier":
            value = code.value_of(code.text(one), one)
            return call if value is not None and self._is_star(value) else None
        if one.type != "call_expression" or "." in code.called(one):
            return None
        function = code.function_of(code.called(one), one)
        values = returned(function) if function is not None else ()
        return next((value for value in values if self._is_star(value)), None)

    def _target_origin(self, options: Node) -> Node | None:
        for pair in options.named_children:
            if self.code.field(pair, "key") == "targetOrigin":
                return pair.child_by_field_name("value")
        return None

    def _is_star(self, node: Node | None) -> bool:
        code = self.code
        if node is None:
            return False
        if node.type in ("string", "template_string"):
            return code.text(node)[1:-1] == "*"
        if node.type == "binary_expression" and code.field(node, "operator") in ("||", "??"):
            return self._is_star(node.child_by_field_name("right"))
        if node.type == "ternary_expression":
            return any(
                self._is_star(node.child_by_field_name(side)) for side in ("consequence", "alternative")
            )
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
        """Yield the names of the fields of a message, as far as the file declares them."""
        from wardround.languages.script.code import bare

        one = bare(node)
        if one is None or depth == 0:
            return
        if one.type == "object":
            for part in one.named_children:
                yield from self._keys_of_part(part, depth)
        elif one.type == "identifier":
            yield from self._keys_of_name(one, depth)
        elif one.type == "call_expression":
            yield from self._keys_of_call(one, depth)
        elif one.type == "ternary_expression":
            yield from self._keys(one.child_by_field_name("consequence"), depth - 1)

    def _keys_of_part(self, part: Node, depth: int) -> Iterator[str]:
        if part.type == "pair":
            yield self.code.field(part, "key").strip("'\"")
            yield from self._keys(part.child_by_field_name("value"), depth - 1)
        elif part.type == "shorthand_property_identifier":
            yield self.code.text(part)
        elif part.type == "spread_element":
            yield from self._keys(part.named_children[0], depth - 1)

    def _keys_of_call(self, call: Node, depth: int) -> Iterator[str]:
        from wardround.languages.script.code import argument, returned

        called = self.code.called(call)
        if called == "JSON.stringify":
            yield from self._keys(argument(call, 0), depth)
        elif "." not in called:
            function = self.code.function_of(called, call)
            for value in returned(function) if function is not None else ():
                yield from self._keys(value, depth - 1)
            yield from self._fields(self.code.field(function, "return_type"))

    def _keys_of_name(self, name: Node, depth: int) -> Iterator[str]:
        code = self.code
        declaration = code.declaration(code.text(name), name)
        if declaration is not None:
            yield from self._fields(code.field(declaration, "type"))
            yield from self._keys(code.value_of(code.text(name), name), depth - 1)

    def _fields(self, type_text: str) -> Iterator[str]:
        """Return the fields of a type that the file declares."""
        code = self.code
        words = {
            word.strip() for word in type_text.strip(": ").removeprefix("Promise<").rstrip(">").split("|")
        }
        for node in code.kinds("interface_declaration", "type_alias_declaration"):
            if code.field(node, "name") in words:
                body = node.child_by_field_name("body") or node.child_by_field_name("value")
                for one in body.named_children if body is not None else ():
                    yield code.field(one, "name")
