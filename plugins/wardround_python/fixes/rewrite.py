"""Rewrites of one statement that preserve its comments and formatting."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Edit, Span, SuggestedFix
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tokens import TokenKind
from wardround_python.fixes import arguments, blocks
from wardround_python.fixes.added_import import import_edit
from wardround_python.fixes.statement_text import Node, Replacement, StatementText, is_alone


def suggest(
    source: SourceFile,
    module: PythonModule,
    node: Node,
    change: Callable[[StatementRewrite], Edit | None],
    description: str,
    safe: bool,
    needed_import: str = "",
) -> SuggestedFix | None:
    """Return the fix that changes the statement around a node; None where it cannot be rewritten.

    Args:
        change: returns the edit; None if it does not apply.
        needed_import: a module that the new code uses; without an import of it the fix is not safe.
    """
    text = StatementText.around(source, module, node)
    edit = None if text is None else change(StatementRewrite(source, module, text))
    if edit is None:
        return None
    if not needed_import or _imports_module(module, needed_import):
        return SuggestedFix(description, safe, (edit,))
    added = None if needed_import in module.imported else import_edit(source, module, needed_import)
    return None if added is None else SuggestedFix(description, False, (added, edit))


class StatementRewrite:
    """The rewrites that checks use; each returns None if the result is not valid code."""

    def __init__(self, source: SourceFile, module: PythonModule, text: StatementText) -> None:
        self._source = source
        self._module = module
        self._text = text

    def expression(self, node: ast.expr, template: str, **parts: ast.expr) -> Edit | None:
        """Return the edit that replaces an expression by a template, in which ``{name}`` is a part of the
        expression.
        """
        return self._text.edit(Replacement(*self._text.part(node), self._fill_template(template, parts)))

    def _fill_template(self, template: str, parts: dict[str, ast.expr]) -> str:
        return template.format(**{name: self._text.code(part) for name, part in parts.items()})

    def assign_to(self, node: ast.Expr, name: str) -> Edit | None:
        """Return the edit that assigns the value of an expression statement to a name."""
        if not is_alone(self._source, node):
            return None
        start = self._text.part(node).start
        return self._text.edit(Replacement(start, start, f"{name} = "))

    def raise_value(self, node: ast.Expr | ast.Return) -> Edit | None:
        """Return the edit that raises the value of a statement."""
        if node.value is None or not is_alone(self._source, node):
            return None
        start = self._text.part(node).start
        return self._text.edit(Replacement(start, self._text.outer(node.value).start, "raise "))

    def text(self, node: ast.expr, change: Callable[[str], str]) -> Edit | None:
        """Return the edit that changes the source text of a literal; None for several pieces or escapes."""
        part = self._text.part(node)
        code = self._text.text[part.start : part.end]
        if len(self._text.between(*part)) != 1 or "\\" in code or change(code) == code:
            return None
        return self._text.edit(Replacement(*part, change(code)))

    def add_f_prefix(self, node: ast.Constant | ast.JoinedStr, part: Span | None = None) -> Edit | None:
        """Return the edit that adds the prefix ``f`` to the pieces of a string that have braces.

        Args:
            part: the span of the only piece that gets an ``f``; all of them by default.
        """
        start, end = self._text.part(node)
        pieces = [
            Replacement(token.start, token.end, f"f{token.text.lstrip('uU')}")
            for token in self._text.all_tokens
            if token.kind is TokenKind.STRING
            and start <= token.start < end
            and token.template is None
            and "{" in token.text
            and (part is None or self._text.position(token.start) == part.start)
        ]
        return self._text.edit(*pieces) if pieces else None

    def join_with(self, node: ast.BoolOp, operator: type[ast.boolop]) -> Edit | None:
        """Return the edit that joins the two values of an ``and`` or ``or`` by the other operator."""
        left, *others = node.values
        if len(others) != 1 or isinstance(left, ast.BoolOp):
            return None
        old, new = ("or", "and") if operator is ast.And else ("and", "or")
        between = self._text.between(self._text.part(left).end, self._text.part(others[0]).start)
        return self._text.edit(
            *(Replacement(token.start, token.end, new) for token in between if token.text == old)
        )

    def keyword(self, node: ast.Call, name: str, value: str) -> Edit | None:
        """Return the edit that adds a keyword argument to a call, or replaces its value."""
        return arguments.set_keyword(self._text, node, name, value)

    def only_argument(self, node: ast.Call, template: str, **parts: ast.expr) -> Edit | None:
        """Return the edit that replaces all arguments of a call by one, made from a template."""
        return arguments.only_argument(self._text, node, self._fill_template(template, parts))

    def remove_keyword(self, node: ast.keyword) -> Edit | None:
        """Return the edit that removes a keyword argument from its call."""
        parent = self._module.parents[node]
        return arguments.remove_keyword(self._text, parent, node) if isinstance(parent, ast.Call) else None

    def with_defaults(self, node: ast.Lambda, names: Sequence[str]) -> Edit | None:
        """Return the edit that binds names as defaults of a lambda."""
        if node.args.vararg or node.args.kwonlyargs or node.args.kwarg:
            return None
        start = self._text.part(node).start
        end = self._text.outer(node.body).start
        colon = next(token for token in reversed(self._text.between(start, end)) if token.text == ":")
        bound = ", ".join(f"{name}={name}" for name in names)
        if not node.args.posonlyargs and not node.args.args:
            return self._text.edit(Replacement(start + len("lambda"), colon.start, f" {bound}"))
        comma = "" if self._has_comma_before(colon.start) else ","
        return self._text.edit(Replacement(colon.start, colon.start, f"{comma} {bound}"))

    def _has_comma_before(self, place: int) -> bool:
        last = self._text.before(place)
        return last is not None and last.text == ","

    def with_block_edit(self, node: ast.expr, statement: ast.stmt, name: str) -> Edit | None:
        """Return the edit that opens what a statement uses in a ``with`` block around the statement."""
        is_simple = not isinstance(statement, _COMPOUND)
        if not is_alone(self._source, statement) or not (is_simple or isinstance(statement, ast.For)):
            return None
        return blocks.with_block_edit(self._text, node, name)

    def finally_from(self, function: FunctionNode, start: ast.stmt, cleanup: ast.stmt) -> Edit | None:
        """Return the edit that puts the statements from ``cleanup`` on into a ``finally``.

        Args:
            start: the first statement of the ``try``.
        """
        return blocks.finally_from(self._text, function, start, cleanup)


_COMPOUND = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.AsyncFor, ast.While, ast.If, ast.With,
    ast.AsyncWith, ast.Match, ast.Try, ast.TryStar,
)  # fmt: skip


def _imports_module(module: PythonModule, name: str) -> bool:
    """Return True if a module is imported under its own name for the complete file."""
    return any(
        alias.asname is None and alias.name.partition(".")[0] == name
        for statement in module.tree.body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    )
