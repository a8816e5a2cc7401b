"""Edits of exceptions: statements that are tried, handlers that catch more, and other exceptions raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.authoring.repair.operators.applicability import in_loop
from wardround.authoring.repair.operators.family import OperatorFamily
from wardround.authoring.repair.operators.site import Edit, Site

EXCEPTIONS = OperatorFamily()

_TRIED = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.Return,
    ast.For,
    ast.If,
    ast.With,
    ast.Delete,
)
_RELATED = {
    "KeyError": ("IndexError", "LookupError", "AttributeError"),
    "IndexError": ("KeyError", "LookupError"),
    "AttributeError": ("TypeError", "KeyError"),
    "TypeError": ("ValueError", "AttributeError"),
    "ValueError": ("TypeError", "OverflowError"),
    "UnicodeDecodeError": ("UnicodeError", "ValueError"),
    "UnicodeEncodeError": ("UnicodeError", "ValueError"),
}
_COMMON = ("ValueError", "TypeError", "KeyError", "AttributeError", "Exception")
_VALUES = ("None", "''", "[]", "{}", "False", "0")
_NOT_CATCHABLE = frozenset({"", "AssertionError", "Failed", "SystemExit", "KeyboardInterrupt"})


def _catchable_types(site: Site) -> Sequence[str]:
    """Return the exceptions that a handler could catch: that of the traceback, or the common ones."""
    if site.exception in _NOT_CATCHABLE:
        return _COMMON[:2]
    name = site.exception.rpartition(".")[2]
    return (name, f"({', '.join(_pair(name))})")


def _pair(name: str) -> Sequence[str]:
    """Return an exception and the one that often accompanies it."""
    return (name, _RELATED.get(name, ("ValueError",))[0])


def _try(site: Site, handlers: Sequence[str]) -> Iterator[Edit]:
    statement = site.wrapped_statement()
    if not statement or "yield" in statement:
        return
    body = statement.replace("\n", "\n\t")
    for name in _catchable_types(site):
        for handler in handlers:
            yield from site.replace_statement(f"try:\n\t{body}\nexcept {name}:\n\t{handler}")


@EXCEPTIONS.at(*_TRIED)
def try_and_pass(site: Site) -> Iterator[Edit]:
    yield from _try(site, ("pass",))


@EXCEPTIONS.at(*_TRIED)
def try_and_return(site: Site) -> Iterator[Edit]:
    returned = (*site.returned_texts[:3], *site.function.parameters[:2])
    values = list(dict.fromkeys((*returned, "None", "False", "[]", "''", "True")))
    yield from _try(site, [f"return {value}" for value in values])


@EXCEPTIONS.at(*_TRIED, where=in_loop)
def try_and_continue(site: Site) -> Iterator[Edit]:
    yield from _try(site, ("continue", "break"))


@EXCEPTIONS.at(ast.Assign)
def try_and_assign(site: Site) -> Iterator[Edit]:
    """Assign a default if the value cannot be computed."""
    match site.node:
        case ast.Assign(targets=[target]):
            values = (*_VALUES, *site.names[:4])
            yield from _try(site, [f"{site.text(target)} = {value}" for value in values])


@EXCEPTIONS.at(*_TRIED)
def try_and_raise(site: Site) -> Iterator[Edit]:
    """Translate an exception into one that the project raises."""
    yield from _try(site, [_raise_code(name) for name in site.project.raised[:6]])


def _raise_code(name: str) -> str:
    return f"raise {name}()"


@EXCEPTIONS.at(ast.ExceptHandler)
def extend_handler(site: Site) -> Iterator[Edit]:
    """Catch one more exception."""
    match site.node:
        case ast.ExceptHandler(type=ast.Tuple(elts=kinds) as several):
            known = [site.text(kind) for kind in kinds]
            for name in _new_names(site, known):
                yield site.replace(several, f"({', '.join([*known, name])})")
        case ast.ExceptHandler(type=ast.expr() as kind):
            for name in _new_names(site, [site.text(kind)]):
                yield site.replace(kind, f"({site.text(kind)}, {name})")


def _new_names(site: Site, known: Sequence[str]) -> Sequence[str]:
    first = () if site.exception in _NOT_CATCHABLE else (site.exception.rpartition(".")[2],)
    related = [other for name in known for other in _RELATED.get(name, ())]
    names = dict.fromkeys((*first, *related, *_COMMON, *site.project.raised[:4]))
    return [name for name in names if name not in known]


@EXCEPTIONS.at(ast.ExceptHandler)
def replace_handler_type(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.ExceptHandler(type=ast.expr() as kind):
            for name in _new_names(site, [site.text(kind)]):
                yield site.replace(kind, name)


@EXCEPTIONS.at(ast.Raise)
def replace_raised_type(site: Site) -> Iterator[Edit]:
    """Raise another exception of the project, or a built-in one."""
    match site.node:
        case ast.Raise(exc=ast.Call(func=function)):
            for name in dict.fromkeys((*site.project.raised[:10], *_COMMON)):
                if name != site.text(function):
                    yield site.replace(function, name)
        case ast.Raise(exc=ast.Name() as kind):
            for name in dict.fromkeys((*site.project.raised[:6], *_COMMON)):
                yield site.replace(kind, name)


@EXCEPTIONS.at(ast.Return, ast.Assign, ast.Expr, ast.If)
def raise_if(site: Site) -> Iterator[Edit]:
    """Raise an exception of this function, or of similar ones, if a value is missing or of another type."""
    for code in _raises(site)[:3]:
        for name in site.likely_names[:4]:
            for condition in (f"not {name}", f"{name} is None", name, f"not isinstance({name}, str)"):
                yield from site.insert_before(f"if {condition}:\n\t{code}")


@EXCEPTIONS.at(ast.Return, ast.Pass, ast.Continue, ast.Break)
def exit_to_raise(site: Site) -> Iterator[Edit]:
    """Raise an exception instead of leaving quietly."""
    assert isinstance(site.node, ast.stmt)
    for code in _raises(site):
        yield site.replace(site.node, code)


def _raises(site: Site) -> Sequence[str]:
    """Return statements that raise: of the function, of similar ones, and of the project's exceptions."""
    found: dict[str, None] = {}
    for function in (site.function, *site.project.similar_functions(site.function)):
        texts = map(function.module.source, function.nodes_of(ast.Raise))
        found |= dict.fromkeys(text for text in texts if text != "raise" and "\n" not in text)
    return [*found, *(_raise_code(name) for name in site.project.raised[:4])][:8]


@EXCEPTIONS.at(ast.Raise)
def raise_to_pass(site: Site) -> Iterator[Edit]:
    """Leave quietly instead of raising."""
    assert isinstance(site.node, ast.stmt)
    for code in ("pass", "return", *(f"return {text}" for text in site.returned_texts[:3])):
        yield site.replace(site.node, code)


@EXCEPTIONS.at(ast.Try)
def remove_try(site: Site) -> Iterator[Edit]:
    """Execute the body of a ``try`` without its handlers."""
    assert isinstance(site.node, ast.Try)
    first, last = site.node.body[0], site.node.body[-1]
    indentation = site.function.indentation(first)
    if indentation is not None and not site.node.finalbody:
        start, end = site.function.module.span(first)[0], site.function.module.span(last)[1]
        text = site.function.module.text[start:end].replace(f"\n{indentation}", "\n")
        yield from site.replace_statement(text)
