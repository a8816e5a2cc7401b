"""Edits of expressions: operands, operators, variables, attributes, constants, subscripts and slices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.authoring.repair.operators.applicability import at_object, at_used_value, at_value
from wardround.authoring.repair.operators.family import OperatorFamily
from wardround.authoring.repair.operators.site import Edit, Site
from wardround.text.search_terms import parts

EXPRESSIONS = OperatorFamily()

_ARITHMETIC: dict[type[ast.operator], tuple[str, Sequence[str]]] = {
    ast.Add: ("+", ("-", "*")), ast.Sub: ("-", ("+",)), ast.Mult: ("*", ("/", "+", "**")),
    ast.Div: ("/", ("//", "*")), ast.FloorDiv: ("//", ("/",)), ast.Mod: ("%", ("//", "*")),
    ast.Pow: ("**", ("*",)), ast.BitAnd: ("&", ("|", "^")), ast.BitOr: ("|", ("&", "^")),
    ast.BitXor: ("^", ("&", "|")), ast.LShift: ("<<", (">>",)), ast.RShift: (">>", ("<<",)),
}  # fmt: skip
_DEFAULTS = ("''", "[]", "{}", "None", "0", "()", "False")
_CASTS = (
    "str",
    "list",
    "int",
    "tuple",
    "bool",
    "float",
    "repr",
    "dict",
    "set",
    "sorted",
    "len",
    "bytes",
    "type",
)
_VALUE_NODES = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
_CONSTANTS = (str, int, float, bytes)
_EMPTY: dict[type, Sequence[str]] = {
    str: ("''", "' '", "None"), bytes: ("b''",), int: ("0", "1", "-1", "None"),
}  # fmt: skip
_MOST_ALTERNATIVES = 10
_LONGEST_STRING = 200
_FIELD = re.compile(r"\{[A-Za-z_][\w.\[\]()]*\}")
_PLAIN_QUOTE = re.compile(r"(^|\n[ \t]*)(['\"])")


@EXPRESSIONS.at(ast.BinOp)
def swap_operands(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
            symbol, _ = _ARITHMETIC[type(operator)]
            yield site.replace(site.node, f"{_factor(site, right)} {symbol} {_factor(site, left)}")


@EXPRESSIONS.at(ast.Compare)
def swap_compared_values(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as relation], comparators=[right]):
            word = "in" if isinstance(relation, ast.In) else "not in"
            yield site.replace(site.node, f"{site.operand(right)} {word} {site.operand(left)}")


@EXPRESSIONS.at(ast.BinOp)
def replace_arithmetic_operator(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
            for other in _ARITHMETIC[type(operator)][1]:
                yield site.replace(site.node, f"{_factor(site, left)} {other} {_factor(site, right)}")


def _factor(site: Site, node: ast.expr) -> str:
    """Return an operand of an arithmetic operator, in parentheses if it is an operation itself."""
    return f"({site.text(node)})" if isinstance(node, ast.BinOp) else site.operand(node)


@EXPRESSIONS.at(ast.BinOp)
def remove_operand(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.BinOp)
    yield site.replace_loosely(site.node, site.text(site.node.left))
    yield site.replace_loosely(site.node, site.text(site.node.right))


@EXPRESSIONS.at(ast.Name, where=at_value)
def replace_variable(site: Site) -> Iterator[Edit]:
    """Read another variable in scope, those with similar names first."""
    node = site.expression
    if not isinstance(node, ast.Name):
        return
    own = set(parts(node.id))
    for name in sorted(site.names, key=lambda other: -len(own & set(parts(other)))):
        if name.partition(".")[0] != node.id:
            yield site.replace(node, name)


@EXPRESSIONS.at(ast.Attribute, where=at_object)
def replace_by_variable(site: Site) -> Iterator[Edit]:
    """Read a variable in scope instead of an attribute."""
    node = site.expression
    for name in site.names:
        if name != site.text(node):
            yield site.replace(node, name)


@EXPRESSIONS.at(ast.Attribute)
def replace_attribute(site: Site) -> Iterator[Edit]:
    """Read an attribute with a similar name."""
    assert isinstance(site.node, ast.Attribute)
    for name in site.project.similar_attributes(site.node.attr)[:_MOST_ALTERNATIVES]:
        yield site.replace(site.node, f"{site.primary(site.node.value)}.{name}")


@EXPRESSIONS.at(ast.Name, ast.Attribute, where=at_value)
def append_attribute(site: Site) -> Iterator[Edit]:
    """Read an attribute that the function reads of the same value elsewhere."""
    node = site.expression
    if isinstance(site.parent, ast.Attribute):
        return
    own = ast.dump(node)
    for attribute in _attributes_of(site, own):
        yield site.replace(node, f"{site.text(node)}.{attribute}")


def _attributes_of(site: Site, value: str) -> Sequence[str]:
    """Return the attributes read of a value, in the function and then in its module."""
    name = value if "Name" in value else ""
    found: dict[str, None] = {}
    for node in site.function.nodes:
        if isinstance(node, ast.Attribute) and ast.dump(node.value) == name:
            found[node.attr] = None
    return list(found)[:_MOST_ALTERNATIVES]


@EXPRESSIONS.at(ast.Attribute, where=at_object)
def remove_attribute(site: Site) -> Iterator[Edit]:
    node = site.expression
    if isinstance(node, ast.Attribute):
        yield site.replace(node, site.primary(node.value))


@EXPRESSIONS.at(ast.Name)
def qualify_by_self(site: Site) -> Iterator[Edit]:
    """Read or assign the attribute of ``self`` instead of a variable."""
    assert isinstance(site.node, ast.Name)
    if site.function.class_name and site.node.id in site.project.attributes:
        yield site.replace(site.node, f"self.{site.node.id}")


@EXPRESSIONS.at(ast.Constant)
def shift_number(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            for other in (value + 1, value - 1, *((0, -value) if value else ())):
                yield site.replace(site.node, str(other))


@EXPRESSIONS.at(*_VALUE_NODES, ast.BinOp, where=at_value)
def off_by_one(site: Site) -> Iterator[Edit]:
    """Add or subtract one where a number is likely."""
    node = site.expression
    if not isinstance(
        site.parent, ast.Subscript | ast.Slice | ast.Call | ast.Compare | ast.BinOp | ast.Assign | ast.Return
    ):
        return
    if isinstance(site.parent, ast.Call | ast.Subscript) and node in (
        getattr(site.parent, "func", None), getattr(site.parent, "value", None),
    ):  # fmt: skip
        return
    yield site.replace_loosely(node, f"{site.operand(node)} + 1")
    yield site.replace_loosely(node, f"{site.operand(node)} - 1")


@EXPRESSIONS.at(*_VALUE_NODES, where=at_object)
def default_by_or(site: Site) -> Iterator[Edit]:
    node = site.expression
    if not site.is_condition:
        for default in (*_DEFAULTS, *site.names[:3]):
            yield site.replace_loosely(node, f"{site.text(node)} or {default}")


@EXPRESSIONS.at(ast.BoolOp)
def or_to_none_test(site: Site) -> Iterator[Edit]:
    """Use the default only for None, and not for other false values."""
    match site.node:
        case ast.BoolOp(op=ast.Or(), values=[first, second]):
            text = site.operand(first)
            yield site.replace_loosely(site.node, f"{text} if {text} is not None else {site.operand(second)}")


@EXPRESSIONS.at(ast.Subscript, where=at_value)
def subscript_to_get(site: Site) -> Iterator[Edit]:
    node = site.expression
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple):
        value, key = site.primary(node.value), site.text(node.slice)
        for default in ("", ", ''", ", []", ", {}", ", 0", ", False", f", {key}"):
            yield site.replace(node, f"{value}.get({key}{default})")


@EXPRESSIONS.at(ast.Call)
def get_default(site: Site) -> Iterator[Edit]:
    """Add a default to ``get``, ``pop`` and ``getattr``, or read the item itself."""
    match site.node:
        case ast.Call(
            func=ast.Attribute(attr="get" | "pop" | "setdefault", value=value) as function, args=[key]
        ):
            for default in (*_DEFAULTS, *site.names[:3]):
                yield site.replace(site.node, f"{site.text(function)}({site.text(key)}, {default})")
            yield site.replace(site.node, f"{site.primary(value)}[{site.text(key)}]")
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, default]):
            for other in (*_DEFAULTS, *site.names[:3]):
                yield site.replace(default, other)
        case ast.Call(func=ast.Name("getattr"), args=[_, key]):
            _, end = site.function.module.span(key)
            yield Edit(end, end, ", None")


@EXPRESSIONS.at(ast.Name, ast.Attribute, ast.Subscript, where=at_value)
def copy_value(site: Site) -> Iterator[Edit]:
    node = site.expression
    if not isinstance(site.parent, ast.Attribute | ast.Compare):
        text = site.primary(node)
        for copy in (f"{text}.copy()", f"list({text})", f"dict({text})", f"{text}[:]"):
            yield site.replace(node, copy)
        for module in ("copy.copy", "copy.deepcopy"):
            if module.partition(".")[0] in site.function.module.global_names:
                yield site.replace(node, f"{module}({text})")


@EXPRESSIONS.at(*_VALUE_NODES, ast.BinOp, where=at_object)
def cast_value(site: Site) -> Iterator[Edit]:
    node = site.expression
    if not site.is_condition:
        for cast in _CASTS:
            yield site.replace(node, f"{cast}({site.text(node)})")


@EXPRESSIONS.at(ast.Call, where=at_value)
def remove_cast(site: Site) -> Iterator[Edit]:
    """Use the argument of a function with one argument instead of its result."""
    match site.expression:
        case ast.Call(func=ast.Name(), args=[ast.expr() as argument], keywords=[]) as node:
            yield site.replace_loosely(node, site.text(argument))


@EXPRESSIONS.at(ast.Call)
def replace_cast(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Call(func=ast.Name(name) as function, args=[_], keywords=[]) if name in _CASTS:
            for cast in _CASTS:
                if cast != name:
                    yield site.replace(function, cast)


@EXPRESSIONS.at(ast.Subscript)
def shift_slice(site: Site) -> Iterator[Edit]:
    """Move or remove the bounds of a slice."""
    match site.node:
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            for low in _bounds(site, lower):
                for high in _bounds(site, upper):
                    yield site.replace(site.node, f"{site.primary(value)}[{low}:{high}]")


def _bounds(site: Site, bound: ast.expr | None) -> Sequence[str]:
    if bound is None:
        return ("", "1", "-1")
    text = site.text(bound)
    return (text, "", f"{text} + 1", f"{text} - 1")


@EXPRESSIONS.at(ast.Subscript, where=at_value)
def index_to_slice(site: Site) -> Iterator[Edit]:
    match site.expression:
        case ast.Subscript(value=value, slice=ast.Constant(value=int(index))) as node:
            last = f"-{index}" if index else "-1"
            for text in (f"{index}:", f":{index}", f"{index}:{index + 1}", last, "0"):
                yield site.replace(node, f"{site.primary(value)}[{text}]")


@EXPRESSIONS.at(*_VALUE_NODES, where=at_object)
def take_element(site: Site) -> Iterator[Edit]:
    node = site.expression
    if node is not None and not isinstance(site.parent, ast.Attribute | ast.Subscript):
        for index in ("0", "-1", "1:", ":-1", "1"):
            yield site.replace(node, f"{site.primary(node)}[{index}]")


@EXPRESSIONS.at(ast.Subscript, where=at_value)
def remove_subscript(site: Site) -> Iterator[Edit]:
    node = site.expression
    if isinstance(node, ast.Subscript):
        yield site.replace(node, site.primary(node.value))


@EXPRESSIONS.at(ast.Constant)
def flip_flag(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Constant(value=bool(value)):
            yield site.replace(site.node, str(not value))
            yield site.replace(site.node, "None")


@EXPRESSIONS.at(ast.Constant)
def replace_constant(site: Site) -> Iterator[Edit]:
    """Use another constant of the function, or an empty value."""
    assert isinstance(site.node, ast.Constant)
    if isinstance(site.parent, ast.JoinedStr) or isinstance(site.node.value, bool):
        return
    own = site.text(site.node)
    for other in _constants_like(site, site.node.value):
        if other != own:
            yield site.replace_loosely(site.node, other)


def _constants_like(site: Site, value: object) -> Sequence[str]:
    """Return the constants of the same type in the function, then empty values of the type."""
    constants = [node for node in site.function.nodes if isinstance(node, ast.Constant)]
    alike = [node for node in constants if type(node.value) is type(value) and _is_literal(site, node)]
    empty = (*_DEFAULTS, "True") if value is None else _EMPTY.get(type(value), ())
    texts = dict.fromkeys((*map(site.text, alike), *empty))
    return [text for text in texts if len(text) < _LONGEST_STRING][:_MOST_ALTERNATIVES]


def _is_literal(site: Site, node: ast.Constant) -> bool:
    """Return False for the text parts of f-strings."""
    return isinstance(node.value, _CONSTANTS) and not isinstance(site.function.parents[node], ast.JoinedStr)


@EXPRESSIONS.at(ast.Constant)
def edit_string(site: Site) -> Iterator[Edit]:
    """Add or remove a blank, a line break or punctuation at the ends of a string; escape its start."""
    match site.node:
        case ast.Constant(value=str(value)) if not isinstance(site.parent, ast.JoinedStr) and value:
            text = site.text(site.node)
            quote = text[-1]
            head = text[: text.index(quote)]
            for other in _near_strings(value):
                if other != value and quote not in other and "\\" not in text:
                    yield site.replace(site.node, f"{head}{quote}{_escape(other)}{quote}")


def _near_strings(value: str) -> Sequence[str]:
    return (
        value.strip(), f"{value} ", f" {value}", value + "\n", value[:-1], value[1:], value.lower(),
        value.upper(), value.capitalize(), value.replace("-", "_"), value.replace("_", "-"),
        value.replace("%s", "%r"), value.replace("{}", "{!r}"), f"{value}s",
    )  # fmt: skip


def _escape(value: str) -> str:
    return value.replace("\n", "\\n").replace("\t", "\\t")


@EXPRESSIONS.at(ast.Constant)
def string_to_format(site: Site) -> Iterator[Edit]:
    """Replace the names in braces of a string by their values."""
    match site.node:
        case ast.Constant(value=str(value)) if _FIELD.search(value) and not isinstance(
            site.parent, ast.JoinedStr
        ):
            text = _PLAIN_QUOTE.sub(r"\1f\2", site.text(site.node))
            yield site.replace(site.node, text)


@EXPRESSIONS.at(ast.Constant)
def edit_pattern(site: Site) -> Iterator[Edit]:
    """Change a quantifier, an anchor or a class of a regular expression."""
    match site.node:
        case ast.Constant(value=str()) if _is_pattern(site):
            text = site.text(site.node)
            for before, after in _PATTERN_EDITS:
                for place in _places(text, before):
                    start, _ = site.function.module.span(site.node)
                    yield Edit(start + place, start + place + len(before), after)


_PATTERN_EDITS = (
    ("*", "+"), ("+", "*"), ("+", "+?"), ("*", "*?"), ("$", r"\Z"), ("^", r"\A"), (r"\w", r"[\w-]"),
    (r"\d", r"\w"), (r"\w", r"\S"), ("?", ""), (r"\d", r"[\d.]"), (".", r"\."), ("[^", "[^\\n"), (r"\s", " "),
    ("a-z", "a-zA-Z"),
)  # fmt: skip


def _is_pattern(site: Site) -> bool:
    parent = site.parent
    function = parent.func if isinstance(parent, ast.Call) else None
    owner = getattr(function, "value", None)
    return isinstance(owner, ast.Name) and owner.id in ("re", "regex")


def _places(text: str, part: str) -> Iterator[int]:
    place = text.find(part, 1)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


@EXPRESSIONS.at(ast.UnaryOp)
def remove_sign(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.UnaryOp)
    yield site.replace_loosely(site.node, site.operand(site.node.operand))


@EXPRESSIONS.at(*_VALUE_NODES, where=at_used_value)
def negate_value(site: Site) -> Iterator[Edit]:
    """Return or assign the opposite truth value, or the number of opposite sign."""
    node = site.expression
    yield site.replace(node, f"not {site.operand(node)}")
    yield site.replace(node, f"-{site.primary(node)}")
    yield site.replace(node, f"abs({site.text(node)})")


@EXPRESSIONS.at(*_VALUE_NODES, ast.BinOp, where=at_used_value)
def limit_value(site: Site) -> Iterator[Edit]:
    """Use at least, or at most, another number."""
    node = site.expression
    for other in ("0", "1", *site.names[:4]):
        yield site.replace(node, f"max({site.text(node)}, {other})")
        yield site.replace(node, f"min({site.text(node)}, {other})")


@EXPRESSIONS.at(ast.IfExp)
def swap_branches(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield site.replace(
                site.node, f"{site.operand(orelse)} if {site.text(test)} else {site.operand(body)}"
            )


@EXPRESSIONS.at(ast.IfExp)
def select_branch(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.IfExp(body=body, orelse=orelse):
            yield site.replace_loosely(site.node, site.text(body))
            yield site.replace_loosely(site.node, site.text(orelse))


@EXPRESSIONS.at(ast.FormattedValue)
def edit_conversion(site: Site) -> Iterator[Edit]:
    """Format a value of an f-string by its representation, or by its text."""
    assert isinstance(site.node, ast.FormattedValue)
    module = site.function.module
    _, end = module.span(site.node.value)
    conversion = {-1: ("", "!r"), ord("r"): ("!r", ""), ord("s"): ("!s", "!r"), ord("a"): ("!a", "!r")}
    before, after = conversion[site.node.conversion]
    if module.text.startswith((f"{before}}}", f"{before}:"), end):
        yield Edit(end, end + len(before), after)


@EXPRESSIONS.at(*_VALUE_NODES, ast.Constant, where=at_object)
def enclose_value(site: Site) -> Iterator[Edit]:
    """Put a value into a tuple or a list."""
    node = site.expression
    if not isinstance(site.parent, ast.Attribute | ast.keyword):
        yield site.replace(node, f"({site.text(node)},)")
        yield site.replace(node, f"[{site.text(node)}]")


@EXPRESSIONS.at(
    ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.JoinedStr, ast.Constant, where=at_used_value
)
def concatenate(site: Site) -> Iterator[Edit]:
    """Join a string, or a variable in scope, to a value that is returned, assigned or passed."""
    node = site.expression
    for other in ("'\\n'", "' '", *site.names[:5]):
        yield site.replace(node, f"{site.operand(node)} + {other}")
        yield site.replace(node, f"{other} + {site.operand(node)}")


@EXPRESSIONS.at(ast.Constant, ast.Call, where=at_value)
def replace_by_variable_of_scope(site: Site) -> Iterator[Edit]:
    """Pass, return or assign a variable instead of a constant or of the result of a call."""
    if isinstance(site.node, ast.Constant) or not isinstance(site.parent, ast.Attribute):
        for name in site.names:
            yield site.replace(site.expression, name)
