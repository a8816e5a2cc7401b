"""The check that an edited function is still Python, by parsing no more of it than the edit can affect."""

from __future__ import annotations

import ast
import warnings

from wardround.authoring.repair.module_code import FunctionCode
from wardround.authoring.repair.operators.site import Edit


def is_python(function: FunctionCode, statement: ast.stmt, edit: Edit) -> bool:
    """Return True if the function parses after an edit.

    Args:
        statement: the one at which the edit was proposed; only it is parsed if it contains the edit.
    """
    text = _edited_part(function, statement, edit)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _edited_part(function: FunctionCode, statement: ast.stmt, edit: Edit) -> str:
    """Return the smallest part that contains the edit, in a block of the same indentation."""
    indentation = function.indentation(statement)
    if indentation is None or _is_branch(function, statement):
        return edited_function(function, edit)
    part = _inserted_part(function, statement, edit) or _statement_part(function, statement, edit)
    return _block(part, indentation) if part else edited_function(function, edit)


def _is_branch(function: FunctionCode, statement: ast.stmt) -> bool:
    """Return True for the ``elif`` of a chain, which cannot be parsed alone."""
    return function.module.source(statement).startswith("elif")


def _inserted_part(function: FunctionCode, statement: ast.stmt, edit: Edit) -> str:
    """Return lines that are inserted before or after the statement, with another one in its place."""
    start, end = function.module.span(statement)
    if edit.start != edit.end or "\n" not in edit.replacement:
        return ""
    if edit.start == start:
        return f"{edit.replacement}pass"
    return f"pass{edit.replacement}" if edit.start >= end else ""


def _statement_part(function: FunctionCode, statement: ast.stmt, edit: Edit) -> str:
    """Return the statement, or only its header if the edit is there; empty if more is edited."""
    start, end = function.module.span(statement)
    body = getattr(statement, "body", None)
    header_end = function.module.span(body[0])[0] if body else end
    text = function.module.text
    if not start <= edit.start <= edit.end <= end:
        return ""
    if body and start < edit.start and edit.end < header_end:
        return f"{text[start : edit.start]}{edit.replacement}{text[edit.end : header_end]}pass"
    is_all = (edit.start, edit.end) == (start, end)
    return text[start : edit.start] + edit.replacement + text[edit.end : end] if is_all or not body else ""


def edited_function(function: FunctionCode, edit: Edit) -> str:
    """Return the text of a function after an edit, in a block if it is a method."""
    module = function.module
    start, end = function.span
    end = max(end, edit.end)
    text = module.text[start : edit.start] + edit.replacement + module.text[edit.end : end]
    return _block(text, function.indentation(function.node) or "")


def _block(text: str, indentation: str) -> str:
    """Return the text of statements in a block, so that they may be indented."""
    return f"if 1:\n{indentation}{text}" if indentation else text
