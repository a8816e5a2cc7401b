"""The parameters of TypeScript and JavaScript functions, and the keys of parameters that are objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from wardround_contract.analysis.script_syntax import descendants, line_of, text_of, tree_of

_FUNCTIONS = ("arrow_function", "function_expression", "function_declaration", "method_definition",
              "generator_function_declaration")  # fmt: skip
_WRAPPERS = frozenset({"memo", "forwardRef", "observer"})
_MOST_DEPTH = 6


class Keys(NamedTuple):
    """The keys of an object parameter.

    Attributes:
        required: keys without a default or a question mark, by the type; none without one.
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
        return max((at for at, one in enumerate(self.parameters, 1) if one.is_required), default=0)


def functions(path: str, text: str) -> Mapping[str, Function]:
    """Return the top-level functions and the methods of top-level classes that are defined once."""
    root = tree_of(path, text)
    types = dict(_types(root))
    found: dict[str, list[Function]] = {}
    for name, node, props in _named_functions(root):
        found.setdefault(name, []).append(_function(node, props, types))
    return {name: all_[0] for name, all_ in found.items() if len(all_) == 1}


def _statements(root: Node) -> Iterator[Node]:
    for one in root.named_children:
        inner = one.child_by_field_name("declaration") or one.child_by_field_name("value")
        yield (inner or one) if one.type == "export_statement" else one


def _named_functions(root: Node) -> Iterator[tuple[str, Node, Node | None]]:
    """Yield the name and the node of each function, with the type of its props where a type states it."""
    for one in _statements(root):
        if one.type in ("function_declaration", "generator_function_declaration", "function_signature"):
            yield text_of(one.child_by_field_name("name")), one, None
        elif one.type in ("lexical_declaration", "variable_declaration"):
            yield from _declared(one)
        elif one.type in ("class_declaration", "abstract_class_declaration"):
            name, body = text_of(one.child_by_field_name("name")), one.child_by_field_name("body")
            for member in body.named_children if body is not None else ():
                if member.type in ("method_definition", "method_signature"):
                    yield f"{name}.{text_of(member.child_by_field_name('name'))}", member, None


def _declared(node: Node) -> Iterator[tuple[str, Node, Node | None]]:
    for one in node.named_children:
        value = one.child_by_field_name("value")
        for _ in range(_MOST_DEPTH):
            called = value.child_by_field_name("function") if value is not None else None
            arguments = value.child_by_field_name("arguments") if value is not None else None
            if called is None or text_of(called).rpartition(".")[2] not in _WRAPPERS or arguments is None:
                break
            value = arguments.named_children[0] if arguments.named_children else None
        if value is not None and value.type in _FUNCTIONS:
            annotation = one.child_by_field_name("type")
            generic = next((n for n in descendants(annotation) if n.type == "type_arguments"), None) if (
                annotation is not None
            ) else None  # fmt: skip
            props = generic.named_children[0] if generic is not None and generic.named_children else None
            yield text_of(one.child_by_field_name("name")), value, props


def _function(node: Node, props: Node | None, types: Mapping[str, list[Node]]) -> Function:
    listed = node.child_by_field_name("parameters")
    single = node.child_by_field_name("parameter")
    nodes = listed.named_children if listed is not None else [single] if single is not None else []
    nodes = [
        one
        for one in nodes
        if one.type != "comment" and text_of(one.child_by_field_name("pattern")) != "this"
    ]
    rest = [one for one in nodes if "rest_pattern" in (one.type, *(c.type for c in one.named_children))]
    parameters = [_parameter(one, props if at == 0 else None, types) for at, one in enumerate(nodes)]
    kept = [one for one, source in zip(parameters, nodes, strict=True) if source not in rest]
    return Function(line_of(node), tuple(kept), bool(rest))


def _parameter(node: Node, props: Node | None, types: Mapping[str, list[Node]]) -> Parameter:
    pattern = node.child_by_field_name("pattern") or node
    has_default = node.child_by_field_name("value") is not None or node.type == "assignment_pattern"
    is_required = node.type == "required_parameter" and not has_default
    annotation = node.child_by_field_name("type")
    type_node = (
        annotation.named_children[0] if annotation is not None and annotation.named_children else props
    )
    keys = None
    if type_node is not None:
        keys = _keys_of_type(type_node, types, _MOST_DEPTH)
    elif pattern.type == "object_pattern":
        keys = _keys_of_pattern(pattern)
    if text_of(type_node).endswith("| undefined"):
        is_required = False
    return Parameter(text_of(pattern), is_required, keys if keys is not None and keys.known else None)


def _keys_of_pattern(pattern: Node) -> Keys:
    known = set()
    is_open = False
    for one in pattern.named_children:
        if one.type == "rest_pattern":
            is_open = True
        key = one.child_by_field_name("key") or one.child_by_field_name("left") or one
        known.add(text_of(key))
    return Keys(frozenset(), frozenset(known), is_open, is_typed=False)


