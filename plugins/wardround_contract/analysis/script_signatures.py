"""The parameters of TypeScript and JavaScript functions, and the keys of parameters that are objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from wardround_contract.analysis.script_calls import PassedKeys
from wardround_contract.analysis.script_syntax import descendants, line_of, text_of, tree_of

_FUNCTIONS = ("arrow_function", "function_expression", "function_declaration", "method_definition",
              "generator_function_declaration")  # fmt: skip
_WRAPPERS = frozenset({"memo", "forwardRef", "observer"})
_MOST_DEPTH = 6


class Keys(NamedTuple):
    """The keys of an object parameter.

    Attributes:
        required: keys without a default or a question mark, by the type; none if there is none.
        known: all keys that are visible.
        is_open: it may have others.
        is_typed: they come from a type.
    """

    required: frozenset[str]
    known: frozenset[str]
    is_open: bool
    is_typed: bool = True


class Parameter(NamedTuple):
    """A parameter; ``keys`` is None unless it is an object with visible keys."""

    name: str
    is_required: bool
    keys: Keys | None


class Function(NamedTuple):
    """The parameters of a function at a line."""

    line: int
    parameters: tuple[Parameter, ...]
    has_rest: bool

    @property
    def required(self) -> int:
        """The number of parameters up to the last that is required."""
        return max(
            (at for at, parameter in enumerate(self.parameters, 1) if parameter.is_required), default=0
        )


def functions(path: str, text: str) -> Mapping[str, Function]:
    """Return the top-level functions and the methods of top-level classes that are defined once."""
    root = tree_of(path, text)
    types = dict(_types(root))
    found: dict[str, list[Function]] = {}
    for name, node, props in _named_functions(root):
        found.setdefault(name, []).append(_function(node, props, types))
    return {name: all_[0] for name, all_ in found.items() if len(all_) == 1}


def _statements(root: Node) -> Iterator[Node]:
    for child in root.named_children:
        inner = child.child_by_field_name("declaration") or child.child_by_field_name("value")
        yield (inner or child) if child.type == "export_statement" else child


def _named_functions(root: Node) -> Iterator[tuple[str, Node, Node | None]]:
    """Yield the name and the node of each function, with the type of its props if one is declared."""
    for statement in _statements(root):
        if statement.type in ("function_declaration", "generator_function_declaration", "function_signature"):
            yield text_of(statement.child_by_field_name("name")), statement, None
        elif statement.type in ("lexical_declaration", "variable_declaration"):
            yield from _declarations(statement)
        elif statement.type in ("class_declaration", "abstract_class_declaration"):
            name, body = text_of(statement.child_by_field_name("name")), statement.child_by_field_name("body")
            for member in body.named_children if body is not None else ():
                if member.type in ("method_definition", "method_signature"):
                    yield f"{name}.{text_of(member.child_by_field_name('name'))}", member, None


def _declarations(node: Node) -> Iterator[tuple[str, Node, Node | None]]:
    for declarator in node.named_children:
        value = _wrapped_function(declarator.child_by_field_name("value"))
        if value is not None and value.type in _FUNCTIONS:
            name = text_of(declarator.child_by_field_name("name"))
            yield name, value, _props_type(declarator.child_by_field_name("type"))


def _wrapped_function(value: Node | None) -> Node | None:
    """Return the function that calls such as ``memo(forwardRef(...))`` receive; any other value unchanged."""
    for _ in range(_MOST_DEPTH):
        function = value.child_by_field_name("function") if value is not None else None
        arguments = value.child_by_field_name("arguments") if value is not None else None
        if function is None or arguments is None:
            break
        if text_of(function).rpartition(".")[2] not in _WRAPPERS:
            break
        value = _first_child(arguments)
    return value


def _props_type(annotation: Node | None) -> Node | None:
    """Return the first type argument of the type of a component, such as ``FC<Props>``."""
    for node in descendants(annotation) if annotation is not None else ():
        if node.type == "type_arguments":
            return _first_child(node)
    return None


def _first_child(node: Node) -> Node | None:
    return node.named_children[0] if node.named_children else None


def _function(node: Node, props: Node | None, types: Mapping[str, list[Node]]) -> Function:
    parameters: list[Parameter] = []
    has_rest = False
    for number, child in enumerate(_parameter_nodes(node)):
        if _is_rest_parameter(child):
            has_rest = True
        else:
            parameters.append(_parameter(child, props if number == 0 else None, types))
    return Function(line_of(node), tuple(parameters), has_rest)


def _parameter_nodes(function: Node) -> Iterator[Node]:
    """Yield the parameters of a function, without the type of ``this``."""
    listed = function.child_by_field_name("parameters")
    if listed is None:
        single = function.child_by_field_name("parameter")
        nodes = [single] if single is not None else []
    else:
        nodes = listed.named_children
    for node in nodes:
        if node.type != "comment" and text_of(node.child_by_field_name("pattern")) != "this":
            yield node


def _is_rest_parameter(parameter: Node) -> bool:
    return "rest_pattern" in (parameter.type, *(child.type for child in parameter.named_children))


def _parameter(node: Node, props: Node | None, types: Mapping[str, list[Node]]) -> Parameter:
    pattern = node.child_by_field_name("pattern") or node
    has_default = node.child_by_field_name("value") is not None or node.type == "assignment_pattern"
    annotation = node.child_by_field_name("type")
    stated = _first_child(annotation) if annotation is not None else None
    type_node = stated if stated is not None else props
    may_be_undefined = has_default or text_of(type_node).endswith("| undefined")
    is_required = node.type == "required_parameter" and not may_be_undefined
    return Parameter(text_of(pattern), is_required, _known_keys(pattern, type_node, types))


def _known_keys(pattern: Node, type_node: Node | None, types: Mapping[str, list[Node]]) -> Keys | None:
    """Return the keys of an object that a parameter receives; None if they are not all visible."""
    keys = None
    if type_node is not None:
        keys = _keys_of_type(type_node, types, _MOST_DEPTH)
    elif pattern.type == "object_pattern":
        keys = _keys_of_pattern(pattern)
    return keys if keys is not None and keys.known else None


def _keys_of_pattern(pattern: Node) -> Keys:
    known = set()
    is_open = False
    for child in pattern.named_children:
        if child.type == "rest_pattern":
            is_open = True
        key = child.child_by_field_name("key") or child.child_by_field_name("left") or child
        known.add(text_of(key))
    return Keys(frozenset(), frozenset(known), is_open, is_typed=False)


def _keys_of_type(node: Node, types: Mapping[str, list[Node]], depth: int) -> Keys:
    """Return the keys of a type, if the file declares it."""
    if depth == 0:
        return Keys(frozenset(), frozenset(), True)
    if node.type in ("object_type", "interface_body"):
        return _keys_of_body(node)
    if node.type == "interface_declaration":
        body = node.child_by_field_name("body")
        inner = _keys_of_body(body) if body is not None else Keys(frozenset(), frozenset(), True)
        return inner._replace(
            is_open=inner.is_open or any("extends" in child.type for child in node.named_children)
        )
    if node.type == "type_identifier":
        declared = types.get(text_of(node), [])
        return (
            _keys_of_type(declared[0], types, depth - 1) if len(declared) == 1 else _keys_of_type(node, {}, 0)
        )
    if node.type == "generic_type":
        name, arguments = (
            text_of(node.child_by_field_name("name")),
            node.child_by_field_name("type_arguments"),
        )
        if name.rpartition(".")[2] in ("Readonly", "PropsWithChildren") and arguments is not None:
            return _keys_of_type(arguments.named_children[0], types, depth - 1)
    if node.type in ("intersection_type", "parenthesized_type"):
        parts = [_keys_of_type(child, types, depth - 1) for child in node.named_children]
        return Keys(
            frozenset().union(*(part.required for part in parts)),
            frozenset().union(*(part.known for part in parts)),
            any(part.is_open for part in parts),
        )
    return Keys(frozenset(), frozenset(), True)


def _keys_of_body(body: Node) -> Keys:
    required, known, is_open = set(), set(), False
    for member in body.named_children:
        if member.type not in ("property_signature", "method_signature"):
            is_open = is_open or member.type not in ("comment",)
            continue
        name = text_of(member.child_by_field_name("name")).strip("'\"")
        known.add(name)
        may_be_missing = any(child.type == "?" for child in member.children)
        value = member.child_by_field_name("type")
        if not may_be_missing and "undefined" not in text_of(value):
            required.add(name)
    return Keys(frozenset(required), frozenset(known), is_open)


def _types(root: Node) -> Iterator[tuple[str, list[Node]]]:
    found: dict[str, list[Node]] = {}
    for statement in _statements(root):
        if statement.type == "interface_declaration":
            found.setdefault(text_of(statement.child_by_field_name("name")), []).append(statement)
        elif statement.type == "type_alias_declaration":
            value = statement.child_by_field_name("value")
            if value is not None:
                name = text_of(statement.child_by_field_name("name"))
                generic = statement.child_by_field_name("type_parameters")
                found.setdefault(name, []).extend([value] if generic is None else [value, value])
    yield from found.items()


def misfit(keys: Keys, given: PassedKeys, *, is_checked: bool) -> str:
    """Return the reason why the passed keys do not match; empty if they do.

    Args:
        is_checked: a compiler requires the keys, at base and head.
    """
    unknown = sorted(given.keys - keys.known - {"key", "ref", "children"})
    if unknown and not keys.is_open:
        return f"has no `{unknown[0]}`"
    missing = sorted(keys.required - given.keys) if is_checked else []
    return f"requires `{missing[0]}`" if missing and not given.has_spread else ""
