"""Values of a script that are escaped for HTML, followed through the functions of the same file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.code import (
    FUNCTIONS,
    Code,
    argument,
    bare,
    encloses,
    function_around,
    returned,
)
from wardround.languages.script.syntax import Node
from wardround_typescript.analysis.text_names import SANITIZES, names_no_text

_LITERALS = frozenset(
    {"string", "number", "true", "false", "null", "undefined", "regex", "unary_expression", "string_fragment"}
)
_PARAMETERS = frozenset({"required_parameter", "optional_parameter", "identifier"})
_ASSIGNMENTS = ("assignment_expression", "augmented_assignment_expression")
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


@dataclass(frozen=True, slots=True)
class Frame:
    """The calls through which an expression is reached.

    Attributes:
        left: the number of calls that may still be followed.
        given: the id of the declaration of a parameter -> its argument; None if none is passed.
    """

    left: int
    given: Mapping[int, Given] = field(default_factory=dict)

    def deeper(self) -> Frame:
        """Return the frame of an expression of the same call, one step further."""
        return Frame(self.left - 1, self.given)


@dataclass(frozen=True, slots=True)
class Given:
    """An argument, and the frame in which it is evaluated."""

    value: Node | None
    frame: Frame


class EscapedValues:
    """The expressions of a script that cannot add markup to HTML.

    Args:
        trusts_names: True if a value also counts as escaped by its name (``safeTitle``, ``width``); if not,
            only what code escapes does.
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

    def entered(self, function: Node, call: Node, frame: Frame) -> Frame:
        """Return the frame of the body of a function that a call runs."""
        passed = call.child_by_field_name("arguments")
        if passed is None or any(part.type == "spread_element" for part in passed.named_children):
            return frame.deeper()
        given = dict(frame.given)
        for place, parameter in enumerate(_parameters(function)):
            value = argument(call, place) or parameter.child_by_field_name("value")
            given[parameter.id] = Given(value, frame)
        return Frame(frame.left - 1, given)

    def is_given(self, name: Node, frame: Frame) -> bool:
        """Return True for the name of a parameter whose argument is known."""
        declaration = self._code.declaration(self._code.text(name), name)
        return declaration is not None and declaration.id in frame.given

    def is_escaped(self, node: Node | None, frame: Frame) -> bool:
        """Return True if no markup of a user can be in the value of an expression."""
        value = bare(node)
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return False
        if value is None or value.type in _LITERALS or self._is_clean_by_name(value):
            return True
        match value.type:
            case "identifier":
                return self._is_name_escaped(value, frame)
            case "member_expression":
                return self._is_field_escaped(value, frame)
            case "call_expression":
                return self._is_call_escaped(value, frame)
            case "template_string" | "template_substitution" | "array":
                return all(self.is_escaped(part, frame) for part in value.named_children)
            case "ternary_expression":
                sides = ("consequence", "alternative")
                return all(self.is_escaped(value.child_by_field_name(side), frame) for side in sides)
            case "binary_expression":
                return all(self.is_escaped(part, frame) for part in value.named_children)
        return False

    def are_escaped(self, given: Node) -> bool:
        """Return True if no markup of a user can be in an expression or in any argument of a list."""
        values = given.named_children if given.type == "arguments" else [given]
        return all(self.is_escaped(value, self.outermost(_MOST_CALLS)) for value in values)

    def _is_clean_by_name(self, value: Node) -> bool:
        """Return True for the call of a sanitizer, and for a name that is trusted."""
        text = self._code.text(value)
        if not self._trusts_names:
            called = self._code.called(value) if value.type == "call_expression" else ""
            return SANITIZES.search(called) is not None
        if SANITIZES.search(text):
            return True
        is_name = value.type in ("identifier", "member_expression", "call_expression")
        return is_name and names_no_text(text)

    # Names

    def _is_name_escaped(self, name: Node, frame: Frame) -> bool:
        declaration = self._code.declaration(self._code.text(name), name)
        if declaration is None:
            return False
        if declaration.id in self._open:
            return True
        self._open.add(declaration.id)
        try:
            return self._is_held_escaped(declaration, name, frame)
        finally:
            self._open.remove(declaration.id)

    def _is_held_escaped(self, declaration: Node, name: Node, frame: Frame) -> bool:
        """Return True if each value that a name can have at a place is escaped."""
        settled, others = self._assigned(declaration, name)
        if not all(self.is_escaped(value, frame) for value in others):
            return False
        if settled is not None:
            self._open.discard(declaration.id)  # its value may be computed from the earlier one
            escaped = self.is_escaped(settled, frame)
            self._open.add(declaration.id)
            return escaped
        return self._is_first_escaped(declaration, self._code.text(name), frame)

    def _is_first_escaped(self, declaration: Node, name: str, frame: Frame) -> bool:
        """Return True if the value with which a name is declared is escaped."""
        if declaration.type in _PARAMETERS:
            return self._is_parameter_escaped(declaration, name, frame)
        if declaration.type != "variable_declarator" or self._code.field(declaration, "name") != name:
            return False
        return self.is_escaped(declaration.child_by_field_name("value"), frame)

    def _assigned(self, declaration: Node, name: Node) -> tuple[Node | None, list[Node]]:
        """Return the value that the last unconditional assignment before a use gives, and those that
        others add.
        """
        settled, others = None, list[Node]()
        for assignment, value in self._assignments(declaration, self._code.text(name)):
            if assignment.end_byte <= name.start_byte and _is_unconditional(assignment, declaration):
                settled, others = value, []
            elif not encloses(assignment, name):
                others.append(value)
        return settled, others

    def _assignments(self, declaration: Node, name: str) -> Iterator[tuple[Node, Node]]:
        """Yield the (assignment, value) pairs of a variable in source order."""
        for use in sorted(self._code.uses(declaration, name), key=lambda node: node.start_byte):
            above = use.parent
            if above is not None and above.type in _ASSIGNMENTS and above.child_by_field_name("left") == use:
                value = above.child_by_field_name("right")
                if value is not None:
                    yield above, value

    # Parameters and fields

    def _is_parameter_escaped(self, parameter: Node, name: str, frame: Frame) -> bool:
        given = frame.given.get(parameter.id)
        if given is None:
            return self._is_always_given_escaped(parameter, name, frame.left)
        pattern = parameter.child_by_field_name("pattern")
        if pattern is not None and pattern.type == "object_pattern":
            return self._is_entry_escaped(given, _key_of(self._code, pattern, name))
        is_name = parameter.type == "identifier" or self._code.text(pattern) == name
        return is_name and self.is_escaped(given.value, given.frame)

    def _is_always_given_escaped(self, parameter: Node, name: str, left: int) -> bool:
        """Return True if every call of the function is in the file and passes an escaped value."""
        key = (parameter.id, name, left)
        if key not in self._always:
            self._always[key] = False  # of a function that calls itself
            function = function_around(parameter)
            frames = self._frames_of_calls(function, Frame(left)) if function is not None else []
            self._always[key] = bool(frames) and all(
                self._is_parameter_escaped(parameter, name, frame) for frame in frames
            )
        return self._always[key]

    def _frames_of_calls(self, function: Node, frame: Frame) -> list[Frame]:
        calls = self._all_calls(function) if frame.left > 0 else []
        return [self.entered(function, call, frame) for call in calls]

    def _all_calls(self, function: Node) -> list[Node]:
        """Return the calls of a function that is only called; none if it is exported or passed on."""
        name = self._code.name_of(function)
        declaration = self._code.declaration(name, function) if name else None
        if declaration is None or self._code.function_of(name, function) != function:
            return []
        calls = []
        for use in self._code.uses(declaration, name):
            above = use.parent
            if use == declaration.child_by_field_name("name"):
                continue
            if above is None or above.child_by_field_name("function") != use:
                return []
            calls.append(above)
        return [] if _is_exported(declaration) else calls

    def _is_field_escaped(self, value: Node, frame: Frame) -> bool:
        """Return True for a field of an object literal that is passed, and for the HTML of a set text."""
        code, owner = self._code, value.child_by_field_name("object")
        if owner is not None and code.field(value, "property") == "innerHTML":
            return self._holds_text(owner)
        if owner is None or owner.type != "identifier":
            return False
        declaration = code.declaration(code.text(owner), owner)
        given = frame.given.get(declaration.id) if declaration is not None else None
        return given is not None and self._is_entry_escaped(given, code.field(value, "property"))

    def _holds_text(self, element: Node) -> bool:
        """Return True for an element whose text is set, so that its HTML is that text escaped."""
        name, body = self._code.text(element), self._code.text(function_around(element))
        if name.startswith("new Option("):
            return True
        sets = {found[1] for found in _SETS_TEXT.finditer(body)}
        return name in sets and ("createTextNode(" in body or ".append" not in body)

    def _is_entry_escaped(self, given: Given, key: str) -> bool:
        """Return True if an argument is an object literal whose entry of a key is escaped."""
        literal = bare(given.value)
        if literal is not None and literal.type == "identifier":
            literal = self._code.value_of(self._code.text(literal), literal)
        if literal is None or literal.type != "object" or not key:
            return False
        for entry in literal.named_children:
            if entry.type == "spread_element":
                return False
            if self._code.field(entry, "key").strip("'\"") == key:
                return self.is_escaped(entry.child_by_field_name("value"), given.frame)
            if entry.type == "shorthand_property_identifier" and self._code.text(entry) == key:
                return self._is_name_escaped(entry, given.frame)
        return True

    # Calls

    def _is_call_escaped(self, call: Node, frame: Frame) -> bool:
        code = self._code
        called = code.called(call)
        if called in ("Number", "parseInt", "parseFloat", "Boolean"):
            return True
        if called == "String":
            return self.is_escaped(argument(call, 0), frame)
        function = self._function_called(called, call)
        if function is not None:
            return self._is_result_escaped(function, self.entered(function, call, frame))
        callee = call.child_by_field_name("function")
        if callee is None or callee.type != "member_expression":
            return False
        return self._is_method_escaped(call, callee, frame)

    def _function_called(self, called: str, call: Node) -> Node | None:
        """Return the function of the file that a call runs, by a name or as the only method of a name."""
        if "." not in called:
            return self._code.function_of(called, call)
        owner, _, name = called.rpartition(".")
        if owner.isidentifier() and owner in self._code.imports:
            return None
        methods = [
            node for node in self._code.kinds("method_definition") if self._code.field(node, "name") == name
        ]
        for pair in self._code.kinds("pair"):
            value = pair.child_by_field_name("value")
            if self._code.field(pair, "key") == name and value is not None and value.type in FUNCTIONS:
                methods.append(value)
        return methods[0] if len(methods) == 1 and name not in _SAME_TEXT else None

    def _is_result_escaped(self, function: Node, frame: Frame) -> bool:
        if frame.left < 0:
            return False
        results = list(returned(function))
        return bool(results) and all(self.is_escaped(result, frame) for result in results)

    def _is_method_escaped(self, call: Node, callee: Node, frame: Frame) -> bool:
        """Return True for a method that escapes its object, or keeps the text of an escaped one."""
        method = self._code.field(callee, "property")
        if self._replaces_angles(call, method):
            return True
        if method in ("map", "flatMap"):
            function = self._code.function_meant(argument(call, 0))
            return function is not None and self._is_result_escaped(function, frame.deeper())
        if method not in _SAME_TEXT or not self.is_escaped(callee.child_by_field_name("object"), frame):
            return False
        passed = call.child_by_field_name("arguments")
        values = passed.named_children if passed is not None else []
        return all(value.type in FUNCTIONS or self.is_escaped(value, frame) for value in values)

    def _replaces_angles(self, call: Node, method: str) -> bool:
        """Return True for the replacement of every ``<``, the sign that begins markup."""
        first = self._code.text(argument(call, 0))
        if method == "replaceAll" and _ANGLE.search(first):
            return True
        return method in ("replace", "replaceAll") and _EVERY_ANGLE.search(first) is not None