def _keys_of_type(node: Node, types: Mapping[str, list[Node]], depth: int) -> Keys:
    """Return the keys of a type, as far as the file declares it."""
    if depth == 0:
        return Keys(frozenset(), frozenset(), True)
    if node.type in ("object_type", "interface_body"):
        return _keys_of_body(node)
    if node.type == "interface_declaration":
        body = node.child_by_field_name("body")
        inner = _keys_of_body(body) if body is not None else Keys(frozenset(), frozenset(), True)
        return inner._replace(
            is_open=inner.is_open or any("extends" in one.type for one in node.named_children)
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
        parts = [_keys_of_type(one, types, depth - 1) for one in node.named_children]
        return Keys(
            frozenset().union(*(one.required for one in parts)),
            frozenset().union(*(one.known for one in parts)),
            any(one.is_open for one in parts),
        )
    return Keys(frozenset(), frozenset(), True)


def _keys_of_body(body: Node) -> Keys:
    required, known, is_open = set(), set(), False
    for one in body.named_children:
        if one.type not in ("property_signature", "method_signature"):
            is_open = is_open or one.type not in ("comment",)
            continue
        name = text_of(one.child_by_field_name("name")).strip("'\"")
        known.add(name)
        may_be_missing = any(child.type == "?" for child in one.children)
        value = one.child_by_field_name("type")
        if not may_be_missing and "undefined" not in text_of(value):
            required.add(name)
    return Keys(frozenset(required), frozenset(known), is_open)


def _types(root: Node) -> Iterator[tuple[str, list[Node]]]:
    found: dict[str, list[Node]] = {}
    for one in _statements(root):
        if one.type == "interface_declaration":
            found.setdefault(text_of(one.child_by_field_name("name")), []).append(one)
        elif one.type == "type_alias_declaration":
            value = one.child_by_field_name("value")
            if value is not None:
                name = text_of(one.child_by_field_name("name"))
                generic = one.child_by_field_name("type_parameters")
                found.setdefault(name, []).extend([value] if generic is None else [value, value])
    yield from found.items()


class Given(NamedTuple):
    """The keys that a call or an element passes; ``has_spread``: and others that are not visible."""

    keys: frozenset[str]
    has_spread: bool


class Call(NamedTuple):
    """The arguments of a call; of each the keys, where it is an object literal."""

    arguments: int
    has_spread: bool
    objects: tuple[Given | None, ...]


def calls(path: str, text: str) -> Mapping[tuple[str, int], list[Call]]:
    """Return the calls of a file by the last name of the function and its line."""
    found: dict[tuple[str, int], list[Call]] = {}
    for node in descendants(tree_of(path, text)):
        if node.type not in ("call_expression", "new_expression"):
            continue
        called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        arguments = node.child_by_field_name("arguments")
        last = called.child_by_field_name("property") or called if called is not None else None
        if last is None or arguments is None or arguments.type != "arguments":
            continue
        given = [one for one in arguments.named_children if one.type != "comment"]
        call = Call(
            len(given),
            any(one.type == "spread_element" for one in given),
            tuple(_object_keys(one) if one.type == "object" else None for one in given),
        )
        found.setdefault((text_of(last), line_of(last)), []).append(call)
    return found


def _object_keys(node: Node) -> Given:
    keys, has_spread = set(), False
    for one in node.named_children:
        if one.type in ("pair", "method_definition"):
            key = one.child_by_field_name("key") or one.child_by_field_name("name")
            has_spread = has_spread or (key is not None and key.type == "computed_property_name")
            keys.add(text_of(key).strip("'\""))
        elif one.type == "shorthand_property_identifier":
            keys.add(text_of(one))
        else:
            has_spread = has_spread or one.type == "spread_element"
    return Given(frozenset(keys), has_spread)


def elements(path: str, text: str) -> Mapping[tuple[str, int], list[Given]]:
    """Return the props of the elements of a file by the last name of the component and its line."""
    found: dict[tuple[str, int], list[Given]] = {}
    for node in descendants(tree_of(path, text)):
        if node.type not in ("jsx_opening_element", "jsx_self_closing_element"):
            continue
        name = node.child_by_field_name("name")
        if name is None:
            continue
        given = [one for one in node.named_children if one.type == "jsx_attribute"]
        keys = {text_of(one.named_children[0]) for one in given if one.named_children}
        has_spread = any(one.type == "jsx_expression" for one in node.named_children)
        if node.type == "jsx_opening_element":
            keys.add("children")
        label = text_of(name).rpartition(".")[2]
        found.setdefault((label, line_of(name)), []).append(Given(frozenset(keys), has_spread))
    return found


def misfit(keys: Keys, given: Given, *, is_checked: bool) -> str:
    """Return the reason why given keys do not fit; empty if they do.

    Args:
        is_checked: a compiler requires the keys, on both sides of the change.
    """
    unknown = sorted(given.keys - keys.known - {"key", "ref", "children"})
    if unknown and not keys.is_open:
        return f"has no `{unknown[0]}`"
    missing = sorted(keys.required - given.keys) if is_checked else []
    return f"requires `{missing[0]}`" if missing and not given.has_spread else ""
