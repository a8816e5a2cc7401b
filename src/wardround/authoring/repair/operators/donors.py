"""Edits with an expression or a statement of the same function, or of similar ones of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from wardround.authoring.repair.module_code import FunctionCode
from wardround.authoring.repair.operators.family import OperatorFamily
from wardround.authoring.repair.operators.site import Edit, Site
from wardround.languages.python.module import last_name, names_in
from wardround.languages.python.tree import unparse

DONORS = OperatorFamily()

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.Raise, ast.With)
_MOST = 12


def _donors(site: Site) -> Sequence[FunctionCode]:
    """Return the function and those that are similar to it."""
    return (site.function, *site.project.similar_functions(site.function))


@DONORS.at(*_STATEMENTS)
def insert_donor_statement(site: Site) -> Iterator[Edit]:
    """Insert a short statement whose variables are all in scope."""
    for text in _donated_statements(site):
        yield from site.insert_before(text)


@DONORS.at(*_STATEMENTS)
def append_donor_statement(site: Site) -> Iterator[Edit]:
    """Insert a short statement after this one."""
    if not isinstance(site.node, ast.Return | ast.Raise):
        for text in _donated_statements(site):
            yield from site.insert_after(text)


@DONORS.at(ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
def replace_by_donor_statement(site: Site) -> Iterator[Edit]:
    own = site.text(site.statement)
    for text in _donated_statements(site):
        if text != own:
            yield from site.replace_statement(text)


def _donated_statements(site: Site) -> Sequence[str]:
    """Return short statements of the function and of similar ones, except that of the site."""
    own = site.text(site.statement)
    found: dict[str, None] = {}
    for function in _donors(site):
        for statement in function.short_statements:
            if function is site.function or statement.foreign_names <= site.function.name_lines.keys():
                found[statement.text] = None
    return [text for text in found if text != own][:_MOST]


def _usable_texts(site: Site, function: FunctionCode, nodes: Iterable[ast.expr]) -> Iterator[str]:
    """Yield the expressions of a function whose variables exist at the site, too."""
    own, foreign = site.function.name_lines.keys(), function.name_lines.keys()
    for node in nodes:
        if names_in(node) & foreign <= own:
            yield function.module.source(node)


@DONORS.at(ast.Call)
def replace_by_similar_call(site: Site) -> Iterator[Edit]:
    """Use a call of the same function or method with other arguments."""
    assert isinstance(site.node, ast.Call)
    name = last_name(site.node.func)
    found: dict[str, None] = {}
    for function in _donors(site):
        calls = (call for call in function.nodes_of(ast.Call) if last_name(call.func) == name)
        found |= dict.fromkeys(_usable_texts(site, function, calls))
    yield from _replacements(site, found if name else ())


@DONORS.at(ast.Assign, ast.Return, ast.keyword)
def replace_by_value_of_same_role(site: Site) -> Iterator[Edit]:
    """Use what other places assign to the same name, pass for the same keyword, or return."""
    own = getattr(site.node, "value", None)
    role = _role(site.node)
    found: dict[str, None] = {}
    for function in _donors(site):
        values = (getattr(node, "value", None) for node in function.nodes if _role(node) == role)
        expressions = (value for value in values if isinstance(value, ast.expr))
        found |= dict.fromkeys(_usable_texts(site, function, expressions))
    if isinstance(own, ast.expr) and role:
        yield from _replacements(Site(site.function, own, site.project, site.exception), found)


def _role(node: ast.AST) -> str:
    """Return the name under which a node passes its value on; empty for other nodes."""
    match node:
        case ast.Assign(targets=[target]):
            return unparse(target)
        case ast.keyword(arg=str(name)):
            return f"{name}="
        case ast.Return():
            return "return"
    return ""


def _replacements(site: Site, texts: Iterable[str]) -> Iterator[Edit]:
    assert isinstance(site.node, ast.expr)
    own = site.text(site.node)
    for text in list(texts)[:_MOST]:
        if text != own:
            yield site.replace_loosely(site.node, text)
