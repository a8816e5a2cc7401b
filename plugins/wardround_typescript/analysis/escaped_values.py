"""Values of a script that are escaped for HTML, followed through the functions of the same file."""

from __future__ import annotations

from wardround.languages.script.code import (
    FUNCTIONS,
    Code,
    argument,
    bare,
    function_around,
    returned_expressions,
)
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern
from wardround_typescript.analysis.assigned_values import assigned_values
from wardround_typescript.analysis.call_frames import PARAMETERS, Frame, FrameArgument
from wardround_typescript.analysis.local_calls import all_calls, methods_of_name
from wardround_typescript.analysis.text_names import SANITIZES, names_value_without_text
from wardround_typescript.syntax.nodes import child, is_kind, parts

_LITERALS = frozenset(
    {"string", "number", "true", "false", "null", "undefined", "regex", "unary_expression", "string_fragment"}
)
_COMPOSED = frozenset({"template_string", "template_substitution", "array", "binary_expression"})
_NAMED = ("identifier", "member_expression", "call_expression")
_NUMBERS = frozenset({"Number", "parseInt", "parseFloat", "Boolean"})
_SAME_TEXT = frozenset(
    {
        *("concat", "filter", "flat", "join", "normalize", "padEnd", "padStart", "repeat", "replace"),
        *("replaceAll", "reverse", "slice", "sort", "split", "substring", "toLowerCase", "toString"),
        *("toUpperCase", "trim", "trimEnd", "trimStart"),
    }
)
"""Methods whose result has no text but that of the object and of the arguments."""
_EVERY_ANGLE = LazyPattern(r"^(?:/(?:<|\[(?!\^)[^\]\n]*<[^\]\n]*\])/[a-z]*g[a-z]*)$")
_ANGLE = LazyPattern(r"^['\"`]<['\"`]$")
_SETS_TEXT = LazyPattern(r"(?<![\w$.])([\w$]+)\.(?:(?:textContent|innerText)\s*=(?!=)|append(?:Child)?\()")
_MOST_CALLS = 3
_MOST_STEPS = 20_000
"""Expressions that are evaluated in a file, about half a second; later ones count as not escaped."""


