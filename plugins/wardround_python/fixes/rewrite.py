"""Rewrite a statement with libcst, which keeps its comments and formatting.

libcst is slow to import, so that only the computation of a fix imports this module.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst
from libcst.helpers import parse_template_expression
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from wardround.checks.source import SourceFile
from wardround.findings import Edit, Span, SuggestedFix
from wardround.languages.python.module import FunctionNode, PythonModule, statements_in

_BLOCK = "if 1:\n"
"""The line above an indented statement that lets it be parsed alone."""
_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))

Node = ast.expr | ast.stmt | ast.keyword
Concrete = TypeVar("Concrete", bound=cst.CSTNode)


def suggest(
    source: SourceFile,
    module: PythonModule,
    node: Node,
    change: Callable[[StatementRewrite], Edit | None],
    description: str,
    safe: bool,
    needed_import: str = "",
) -> SuggestedFix | None:
    """Return the fix that changes the statement around a node; None where libcst cannot rewrite it.

    Args:
        change: returns the edit; None if it does not apply.
        needed_import: a module that the new code uses; without an import of it the fix is not safe.
    """
    statement = StatementRewrite.around(source, module, node)
    try:
        edit = None if statement is None else change(statement)
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        return None
    if edit is None:
        return None
    if not needed_import or _imports(module, needed_import):
        return SuggestedFix(description, safe, (edit,))
    added = None if needed_import in module.imported else import_edit(source, needed_import)
    return None if added is None else SuggestedFix(description, False, (added, edit))


@dataclass(frozen=True, slots=True)
class StatementRewrite:
    """The concrete syntax of one statement that has its lines to itself.

    Attributes:
        first: number of its first line.
        before: the text of its lines.
        above: lines of ``tree`` above it.
        indent: one level of indentation in the file.
    """

    source: SourceFile
    module: PythonModule
    first: int
    before: str
    tree: cst.Module
    positions: Mapping[cst.CSTNode, CodeRange]
    above: int
    indent: str

    @classmethod
    def around(cls, source: SourceFile, module: PythonModule, node: Node) -> StatementRewrite | None:
        """Return the innermost statement around a node that has its lines to itself."""
        around = (node, *module.ancestors(node))
        found = next((one for one in around if isinstance(one, ast.stmt) and _is_alone(source, one)), None)
        if found is None:
            return None
        text = "".join(line + "\n" for line in source.lines[found.lineno - 1 : found.end_lineno])
        above = _BLOCK if found.col_offset else ""
        try:
            tree = cst.parse_module(above + text)
        except cst.ParserSyntaxError:
            return None
        positions = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider)
        lines = above.count("\n")
        return cls(source, module, found.lineno, text, tree, positions, lines, _indent(source, module))

    def find(self, node: Node, kind: type[Concrete]) -> Concrete | None:
        """Return the outermost concrete node of a kind at the place of a node."""
        return next((one for one in self._at(node) if isinstance(one, kind)), None)

    def find_expression(self, node: ast.expr) -> cst.BaseExpression | None:
        """Return the concrete expression at the place of an expression."""
        return next((one for one in self._at(node) if isinstance(one, cst.BaseExpression)), None)

    def _at(self, node: Node) -> Iterator[cst.CSTNode]:
        """Yield the concrete nodes at the place of a node; of a statement only the start counts."""
        span, shift = self.module.span(node), self.above + 1 - self.first
        start = span.line + shift, span.column - 1
        end = span.end_line + shift, span.end_column - 1
        for one, place in self.positions.items():
            ends = isinstance(node, ast.stmt) or (place.end.line, place.end.column) == end
            if ends and (place.start.line, place.start.column) == start:
                yield one

    def replace(self, old: cst.CSTNode, new: cst.CSTNode) -> Edit | None:
        """Return the edit that puts one node in the place of another; None where that is a syntax error."""
        code = cst.ensure_type(self.tree.deep_replace(old, new), cst.Module).code
        try:
            ast.parse(code)
        except SyntaxError:
            return None
        return self._difference(code.removeprefix(_BLOCK) if self.above else code)

    def expression(self, node: ast.expr, template: str, **parts: ast.expr) -> Edit | None:
        """Return the edit that replaces an expression by a template, in which ``{name}`` is a part of it."""
        old = self.find_expression(node)
        new = self._made(template, parts)
        if old is None or new is None:
            return None
        return self.replace(old, new.with_changes(lpar=old.lpar, rpar=old.rpar))

    def _made(self, template: str, parts: Mapping[str, ast.expr]) -> cst.BaseExpression | None:
        found = {name: self.find_expression(part) for name, part in parts.items()}
        values = {name: value for name, value in found.items() if value is not None}
        if len(values) < len(parts):
            return None
        return parse_template_expression(template, self.tree.config_for_parsing, **values)

    def assigned(self, node: ast.Expr, name: str) -> Edit | None:
        """Return the edit that assigns the value of an expression statement to a name."""
        old = self.find_expression(node.value)
        line = self.find(node, cst.SimpleStatementLine)
        if old is None or line is None or len(line.body) > 1:
            return None
        new = cst.Assign([cst.AssignTarget(cst.Name(name))], old)
        return self.replace(line, line.with_changes(body=[new]))

    def raised(self, node: ast.Expr | ast.Return) -> Edit | None:
        """Return the edit that raises the value of a statement."""
        value = node.value
        old = None if value is None else self.find_expression(value)
        line = self.find(node, cst.SimpleStatementLine)
        if old is None or line is None or len(line.body) > 1:
            return None
        return self.replace(line, line.with_changes(body=[cst.Raise(old)]))

    def text(self, node: ast.expr, change: Callable[[str], str]) -> Edit | None:
        """Return the edit that changes the source text of an expression; None where it has escapes."""
        old = self.find_expression(node)
        code = "\\" if old is None else self.tree.code_for_node(old)
        if old is None or "\\" in code or change(code) == code:
            return None
        return self.replace(old, cst.parse_expression(change(code)))

    def formatted(self, node: ast.Constant | ast.JoinedStr, part: Span | None = None) -> Edit | None:
        """Return the edit that puts ``f`` before the pieces of a text that have braces.

        Args:
            part: of the only piece that gets one.
        """
        old = self.find_expression(node)
        if not isinstance(old, (cst.SimpleString, cst.ConcatenatedString)):
            return None
        chosen = [
            piece
            for piece in _pieces(old)
            if "{" in piece.value and (part is None or self._start(piece) == part.start)
        ]
        return self.replace(old, _formatted(old, chosen)) if chosen else None

    def _start(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the line and the column of a concrete node in the file."""
        start = self.positions[node].start
        return start.line + self.first - 1 - self.above, start.column + 1

    def joined(self, node: ast.BoolOp, operator: type[ast.boolop]) -> Edit | None:
        """Return the edit that joins the values of an ``and`` or ``or`` by the other operator."""
        old = self.find(node, cst.BooleanOperation)
        if old is None or isinstance(old.left, cst.BooleanOperation):
            return None
        kind = cst.And if operator is ast.And else cst.Or
        spaces = old.operator.whitespace_before, old.operator.whitespace_after
        return self.replace(old, old.with_changes(operator=kind(*spaces)))

    def keyword(self, node: ast.Call, name: str, value: str) -> Edit | None:
        """Return the edit that gives a call a keyword argument, or the one it has another value."""
        call = self.find(node, cst.Call)
        if call is None:
            return None
        given = cst.parse_expression(value)
        for one in call.args:
            if one.keyword is not None and one.keyword.value == name:
                return self.replace(one.value, given)
        new = cst.Arg(given, cst.Name(name), _EQUAL)
        return self.replace(call, call.with_changes(args=_with_last(call, new)))

    def only_argument(self, node: ast.Call, template: str, **parts: ast.expr) -> Edit | None:
        """Return the edit that gives a call one argument, made from a template, in place of all it has."""
        call, new = self.find(node, cst.Call), self._made(template, parts)
        if call is None or new is None:
            return None
        return self.replace(call, call.with_changes(args=[call.args[-1].with_changes(value=new)]))

    def without_keyword(self, node: ast.keyword) -> Edit | None:
        """Return the edit that takes a keyword argument out of its call."""
        parent = self.module.parents[node]
        call = self.find(parent, cst.Call) if isinstance(parent, ast.Call) else None
        if call is None:
            return None
        at = next(n for n, one in enumerate(call.args) if one.keyword and one.keyword.value == node.arg)
        args, gone = list(call.args), call.args[at]
        if at == len(args) - 1 and at:
            args[at - 1] = args[at - 1].with_changes(
                comma=gone.comma, whitespace_after_arg=gone.whitespace_after_arg
            )
        del args[at]
        return self.replace(call, call.with_changes(args=args))

    def with_defaults(self, node: ast.Lambda, names: Sequence[str]) -> Edit | None:
        """Return the edit that binds names as defaults of a lambda."""
        old = self.find(node, cst.Lambda)
        if old is None or node.args.vararg or node.args.kwonlyargs or node.args.kwarg:
            return None
        bound = [cst.Param(cst.Name(name), default=cst.Name(name), equal=_EQUAL) for name in names]
        params = old.params.with_changes(params=[*old.params.params, *bound])
        space = cst.SimpleWhitespace(" ")
        return self.replace(old, old.with_changes(params=params, whitespace_after_lambda=space))

    def in_with(self, node: ast.expr, statement: ast.stmt, name: str) -> Edit | None:
        """Return the edit that opens what a statement uses in a ``with`` block around the statement."""
        opened = self.find_expression(node)
        old = self.find(statement, cst.SimpleStatementLine) or self.find(statement, cst.For)
        if opened is None or old is None:
            return None
        inner = old.with_changes(leading_lines=()).deep_replace(opened, cst.Name(name))
        item = cst.WithItem(opened, cst.AsName(cst.Name(name)))
        body = self.block([cst.ensure_type(inner, type(old))])
        return self.replace(old, cst.With([item], body, leading_lines=old.leading_lines))

    def finally_from(self, function: FunctionNode, start: ast.stmt, cleanup: ast.stmt) -> Edit | None:
        """Return the edit that puts the statements from ``cleanup`` on into a ``finally``.

        Args:
            start: the first statement of the ``try``.
        """
        old = self.find(function, cst.FunctionDef)
        if old is None or not isinstance(old.body, cst.IndentedBlock):
            return None
        first, last = function.body.index(start), function.body.index(cleanup)
        steps = list(old.body.body)
        if len(steps) != len(function.body):
            return None  # two statements share a line
        above, steps[first] = _without_blank_lines(steps[first])
        _, steps[last] = _without_blank_lines(steps[last])
        tried, final = self.block(steps[first:last]), cst.Finally(self.block(steps[last:]))
        guarded = cst.Try(tried, finalbody=final, leading_lines=above)
        body = old.body.with_changes(body=[*steps[:first], guarded])
        return self.replace(old, old.with_changes(body=body))

    def block(self, statements: Sequence[cst.BaseStatement]) -> cst.IndentedBlock:
        """Return statements as the body of a compound statement."""
        return cst.IndentedBlock(statements, indent=self.indent)

    def _difference(self, code: str) -> Edit:
        """Return the smallest edit that turns the statement into other code."""
        start = _common(self.before, code)
        end = _common(self.before[start:][::-1], code[start:][::-1])
        line, column = self._position(start)
        end_line, end_column = self._position(len(self.before) - end)
        replacement = code[start : len(code) - end]
        return Edit(self.source.path, Span(line, column, end_line, end_column), replacement)

    def _position(self, offset: int) -> tuple[int, int]:
        above = self.before[:offset]
        return self.first + above.count("\n"), offset - above.rfind("\n")


