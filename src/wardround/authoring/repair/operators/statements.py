"""Edits of statements: deleted, moved, inserted, and exits that are exchanged."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.authoring.repair.module_code import is_docstring
from wardround.authoring.repair.operators.family import OperatorFamily
from wardround.authoring.repair.operators.site import Edit, Site

STATEMENTS = OperatorFamily()

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Return, ast.Raise)
_ANY = (*_SIMPLE, ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Break, ast.Continue)
_AUGMENTED = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.BitOr: "|=", ast.BitAnd: "&="}
_MOST_ALTERNATIVES = 8


def _statement(site: Site) -> ast.stmt:
    assert isinstance(site.node, ast.stmt)
    return site.node


def _place(site: Site) -> int:
    """Return the position of the statement in its block."""
    return next(place for place, statement in enumerate(site.block) if statement is site.node)


@STATEMENTS.at(*_ANY, ast.Assert)
def delete_statement(site: Site) -> Iterator[Edit]:
    """Delete the lines of a statement; the only one of a block becomes ``pass``."""
    module = site.function.module
    start, end = module.span(_statement(site))
    is_alone = len(site.block) == 1 or site.function.indentation(_statement(site)) is None
    if is_alone or module.text[end : module.line_end(end)].strip()[:1] not in ("", "#"):
        yield from site.replace_statement("pass")
    elif not module.text.startswith("elif", start):
        yield Edit(module.line_start(start), min(module.line_end(end) + 1, len(module.text)), "")


@STATEMENTS.at(*_ANY)
def move_up(site: Site) -> Iterator[Edit]:
    """Move a statement before the preceding ones of its block, the nearest first."""
    if place := _place(site):
        for before in reversed(site.block[max(0, place - 3) : place]):
            yield from _exchange_lines(site, before, _statement(site), moves_last=True)


@STATEMENTS.at(*_ANY)
def move_down(site: Site) -> Iterator[Edit]:
    """Move a statement after the following ones of its block, the nearest first."""
    for after in site.block[_place(site) + 2 : _place(site) + 4]:
        yield from _exchange_lines(site, _statement(site), after, moves_last=False)


def _exchange_lines(site: Site, first: ast.stmt, last: ast.stmt, *, moves_last: bool) -> Iterator[Edit]:
    """Yield the edit of complete lines in which the last statement comes first, or the first last."""
    function, module = site.function, site.function.module
    start, end = module.line_start(module.span(first)[0]), module.line_end(module.span(last)[1])
    if function.indentation(first) is None or function.indentation(last) is None or is_docstring(first):
        return
    boundary = _boundary(site, first, last, moves_last=moves_last)
    text = module.text[start:end]
    head, tail = text[: boundary - start], text[boundary - start :]
    yield Edit(start, end, f"{tail.lstrip(chr(10))}\n{head.rstrip(chr(10))}")


def _boundary(site: Site, first: ast.stmt, last: ast.stmt, *, moves_last: bool) -> int:
    """Return the end of the line after which the part that becomes the first begins."""
    module = site.function.module
    block = list(site.block)
    before = block[block.index(last) - 1] if moves_last else first
    return module.line_end(module.span(before)[1])


@STATEMENTS.at(*_ANY)
def move_out(site: Site) -> Iterator[Edit]:
    """Move the last statement of a block after the block, or the first one before it."""
    parent = site.function.parents[site.node]
    text = site.wrapped_statement()
    if (
        not text
        or not isinstance(parent, ast.If | ast.For | ast.While | ast.With | ast.Try)
        or len(site.block) < 2
    ):
        return
    outer = Site(site.function, parent, site.project, site.exception)
    if site.block[-1] is site.node:
        yield from _move(site, outer.insert_after(text))
    if site.block[0] is site.node:
        yield from _move(site, outer.insert_before(text))


def _move(site: Site, insertions: Iterator[Edit]) -> Iterator[Edit]:
    """Join the deletion of the statement's lines with its insertion elsewhere into one edit."""
    module = site.function.module
    start, end = module.span(_statement(site))
    start, end = module.line_start(start), module.line_end(end) + 1
    for insertion in insertions:
        if insertion.start >= end - 1:
            rest = module.text[end : max(insertion.start, end)]
            yield Edit(start, max(insertion.end, end), f"{rest}{_joint(rest, insertion.replacement)}")
        else:
            rest = module.text[insertion.end : start].rstrip("\n")
            yield Edit(insertion.start, end - 1, f"{insertion.replacement}{rest}")


def _joint(rest: str, replacement: str) -> str:
    """Return the inserted lines without the line break that the deletion has left."""
    return replacement if rest else f"{replacement.removeprefix(chr(10))}\n"