class EscapedValues:
    """The expressions of a script that cannot add markup to HTML.

    Args:
        trusts_names: True if a value also counts as escaped by its name (``safeTitle``, ``width``); otherwise
            only by an escaping call.
    """

    def __init__(self, code: Code, *, trusts_names: bool = True) -> None:
        self._code = code
        self._trusts_names = trusts_names
        self._open: set[int] = set()
        self._always: dict[tuple[int, str, int], bool] = {}
        self._steps = 0

    @staticmethod
    def outermost(left: int) -> Frame:
        """Return the frame of an expression that no followed call reaches."""
        return Frame(left)

    def is_passed(self, name: Node, frame: Frame) -> bool:
        """Return True for the name of a parameter whose argument is known."""
        return frame.argument_of(self._declaration(name)) is not None

    def _declaration(self, name: Node) -> Node | None:
        return self._code.declaration(self._code.text(name), name)

    def is_escaped(self, node: Node | None, frame: Frame) -> bool:
        """Return True if no markup of a user can be in the value of an expression."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return False
        value = bare(node)
        if value is None or value.type in _LITERALS:
            return True
        return self._is_clean_by_name(value) or self._is_computed_escaped(value, frame)

    def _is_computed_escaped(self, value: Node, frame: Frame) -> bool:
        """Return True if the parts from which an expression is computed are escaped."""
        if value.type in _COMPOSED:
            return all(self.is_escaped(part, frame) for part in value.named_children)
        match value.type:
            case "identifier":
                return self._is_name_escaped(value, frame)
            case "member_expression":
                return self._is_field_escaped(value, frame)
            case "call_expression":
                return self._is_call_escaped(value, frame)
            case "ternary_expression":
                sides = (child(value, "consequence"), child(value, "alternative"))
                return all(self.is_escaped(side, frame) for side in sides)
        return False

    def are_escaped(self, given: Node) -> bool:
        """Return True if no markup of a user can be in an expression or in any argument of a list."""
        values = given.named_children if given.type == "arguments" else [given]
        return all(self.is_escaped(value, self.outermost(_MOST_CALLS)) for value in values)

    def _is_clean_by_name(self, value: Node) -> bool:
        """Return True for the call of a sanitizer, and for a name that is trusted."""
        if not self._trusts_names:
            return value.type == "call_expression" and _has_sanitizer(self._code.callee(value))
        text = self._code.text(value)
        if _has_sanitizer(text):
            return True
        return value.type in _NAMED and names_value_without_text(text)

    # Names

    def _is_name_escaped(self, name: Node, frame: Frame) -> bool:
        declaration = self._declaration(name)
        if declaration is None:
            return False
        if declaration.id in self._open:
            return True
        self._open.add(declaration.id)
        try:
            return self._has_only_escaped_values(declaration, name, frame)
        finally:
            self._open.remove(declaration.id)

    def _has_only_escaped_values(self, declaration: Node, name: Node, frame: Frame) -> bool:
        """Return True if each value that a name can have at a place is escaped."""
        settled, others = assigned_values(self._code, declaration, name)
        if not all(self.is_escaped(value, frame) for value in others):
            return False
        if settled is None:
            return self._is_first_escaped(declaration, self._code.text(name), frame)
        self._open.discard(declaration.id)  # its value may be computed from the earlier one
        escaped = self.is_escaped(settled, frame)
        self._open.add(declaration.id)
        return escaped

    def _is_first_escaped(self, declaration: Node, name: str, frame: Frame) -> bool:
        """Return True if the value with which a name is declared is escaped."""
        if declaration.type in PARAMETERS:
            return self._is_parameter_escaped(declaration, name, frame)
        if declaration.type != "variable_declarator" or self._code.field(declaration, "name") != name:
            return False
        return self.is_escaped(child(declaration, "value"), frame)

    # Parameters and fields

    def _is_parameter_escaped(self, parameter: Node, name: str, frame: Frame) -> bool:
        given = frame.argument_of(parameter)
        if given is None:
            return self._is_always_passed_escaped(parameter, name, frame.left)
        pattern = child(parameter, "pattern")
        if is_kind(pattern, "object_pattern"):
            return self._is_entry_escaped(given, _key_of(self._code, pattern, name))
        is_name = parameter.type == "identifier" or self._code.text(pattern) == name
        return is_name and self.is_escaped(given.value, given.frame)

    def _is_always_passed_escaped(self, parameter: Node, name: str, left: int) -> bool:
        """Return True if every call of the function is in the file and passes an escaped value."""
        key = (parameter.id, name, left)
        if key not in self._always:
            self._always[key] = False  # of a function that calls itself
            frames = self._frames_of_calls(function_around(parameter), Frame(left))
            are_escaped = (self._is_parameter_escaped(parameter, name, frame) for frame in frames)
            self._always[key] = bool(frames) and all(are_escaped)
        return self._always[key]

    def _frames_of_calls(self, function: Node | None, frame: Frame) -> list[Frame]:
        if function is None or frame.left <= 0:
            return []
        return [frame.enter(function, call) for call in all_calls(self._code, function)]

    def _is_field_escaped(self, value: Node, frame: Frame) -> bool:
        """Return True for a field of an object literal that is passed, and for the HTML of a set text."""
        owner = child(value, "object")
        if owner is None:
            return False
        field = self._code.field(value, "property")
        if field == "innerHTML":
            return self._contains_plain_text(owner)
        if owner.type != "identifier":
            return False
        given = frame.argument_of(self._declaration(owner))
        return given is not None and self._is_entry_escaped(given, field)

    def _contains_plain_text(self, element: Node) -> bool:
        """Return True for an element whose text is set, so that its HTML is that text escaped."""
        name, body = self._code.text(element), self._code.text(function_around(element))
        if name.startswith("new Option("):
            return True
        sets = {found[1] for found in _SETS_TEXT.finditer(body)}
        return name in sets and ("createTextNode(" in body or ".append" not in body)

    def _is_entry_escaped(self, given: FrameArgument, key: str) -> bool:
        """Return True if an argument is an object literal whose entry of a key is escaped, or missing."""
        literal = self._literal(given.value)
        if not is_kind(literal, "object") or not key:
            return False
        for entry in literal.named_children:
            if entry.type == "spread_element":
                return False
            if self._entry_key(entry) == key:
                return self._is_entry_value_escaped(entry, given.frame)
        return True

    def _literal(self, node: Node | None) -> Node | None:
        """Return an expression, or the value of the variable that it names."""
        value = bare(node)
        if is_kind(value, "identifier"):
            return self._code.value_of(self._code.text(value), value)
        return value

    def _entry_key(self, entry: Node) -> str:
        if entry.type == "shorthand_property_identifier":
            return self._code.text(entry)
        return self._code.field(entry, "key").strip("'\"")

    def _is_entry_value_escaped(self, entry: Node, frame: Frame) -> bool:
        if entry.type == "shorthand_property_identifier":
            return self._is_name_escaped(entry, frame)
        return self.is_escaped(child(entry, "value"), frame)

    # Calls

    def _is_call_escaped(self, call: Node, frame: Frame) -> bool:
        called = self._code.callee(call)
        if called in _NUMBERS:
            return True
        if called == "String":
            return self.is_escaped(argument(call, 0), frame)
        function = self._called_function(called, call)
        if function is not None:
            return self._is_result_escaped(function, frame.enter(function, call))
        callee = child(call, "function")
        return is_kind(callee, "member_expression") and self._is_method_escaped(call, callee, frame)

    def _called_function(self, called: str, call: Node) -> Node | None:
        """Return the function of the file that a call runs, by a name or as the only method of a name."""
        owner, dot, name = called.rpartition(".")
        if not dot:
            return self._code.function_of(called, call)
        if name in _SAME_TEXT or (owner.isidentifier() and owner in self._code.imports):
            return None
        methods = methods_of_name(self._code, name)
        return methods[0] if len(methods) == 1 else None

    def _is_result_escaped(self, function: Node, frame: Frame) -> bool:
        if frame.left < 0:
            return False
        results = list(returned_expressions(function))
        return bool(results) and all(self.is_escaped(result, frame) for result in results)

    def _is_method_escaped(self, call: Node, callee: Node, frame: Frame) -> bool:
        """Return True for a method that escapes its receiver, or preserves an escaped string."""
        method = self._code.field(callee, "property")
        if self._replaces_angles(call, method):
            return True
        if method in ("map", "flatMap"):
            function = self._code.referenced_function(argument(call, 0))
            return function is not None and self._is_result_escaped(function, frame.deeper())
        if method not in _SAME_TEXT or not self.is_escaped(child(callee, "object"), frame):
            return False
        values = (value for value in parts(child(call, "arguments")) if value.type not in FUNCTIONS)
        return all(self.is_escaped(value, frame) for value in values)

    def _replaces_angles(self, call: Node, method: str) -> bool:
        """Return True for the replacement of every ``<``, the sign that begins markup."""
        first = self._code.text(argument(call, 0))
        if method == "replaceAll" and _ANGLE.search(first):
            return True
        return method in ("replace", "replaceAll") and _EVERY_ANGLE.search(first) is not None


def _key_of(code: Code, pattern: Node, name: str) -> str:
    """Return the key under which an object pattern reads a name; empty if it is nested or a rest element."""
    for part in pattern.named_children:
        match part.type:
            case "pair_pattern" if code.names_in(child(part, "value")) == [name]:
                return code.field(part, "key")
            case "object_assignment_pattern" if code.names_in(part) == [name]:
                return name
            case "shorthand_property_identifier_pattern" if code.text(part) == name:
                return name
    return ""


def _has_sanitizer(text: str) -> bool:
    return SANITIZES.search(text) is not None