def import_edit(source: SourceFile, name: str) -> Edit | None:
    """Return the edit that adds ``import name``; None where libcst cannot place it in whole lines."""
    from libcst.codemod import CodemodContext
    from libcst.codemod.visitors import AddImportsVisitor

    context = CodemodContext()
    AddImportsVisitor.add_needed_import(context, name)
    try:
        new = AddImportsVisitor(context).transform_module(cst.parse_module(source.text)).code
    except cst.ParserSyntaxError:
        return None
    before, after = source.text.split("\n"), new.split("\n")
    added = len(after) - len(before)
    first = next((n for n, (old, now) in enumerate(zip(before, after, strict=False)) if old != now), None)
    if first is None or added < 1 or before[first:] != after[first + added :]:
        return None
    text = "".join(line + "\n" for line in after[first : first + added])
    return Edit(source.path, Span(first + 1, 1, first + 1, 1), text)


def _imports(module: PythonModule, name: str) -> bool:
    """Return True if a module is imported under its own name for the whole file."""
    return any(
        alias.asname is None and alias.name.partition(".")[0] == name
        for statement in module.tree.body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    )


def _is_alone(source: SourceFile, statement: ast.stmt) -> bool:
    """Return True if nothing but a comment shares the lines of a statement."""
    first = source.lines[statement.lineno - 1].encode()
    last = source.lines[(statement.end_lineno or statement.lineno) - 1].encode()
    before, rest = first[: statement.col_offset], last[statement.end_col_offset :].strip()
    is_branch = isinstance(statement, ast.If) and first[statement.col_offset :].startswith(b"elif")
    return not before.strip() and not is_branch and (not rest or rest.startswith(b"#"))