@STATEMENTS.at(*_SIMPLE)
def move_into_next(site: Site) -> Iterator[Edit]:
    """Move a statement into the branch or the loop after it."""
    rest = site.block[_place(site) + 1 : _place(site) + 2]
    text = site.wrapped_statement()
    if rest and text and isinstance(rest[0], ast.If | ast.For | ast.While | ast.With | ast.Try):
        inner = Site(site.function, rest[0].body[0], site.project, site.exception)
        yield from _move(site, inner.insert_before(text))


@STATEMENTS.at(ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Pass)
def exchange_exit(site: Site) -> Iterator[Edit]:
    """Leave a loop or a function in another way."""
    own = site.text(_statement(site))
    returned = [f"return {text}" for text in site.returned_texts[:4]]
    in_loop = ("continue", "break") if site.loop is not None else ()
    for other in (*in_loop, *returned, "return", "pass"):
        if other != own:
            yield site.replace(_statement(site), other)


@STATEMENTS.at(*_SIMPLE)
def exit_after(site: Site) -> Iterator[Edit]:
    """Leave the loop or the function after a statement."""
    returned = [f"return {text}" for text in site.returned_texts[:3]]
    in_loop = ("continue", "break") if site.loop is not None else ()
    if not isinstance(site.node, ast.Return | ast.Raise):
        for code in (*in_loop, *returned, "return"):
            yield from site.insert_after(code)


@STATEMENTS.at(ast.Return)
def replace_returned_value(site: Site) -> Iterator[Edit]:
    """Return another variable, or a value that is returned elsewhere in the function."""
    assert isinstance(site.node, ast.Return)
    own = "" if site.node.value is None else site.text(site.node.value)
    values = (*site.returned_texts, *site.names[:_MOST_ALTERNATIVES], "None", "True", "False", "self")
    for text in dict.fromkeys(values):
        if text != own:
            yield site.replace(site.node, f"return {text}")


@STATEMENTS.at(ast.Expr)
def return_result(site: Site) -> Iterator[Edit]:
    """Return the result of a call that is only made for its effect, or assign it."""
    assert isinstance(site.node, ast.Expr)
    text = site.text(site.node.value)
    if isinstance(site.node.value, ast.Call):
        yield site.replace(site.node, f"return {text}")
        for name in site.names[:4]:
            yield site.replace(site.node, f"{name} = {text}")


