"""Edits of conditions: negation, relations, boundaries, and conditions that are added or removed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from wardround.authoring.repair.module_code import similar_names
from wardround.authoring.repair.operators.applicability import at_condition
from wardround.authoring.repair.operators.family import OperatorFamily
from wardround.authoring.repair.operators.site import Edit, Site

CONDITIONS = OperatorFamily()

_BOUNDARIES = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_RELATIONS: dict[type[ast.cmpop], Sequence[str]] = {
    ast.Lt: (">", ">=", "!=", "=="), ast.LtE: (">=", ">", "=="), ast.Gt: ("<", "<=", "!=", "=="),
    ast.GtE: ("<=", "<", "=="), ast.Eq: ("!=", "in", "is", ">=", "<="),
    ast.NotEq: ("==", "not in", "is not", ">"), ast.Is: ("is not", "==", "in"),
    ast.IsNot: ("is", "!=", "not in"), ast.In: ("not in", "=="), ast.NotIn: ("in", "!="),
}  # fmt: skip
_COMMON_TYPES = ("str", "dict", "list", "tuple", "int", "bytes", "bool", "float", "set")
_CONDITION_NODES = (
    ast.BoolOp, ast.Compare, ast.Call, ast.Name, ast.Attribute, ast.UnaryOp, ast.Subscript, ast.NamedExpr,
    ast.BinOp, ast.Constant,
)  # fmt: skip
_OTHER_CONDITIONS = 12
_MOST_NAMES = 8
_LONGEST = 20
_WORD = re.compile(r"[A-Za-z_]\w*")


def _types(site: Site) -> Sequence[str]:
    """Return the types by which a value could be distinguished, those of the module first."""
    return list(dict.fromkeys((*site.function.module.known_types, *_COMMON_TYPES)))[:_OTHER_CONDITIONS]


def _conjunct(site: Site) -> str:
    """Return the condition as an operand of ``and``."""
    return _operand(site, site.expression, "and")


def _disjunct(site: Site) -> str:
    """Return the condition as an operand of ``or``."""
    return _operand(site, site.expression, "or")


def _operand(site: Site, node: ast.expr, operator: str) -> str:
    """Return an expression as an operand of ``and`` or ``or``, in parentheses only if it needs them."""
    is_disjunction = isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)
    is_loose = isinstance(node, ast.IfExp | ast.Lambda | ast.NamedExpr) or (
        is_disjunction and operator == "and"
    )
    return f"({site.text(node)})" if is_loose else site.text(node)


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def negate_condition(site: Site) -> Iterator[Edit]:
    match site.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand) as node:
            yield site.replace(node, site.text(operand))
        case node:
            yield site.replace(node, f"not {site.operand(node)}")


@CONDITIONS.at(ast.Compare)
def shift_boundary(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.Compare)
    for place, relation in enumerate(site.node.ops):
        if type(relation) in _BOUNDARIES:
            yield _with_relation(site, site.node, place, _BOUNDARIES[type(relation)])


@CONDITIONS.at(ast.Compare)
def replace_relation(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.Compare)
    for place, relation in enumerate(site.node.ops):
        for other in _RELATIONS[type(relation)]:
            yield _with_relation(site, site.node, place, other)


def _with_relation(site: Site, node: ast.Compare, place: int, relation: str) -> Edit:
    """Return the edit of the text between two operands, whose parentheses belong to them."""
    before = node.left if place == 0 else node.comparators[place - 1]
    _, start = site.function.module.span(before)
    end, _ = site.function.module.span(node.comparators[place])
    between = site.function.module.text[start:end]
    closing = between[: len(between) - len(between.lstrip(" )"))].strip()
    opening = between[len(between.rstrip(" (")) :].strip()
    return Edit(start, end, f"{closing} {relation} {opening}")


@CONDITIONS.at(ast.BoolOp)
def remove_conjunct(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.BoolOp)
    operator = "and" if isinstance(site.node.op, ast.And) else "or"
    texts = [_operand(site, value, operator) for value in site.node.values]
    for place in reversed(range(len(texts))):
        rest = [*texts[:place], *texts[place + 1 :]]
        yield site.replace_loosely(site.node, f" {operator} ".join(rest))


@CONDITIONS.at(ast.BoolOp)
def swap_boolean_operator(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.BoolOp)
    operator = "or" if isinstance(site.node.op, ast.And) else "and"
    texts = [_operand(site, value, operator) for value in site.node.values]
    yield site.replace_loosely(site.node, f" {operator} ".join(texts))


@CONDITIONS.at(ast.BoolOp)
def negate_conjunct(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.BoolOp)
    for value in site.node.values:
        match value:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield site.replace(value, site.operand(operand))
            case _:
                yield site.replace(value, f"not {site.operand(value)}")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_conjunct(site: Site) -> Iterator[Edit]:
    for name in site.names[:_MOST_NAMES]:
        yield site.replace(site.expression, f"{_conjunct(site)} and {name}")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_negated_conjunct(site: Site) -> Iterator[Edit]:
    for name in site.names[:_MOST_NAMES]:
        yield site.replace(site.expression, f"{_conjunct(site)} and not {name}")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_disjunct(site: Site) -> Iterator[Edit]:
    for name in site.names[:_MOST_NAMES]:
        yield site.replace(site.expression, f"{_disjunct(site)} or {name}")
        yield site.replace(site.expression, f"{_disjunct(site)} or not {name}")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_none_conjunct(site: Site) -> Iterator[Edit]:
    for name in site.likely_names[:_MOST_NAMES]:
        yield site.replace(site.expression, f"{name} is not None and {_conjunct(site)}")
        yield site.replace(site.expression, f"{name} is None or {_disjunct(site)}")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_isinstance_conjunct(site: Site) -> Iterator[Edit]:
    for name in site.likely_names[:4]:
        for kind in _types(site)[:6]:
            yield site.replace(site.expression, f"isinstance({name}, {kind}) and {_conjunct(site)}")
            yield site.replace(site.expression, f"{_conjunct(site)} and not isinstance({name}, {kind})")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_isinstance_disjunct(site: Site) -> Iterator[Edit]:
    for name in site.likely_names[:4]:
        for kind in _types(site)[:6]:
            yield site.replace(site.expression, f"{_disjunct(site)} or isinstance({name}, {kind})")


@CONDITIONS.at(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.NamedExpr)
def truth_to_none_test(site: Site) -> Iterator[Edit]:
    """Distinguish None from the other false values."""
    node = site.expression
    parent = site.parent
    if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
        start, end = site.function.module.span(parent)
        yield Edit(start, end, f"{site.operand(node)} is None")
    elif site.is_condition or isinstance(parent, ast.BoolOp):
        yield site.replace(node, f"{site.operand(node)} is not None")


@CONDITIONS.at(ast.Compare)
def none_test_to_truth(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(None)]):
            yield site.replace_loosely(site.expression, f"not {site.operand(left)}")
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(None)]):
            yield site.replace(site.expression, site.operand(left))


@CONDITIONS.at(ast.Call)
def extend_isinstance(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Call(func=ast.Name("isinstance"), args=[_, ast.Tuple(elts=kinds) as types]):
            known = [site.text(kind) for kind in kinds]
            for kind in _types(site):
                if kind not in known:
                    yield site.replace(types, f"({', '.join([*known, kind])})")
        case ast.Call(func=ast.Name("isinstance"), args=[_, kind]):
            for other in _types(site):
                if other != site.text(kind):
                    yield site.replace(kind, f"({site.text(kind)}, {other})")


@CONDITIONS.at(ast.Call)
def replace_isinstance_type(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Call(func=ast.Name("isinstance"), args=[_, kinds]):
            for other in _types(site):
                yield site.replace(kinds, other)


@CONDITIONS.at(ast.Compare)
def type_equality_to_isinstance(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Compare(
            left=ast.Call(func=ast.Name("type"), args=[value]), ops=[ast.Eq() | ast.Is() | ast.In()],
            comparators=[kind],
        ):  # fmt: skip
            yield site.replace(site.expression, f"isinstance({site.text(value)}, {site.text(kind)})")


@CONDITIONS.at(ast.Compare)
def extend_membership(site: Site) -> Iterator[Edit]:
    """Compare with one more literal of the module."""
    match site.node:
        case ast.Compare(
            ops=[ast.In() | ast.NotIn()], comparators=[ast.Tuple() | ast.List() | ast.Set() as several]
        ):
            known = list(map(site.text, several.elts))
            for literal in _literals(site, known):
                yield _with_element(site, several, literal)
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant() as only]) if isinstance(only.value, str):
            for literal in _literals(site, [site.text(only)]):
                yield _with_relation_to(site, only, f"in ({site.text(only)}, {literal})")
        case ast.Compare(ops=[ast.NotEq()], comparators=[ast.Constant() as only]) if isinstance(
            only.value, str
        ):
            for literal in _literals(site, [site.text(only)]):
                yield _with_relation_to(site, only, f"not in ({site.text(only)}, {literal})")


def _with_relation_to(site: Site, value: ast.expr, text: str) -> Edit:
    assert isinstance(site.node, ast.Compare)
    _, start = site.function.module.span(site.node.left)
    _, end = site.function.module.span(value)
    return Edit(start, end, f" {text}")


def _with_element(site: Site, several: ast.Tuple | ast.List | ast.Set, literal: str) -> Edit:
    _, end = (
        site.function.module.span(several.elts[-1]) if several.elts else site.function.module.span(several)
    )
    return Edit(end, end, f", {literal}") if several.elts else Edit(end - 1, end - 1, f"{literal},")


def _literals(site: Site, known: Sequence[str]) -> Sequence[str]:
    """Return the short strings of the function, as they are written, except the known ones."""
    constants = site.function.nodes_of(ast.Constant)
    strings = [node for node in constants if isinstance(node.value, str) and len(node.value) < _LONGEST]
    found = list(dict.fromkeys(map(site.text, strings)))
    literals = [
        text for text in (*found, "''", "None") if text not in known and not text.startswith(("{", "}"))
    ]
    return list(dict.fromkeys(literals))[:_OTHER_CONDITIONS]


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def replace_by_other_condition(site: Site) -> Iterator[Edit]:
    for other in _other_conditions(site):
        yield site.replace(site.expression, other)


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_other_condition(site: Site) -> Iterator[Edit]:
    """Join a condition of the same function, or of a similar one."""
    for other in _other_conditions(site):
        yield site.replace(site.expression, f"{_conjunct(site)} and {_with_parentheses(other, ' or ')}")
        yield site.replace(site.expression, f"{_conjunct(site)} and not ({other})")
        yield site.replace(site.expression, f"{_disjunct(site)} or {other}")


def _with_parentheses(text: str, operator: str) -> str:
    return f"({text})" if operator in text else text


def _other_conditions(site: Site) -> Sequence[str]:
    """Return the conditions of the function, then those of similar functions about names in scope."""
    own = site.text(site.expression)
    functions = (site.function, *site.project.similar_functions(site.function)[:3])
    found = dict.fromkeys(text for function in functions for text in function.conditions)
    return [text for text in found if text != own and "\n" not in text][:_OTHER_CONDITIONS]


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_similar_condition(site: Site) -> Iterator[Edit]:
    """Join a condition of the function, with another constant of a similar name in it."""
    for text in _similar_conditions(site)[:_OTHER_CONDITIONS]:
        operand = _with_parentheses(text, " or ")
        yield site.replace(site.expression, f"{_disjunct(site)} or {text}")
        yield site.replace(site.expression, f"{_conjunct(site)} and {operand}")
        yield site.replace(site.expression, f"{_conjunct(site)} and not ({text})")


def _similar_conditions(site: Site) -> Sequence[str]:
    """Return the conditions of the function with one global name exchanged for a similar one."""
    found: dict[str, None] = {}
    known = site.function.module.global_names
    for text in (*_other_conditions(site), site.text(site.expression)):
        for name in (word for word in _WORD.findall(text) if word in known):
            for other in similar_names(name, known)[:4]:
                found[re.sub(rf"\b{name}\b", other, text)] = None
    return list(found)


@CONDITIONS.at(ast.Call)
def replace_string_test(site: Site) -> Iterator[Edit]:
    """Compare a string as a whole, or search in it, instead of testing its start or its end."""
    match site.node:
        case ast.Call(func=ast.Attribute(attr="startswith" | "endswith", value=value), args=[part]):
            text, other = site.operand(value), site.operand(part)
            yield site.replace_loosely(site.expression, f"{text} == {other}")
            yield site.replace_loosely(site.expression, f"{other} in {text}")


@CONDITIONS.at(ast.Compare)
def equality_to_string_test(site: Site) -> Iterator[Edit]:
    """Test the start or the end of a string instead of all of it."""
    match site.node:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            yield site.replace(site.node, f"{site.primary(left)}.startswith({site.text(right)})")
            yield site.replace(site.node, f"{site.primary(left)}.endswith({site.text(right)})")
        case ast.Compare(left=left, ops=[ast.In()], comparators=[right]):
            yield site.replace(site.node, f"{site.primary(right)}.startswith({site.text(left)})")


@CONDITIONS.at(ast.Tuple, ast.List, ast.Set)
def extend_collection(site: Site) -> Iterator[Edit]:
    """Add a constant with a similar name, or a literal of the function, to a collection."""
    match site.node:
        case ast.Tuple(elts=[*_, last]) | ast.List(elts=[*_, last]) | ast.Set(elts=[*_, last]) as node:
            _, end = site.function.module.span(last)
            for text in _elements_like(site, last, [site.text(element) for element in node.elts]):
                yield Edit(end, end, f", {text}")


def _elements_like(site: Site, last: ast.expr, known: Sequence[str]) -> Sequence[str]:
    match last:
        case ast.Attribute(value=value, attr=attribute):
            names = site.project.similar_attributes(attribute) or site.project.attributes_of(value)
            texts = [f"{site.text(value)}.{name}" for name in names]
        case ast.Name(name):
            texts = [*similar_names(name, site.function.module.global_names), *site.names]
        case _:
            texts = list(_literals(site, known))
    return [text for text in texts if text not in known][:_OTHER_CONDITIONS]


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def replace_by_constant(site: Site) -> Iterator[Edit]:
    for value in ("True", "False"):
        yield site.replace(site.expression, value)


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_attribute_test(site: Site) -> Iterator[Edit]:
    """Test that an object has an attribute that the statement reads."""
    for node in ast.walk(site.statement):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = site.text(node.value)
            yield site.replace(site.expression, f"hasattr({name}, {node.attr!r}) and {_conjunct(site)}")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_length_test(site: Site) -> Iterator[Edit]:
    for name in site.own_names[:3]:
        yield site.replace(site.expression, f"{_conjunct(site)} and len({name}) > 1")
        yield site.replace(site.expression, f"len({name}) > 1 and {_conjunct(site)}")
        yield site.replace(site.expression, f"len({name}) > 0 and {_conjunct(site)}")


@CONDITIONS.at(*_CONDITION_NODES, where=at_condition)
def add_comparison(site: Site) -> Iterator[Edit]:
    """Compare a variable with a literal of the function, or with another variable."""
    names = site.likely_names[:5]
    for name in names[:3]:
        for other in (*_literals(site, [])[:6], *(other for other in names if other != name)):
            yield site.replace(site.expression, f"{_conjunct(site)} and {name} != {other}")
            yield site.replace(site.expression, f"{_disjunct(site)} or {name} == {other}")


@CONDITIONS.at(ast.Compare)
def extend_comparison(site: Site) -> Iterator[Edit]:
    """Compare with a constant of a similar name, too."""
    match site.node:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() as relation], comparators=[ast.Attribute() as only]):
            word = "in" if isinstance(relation, ast.Eq) else "not in"
            for name in site.project.similar_attributes(only.attr)[:6]:
                other = f"{site.primary(only.value)}.{name}"
                yield _with_relation_to(site, only, f"{word} ({site.text(only)}, {other})")


@CONDITIONS.at(ast.comprehension)
def add_filter(site: Site) -> Iterator[Edit]:
    """Leave out the empty elements of a comprehension."""
    assert isinstance(site.node, ast.comprehension)
    clause = site.node
    last = clause.ifs[-1] if clause.ifs else clause.iter
    if isinstance(clause.target, ast.Name) and not site.function.module.source(last).startswith("("):
        _, end = site.function.module.span(last)
        for condition in (clause.target.id, f"{clause.target.id} is not None"):
            yield Edit(end, end, f" if {condition}")


@CONDITIONS.at(ast.comprehension)
def remove_filter(site: Site) -> Iterator[Edit]:
    assert isinstance(site.node, ast.comprehension)
    for condition in site.node.ifs:
        yield site.replace(condition, "True")