def _indent(source: SourceFile, module: PythonModule) -> str:
    """Return one level of indentation, as the first indented statement of the file has it."""
    for one in statements_in(module.tree):
        margin = source.lines[one.lineno - 1][: one.col_offset]
        if margin and not margin.strip():
            return margin
    return "    "


def _pieces(text: cst.BaseExpression) -> Iterator[cst.SimpleString]:
    """Yield the pieces of a text that have no ``f``."""
    if isinstance(text, cst.SimpleString):
        yield text
    elif isinstance(text, cst.ConcatenatedString):
        yield from _pieces(text.left)
        yield from _pieces(text.right)


def _formatted(text: cst.BaseExpression, chosen: Sequence[cst.SimpleString]) -> cst.BaseExpression:
    """Return a text with ``f`` before the chosen pieces."""
    if isinstance(text, cst.ConcatenatedString):
        return text.with_changes(left=_formatted(text.left, chosen), right=_formatted(text.right, chosen))
    if isinstance(text, cst.SimpleString) and text in chosen:
        return cst.parse_expression("f" + text.value.lstrip("uU"))
    return text


def _without_blank_lines(
    statement: cst.BaseStatement,
) -> tuple[Sequence[cst.EmptyLine], cst.BaseStatement]:
    """Return the blank lines above a statement, and the statement without them."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return (), statement
    lines = statement.leading_lines
    count = next((n for n, line in enumerate(lines) if line.comment is not None), len(lines))
    return lines[:count], statement.with_changes(leading_lines=lines[count:])


def _with_last(call: cst.Call, new: cst.Arg) -> list[cst.Arg]:
    """Return the arguments of a call with one more, spaced as those before it."""
    if not call.args:
        return [new]
    last = call.args[-1]
    comma = last.comma if isinstance(last.comma, cst.Comma) else None
    tail = last.whitespace_after_arg if comma is None else comma.whitespace_after
    breaks = [one for one in _spaces(call) if isinstance(one, cst.ParenthesizedWhitespace)]
    if isinstance(tail, cst.ParenthesizedWhitespace):
        margin = [*breaks, tail][0]
        before = cst.Comma(
            whitespace_after=tail.with_changes(indent=margin.indent, last_line=margin.last_line)
        )
        tail = _without_comment(tail)
    else:
        before = cst.Comma(whitespace_after=_without_comment(breaks[-1])) if breaks else _COMMA
    if comma is None:
        new = new.with_changes(whitespace_after_arg=tail)
    else:
        new = new.with_changes(comma=comma.with_changes(whitespace_after=tail))
    bare = last.with_changes(comma=before, whitespace_after_arg=cst.SimpleWhitespace(""))
    return [*call.args[:-1], bare, new]


def _spaces(call: cst.Call) -> Iterator[cst.BaseParenthesizableWhitespace]:
    """Yield the whitespace before each argument of a call."""
    yield call.whitespace_before_args
    for one in call.args[:-1]:
        if isinstance(one.comma, cst.Comma):
            yield one.comma.whitespace_after


def _without_comment(space: cst.ParenthesizedWhitespace) -> cst.ParenthesizedWhitespace:
    return space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=())


def _common(one: str, other: str) -> int:
    """Return the length of the common start of two texts."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