@STATEMENTS.at(ast.Assign)
def assignment_to_augmented(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Assign(targets=[target], value=value):
            for operator in ("+=", "|="):
                yield site.replace(site.node, f"{site.text(target)} {operator} {site.text(value)}")


@STATEMENTS.at(ast.AugAssign)
def replace_augmented(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.AugAssign(target=target, op=operator, value=value):
            for other in ("=", *_AUGMENTED.values()):
                if _AUGMENTED.get(type(operator)) != other:
                    yield site.replace(site.node, f"{site.text(target)} {other} {site.text(value)}")


@STATEMENTS.at(ast.Assign)
def assign_to_other(site: Site) -> Iterator[Edit]:
    """Assign to another variable, or to the attribute of ``self``."""
    match site.node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
            for name in site.names[:_MOST_ALTERNATIVES]:
                if name != site.text(target):
                    yield site.replace(target, name)


@STATEMENTS.at(ast.If)
def else_to_sequence(site: Site) -> Iterator[Edit]:
    """Execute the else branch in any case."""
    assert isinstance(site.node, ast.If)
    module = site.function.module
    if not site.node.orelse or isinstance(site.node.orelse[0], ast.If):
        return
    _, start = module.span(site.node.body[-1])
    first, end = module.span(site.node.orelse[0])[0], module.span(site.node.orelse[-1])[1]
    inner, outer = site.function.indentation(site.node.orelse[0]), site.function.indentation(site.node)
    if inner is not None and outer is not None and "\n" in module.text[start:first]:
        text = module.text[first:end].replace(f"\n{inner}", f"\n{outer}")
        yield Edit(start, end, f"\n{outer}{text}")


@STATEMENTS.at(ast.If)
def elif_to_if(site: Site) -> Iterator[Edit]:
    """Test a condition even if an earlier one of the chain is true."""
    assert isinstance(site.node, ast.If)
    start, _ = site.function.module.span(site.node)
    if site.function.module.text.startswith("elif", start):
        yield Edit(start, start + len("elif"), "if")


@STATEMENTS.at(ast.If)
def if_to_elif(site: Site) -> Iterator[Edit]:
    """Test a condition only if the one before it is false."""
    place = _place(site)
    start, _ = site.function.module.span(_statement(site))
    if (
        place
        and isinstance(site.block[place - 1], ast.If)
        and site.function.module.text.startswith("if", start)
    ):
        yield Edit(start, start, "el")


@STATEMENTS.at(ast.If)
def delete_branch(site: Site) -> Iterator[Edit]:
    """Delete one branch of a chain, whose values the following branches handle."""
    match site.node:
        case ast.If(orelse=[ast.If() as following]) as branch:
            start, _ = site.function.module.span(branch)
            end, _ = site.function.module.span(following)
            text = site.function.module.text
            if text.startswith("elif", end):
                yield Edit(start, end + len("elif"), "elif" if text.startswith("elif", start) else "if")


@STATEMENTS.at(ast.Try)
def delete_handler(site: Site) -> Iterator[Edit]:
    """Delete one of several handlers."""
    assert isinstance(site.node, ast.Try)
    module = site.function.module
    if len(site.node.handlers) > 1:
        for handler in site.node.handlers:
            start, end = module.span(handler)
            yield Edit(module.line_start(start), min(module.line_end(end) + 1, len(module.text)), "")


@STATEMENTS.at(ast.If)
def execute_body_always(site: Site) -> Iterator[Edit]:
    """Replace a branch by the statements of its body, or of its else."""
    assert isinstance(site.node, ast.If)
    for block in (site.node.body, site.node.orelse):
        text = _block_text(site, block)
        if text:
            yield from site.replace_statement(text)


def _block_text(site: Site, block: Sequence[ast.stmt]) -> str:
    """Return the lines of a block relative to its own indentation; empty if they cannot be moved."""
    indentation = site.function.indentation(block[0]) if block else None
    if indentation is None or site.function.module.text.startswith(
        "elif", site.function.module.span(block[0])[0]
    ):
        return ""
    start, end = site.function.module.span(block[0])[0], site.function.module.span(block[-1])[1]
    return site.function.module.text[start:end].replace(f"\n{indentation}", "\n")


@STATEMENTS.at(*_ANY)
def insert_assignment(site: Site) -> Iterator[Edit]:
    """Assign another variable, or an empty value, to a variable that is used."""
    for name in site.own_names[:3]:
        others = [other for other in site.names if other != name][:3]
        values = (*others, "None", "[]", "''", "{}", "False", "True", "0")
        for value in values:
            yield from site.insert_before(f"{name} = {value}")


@STATEMENTS.at(*_ANY)
def convert_variable(site: Site) -> Iterator[Edit]:
    """Convert a variable before the statement that uses it."""
    for name in site.own_names[:4]:
        for method in ("strip", "lower", "encode", "decode", "copy", "rstrip", "lstrip"):
            yield from site.insert_before(f"{name} = {name}.{method}()")
        for kind in ("str", "list", "int", "dict", "tuple"):
            yield from site.insert_before(f"{name} = {kind}({name})")


@STATEMENTS.at(ast.Assign, ast.AugAssign, ast.Expr)
def assign_after(site: Site) -> Iterator[Edit]:
    """Set or clear a variable or an attribute after a statement."""
    for name in site.names[:4]:
        for value in ("None", "True", "False", "[]", "''", "0"):
            yield from site.insert_after(f"{name} = {value}")


@STATEMENTS.at(ast.Return, ast.Assign)
def return_to_yield(site: Site) -> Iterator[Edit]:
    match site.node:
        case ast.Return(value=ast.expr() as value) if _is_generator(site):
            yield site.replace(site.node, f"yield {site.text(value)}")
            yield site.replace(site.node, f"yield from {site.text(value)}")


def _is_generator(site: Site) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in site.function.nodes)


@STATEMENTS.at(ast.For)
def iterate_over(site: Site) -> Iterator[Edit]:
    """Iterate over a copy, in order, backwards, or over the items of a mapping."""
    assert isinstance(site.node, ast.For)
    text = site.text(site.node.iter)
    primary = site.primary(site.node.iter)
    for other in (
        f"list({text})", f"sorted({text})", f"reversed({text})", f"{primary}.items()", f"{primary}.values()",
        f"{primary}[1:]", f"{primary}[:-1]", f"set({text})", f"{primary} or ()", f"{primary}.keys()",
    ):  # fmt: skip
        yield site.replace(site.node.iter, other)


@STATEMENTS.at(ast.If, ast.While)
def exchange_branch_and_loop(site: Site) -> Iterator[Edit]:
    """Repeat a branch as long as its condition is true, or execute a loop at most once."""
    start, _ = site.function.module.span(_statement(site))
    text = site.function.module.text
    if isinstance(site.node, ast.If) and not site.node.orelse and text.startswith("if ", start):
        yield Edit(start, start + len("if"), "while")
    if isinstance(site.node, ast.While) and text.startswith("while ", start):
        yield Edit(start, start + len("while"), "if")
