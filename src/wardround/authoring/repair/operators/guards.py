"""Edits that keep a statement or an expression from a value that it cannot use: None, empty, another type."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from wardround.authoring.repair.module_code import similar_names
from wardround.authoring.repair.operators.applicability import at_object, at_used_value, in_loop
from wardround.authoring.repair.operators.family import OperatorFamily
from wardround.authoring.repair.operators.site import Edit, Site

GUARDS = OperatorFamily()

_STATEMENTS = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.If, ast.For, ast.While, ast.With,
    ast.Try, ast.Raise, ast.Delete,
)  # fmt: skip
_EMPTY_VALUES = ("[]", "{}", "''", "()", "0")
_TYPES = ("str", "dict", "list", "tuple", "bytes", "int")
_MOST_NAMES = 6
_MOST_COLLECTIONS = 12


def _results(site: Site) -> Sequence[str]:
    """Return the values with which the function could end early, as statements."""
    returned = [f"return {text}" for text in site.returned_texts]
    parameters = [f"return {name}" for name in site.function.parameters[:2]]
    return list(
        dict.fromkeys((*returned[:4], "return", *parameters, "return False", "return []", "return ''"))
    )


def _used_names(site: Site) -> Sequence[str]:
    """Return the variables that the statement reads, then those that are near."""
    return site.likely_names[:_MOST_NAMES]


@GUARDS.at(*_STATEMENTS)
def return_if_none(site: Site) -> Iterator[Edit]:
    for result in _results(site):
        for name in _used_names(site)[:3]:
            yield from site.insert_before(f"if {name} is None:\n\t{result}")


@GUARDS.at(*_STATEMENTS)
def return_if_empty(site: Site) -> Iterator[Edit]:
    for result in _results(site):
        for name in _used_names(site)[:3]:
            yield from site.insert_before(f"if not {name}:\n\t{result}")


@GUARDS.at(*_STATEMENTS)
def return_if_true(site: Site) -> Iterator[Edit]:
    for result in _results(site):
        for name in _used_names(site)[:3]:
            yield from site.insert_before(f"if {name}:\n\t{result}")


@GUARDS.at(*_STATEMENTS, where=in_loop)
def continue_if_none(site: Site) -> Iterator[Edit]:
    for name in _used_names(site):
        yield from site.insert_before(f"if {name} is None:\n\tcontinue")


@GUARDS.at(*_STATEMENTS, where=in_loop)
def continue_if_empty(site: Site) -> Iterator[Edit]:
    for name in _used_names(site):
        yield from site.insert_before(f"if not {name}:\n\tcontinue")
        yield from site.insert_before(f"if {name}:\n\tcontinue")


@GUARDS.at(*_STATEMENTS, where=in_loop)
def break_if_empty(site: Site) -> Iterator[Edit]:
    for name in _used_names(site):
        yield from site.insert_before(f"if not {name}:\n\tbreak")
        yield from site.insert_before(f"if {name}:\n\tbreak")


@GUARDS.at(*_STATEMENTS)
def exit_by_membership(site: Site) -> Iterator[Edit]:
    """Leave out a value that a collection has, or has not."""
    exits = ("continue",) if site.loop is not None else tuple(_results(site)[:2])
    names = site.likely_names[:5]
    collections = list(dict.fromkeys((*names, *_known_collections(site))))
    for element, collection in itertools.product(names, collections):
        for exit_code in exits if element != collection else ():
            yield from site.insert_before(f"if {element} in {collection}:\n\t{exit_code}")
            yield from site.insert_before(f"if {element} not in {collection}:\n\t{exit_code}")


def _known_collections(site: Site) -> Sequence[str]:
    """Return the collections in which the function searches, and globals with similar names."""
    found: dict[str, None] = {}
    for node in site.function.nodes:
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(name)]):
                similar = similar_names(name, site.function.module.global_names)
                found |= dict.fromkeys((name, *similar[:5]))
    return list(found)[:_MOST_COLLECTIONS]


@GUARDS.at(*_STATEMENTS)
def return_unless_instance(site: Site) -> Iterator[Edit]:
    types = list(dict.fromkeys((*site.function.module.known_types[:5], *_TYPES)))
    for name in _used_names(site)[:3]:
        for result in (f"return {name}", "return", *_results(site)[:1]):
            for kind in types:
                yield from site.insert_before(f"if not isinstance({name}, {kind}):\n\t{result}")


@GUARDS.at(*_STATEMENTS)
def return_if_instance(site: Site) -> Iterator[Edit]:
    types = list(dict.fromkeys((*site.function.module.known_types[:5], *_TYPES)))
    for name in _used_names(site)[:3]:
        for kind in types:
            yield from site.insert_before(f"if isinstance({name}, {kind}):\n\treturn {name}")


@GUARDS.at(*_STATEMENTS)
def default_if_none(site: Site) -> Iterator[Edit]:
    """Assign an empty value to a variable that is None."""
    for name in _used_names(site):
        for value in _EMPTY_VALUES:
            yield from site.insert_before(f"if {name} is None:\n\t{name} = {value}")


@GUARDS.at(ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.For)
def execute_if_true(site: Site) -> Iterator[Edit]:
    yield from _conditional(site, [f"if {name}:" for name in site.likely_names])


@GUARDS.at(ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.For)
def execute_if_not_none(site: Site) -> Iterator[Edit]:
    yield from _conditional(site, [f"if {name} is not None:" for name in site.likely_names[:_MOST_NAMES]])


@GUARDS.at(ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise)
def execute_if_false(site: Site) -> Iterator[Edit]:
    yield from _conditional(site, [f"if not {name}:" for name in site.likely_names])


@GUARDS.at(ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise)
def execute_if_instance(site: Site) -> Iterator[Edit]:
    types = list(dict.fromkeys((*site.function.module.known_types[:4], *_TYPES[:4])))
    names = site.likely_names[:3]
    yield from _conditional(site, [f"if isinstance({name}, {kind}):" for name in names for kind in types])


def _conditional(site: Site, headers: Sequence[str]) -> Iterator[Edit]:
    statement = site.wrapped_statement()
    if not statement:
        return
    body = statement.replace("\n", "\n\t")
    for header in headers:
        yield from site.replace_statement(f"{header}\n\t{body}")


@GUARDS.at(ast.Attribute, ast.Subscript, ast.Call, where=at_object)
def expression_if_not_none(site: Site) -> Iterator[Edit]:
    """Evaluate an expression only if the value that it needs is there."""
    value = _needed_value(site.expression)
    if value is None:
        return
    text, needed = site.text(site.expression), site.operand(value)
    for other in ("None", "''", "[]"):
        yield site.replace_loosely(site.expression, f"{text} if {needed} is not None else {other}")
        yield site.replace_loosely(site.expression, f"{text} if {needed} else {other}")


@GUARDS.at(ast.Attribute, ast.Subscript, ast.Call, where=at_object)
def expression_if_true(site: Site) -> Iterator[Edit]:
    """Test that a value is there before an expression that needs it, by ``and``."""
    node = site.expression
    is_tested = site.is_condition or isinstance(site.parent, ast.BoolOp | ast.Return | ast.Assign)
    value = _needed_value(node)
    if is_tested and value is not None:
        yield site.replace_loosely(node, f"{site.operand(value)} and {site.text(node)}")


@GUARDS.at(ast.Attribute, ast.Subscript, ast.Call, ast.Name, ast.BinOp, ast.JoinedStr, where=at_used_value)
def value_if_true(site: Site) -> Iterator[Edit]:
    """Use a value only if a variable is true, or another one then."""
    text = site.operand(site.expression)
    for name in site.names[:4]:
        for other in ("None", "''", *site.names[:2]):
            if text not in (name, other):
                yield site.replace(site.expression, f"{text} if {name} else {other}")
                yield site.replace(site.expression, f"{other} if {name} else {text}")


def _needed_value(node: ast.expr) -> ast.expr | None:
    """Return the value without which an expression fails; None for constants."""
    match node:
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            found = value
        case ast.Call(func=ast.Attribute(value=value)) | ast.Call(args=[value, *_]):
            found = value
        case _:
            return None
    return None if isinstance(found, ast.Constant | ast.Starred) else found