def _parameters(function: Node) -> list[Node]:
    lone = function.child_by_field_name("parameter")
    if lone is not None:
        return [lone]
    listed = function.child_by_field_name("parameters")
    return [part for part in listed.named_children if part.type in _PARAMETERS] if listed is not None else []


def _key_of(code: Code, pattern: Node, name: str) -> str:
    """Return the key under which an object pattern reads a name; empty if it is deeper or a rest."""
    for part in pattern.named_children:
        if part.type == "pair_pattern" and code.names_in(part.child_by_field_name("value")) == [name]:
            return code.field(part, "key")
        if part.type == "object_assignment_pattern" and code.names_in(part) == [name]:
            return name
        if part.type == "shorthand_property_identifier_pattern" and code.text(part) == name:
            return name
    return ""


def _is_exported(declaration: Node) -> bool:
    above: Node | None = declaration.parent
    while above is not None and above.type in ("lexical_declaration", "variable_declaration"):
        above = above.parent
    return above is not None and above.type == "export_statement"


def _is_unconditional(assignment: Node, declaration: Node) -> bool:
    """Return True for a plain assignment in the block in which the name is declared."""
    statement = assignment.parent
    if assignment.type != "assignment_expression" or statement is None:
        return False
    if statement.type != "expression_statement" or statement.parent is None:
        return False
    block = statement.parent
    if declaration.type in _PARAMETERS:
        function = function_around(declaration)
        return function is not None and function.child_by_field_name("body") == block
    above = declaration.parent
    return above is not None and above.parent == block
