"""Findings of tools that the rest of the module refutes.

Unlike a harmless habit, such a finding is wrong even if the project selects its code.
"""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from wardround.findings import Span
from wardround.languages.python.cache import cached_module
from wardround.languages.python.literals import is_none, single_assignment
from wardround.languages.python.module import PythonModule, last_name, statements_in, targets_of
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.tools import pylint_settings
from wardround_python.tools.ruff_config import read_snapshot_file

_OLD_BUILTINS = frozenset(
    {
        "apply", "basestring", "buffer", "cmp", "coerce", "execfile", "file", "intern", "long", "raw_input",
        "reduce", "reload", "StandardError", "unichr", "unicode", "xrange",
    }
)  # fmt: skip
"""Builtins of Python 2 that Python 3 lacks."""
_ATTRS_FIELDS = frozenset({"attr.attrib", "attr.field", "attr.ib", "attrs.field"})
_IS_OLD = LazyPattern(r"(?i)^_?(?:is_?)?py(?:thon)?_?2\w?$")
_IS_NEW = LazyPattern(r"(?i)^_?(?:is_?)?py(?:thon)?_?3\w?$")
_NEWEST = (3, 99, 0)
"""A version of Python 3 later than any that a condition compares with."""
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


_WORD = re.compile(r"\w+")


def line_of(lines: Sequence[str], number: int) -> str:
    """Return a line, 1-based; empty where there is none."""
    return lines[number - 1] if 0 < number <= len(lines) else ""


def refuter(root: Path) -> Callable[[str, str, Span], bool]:
    """Return a predicate that is True if a file of a snapshot refutes a code's claim at a position."""
    text_of = cache(partial(read_snapshot_file, root))
    lines_of = cache(lambda file: (text_of(file) or "").split("\n"))
    builtins_of = cache(partial(pylint_settings.additional_builtins, root))
    is_disabled = cache(
        lambda file, code, number: pylint_settings.is_disabled(code, line_of(lines_of(file), number))
    )

    def is_settled_for_pylint(file: str, code: str, span: Span) -> bool:
        """Return True if pylint's rule is disabled, or a name is declared as a builtin in its settings."""
        name = _WORD.match(line_of(lines_of(file), span.line), span.column - 1)
        is_declared = code in pylint_settings.UNDEFINED and name is not None and name[0] in builtins_of()
        return is_declared or is_disabled(file, code, span.line)

    def is_refuted(file: str, code: str, span: Span) -> bool:
        if code in pylint_settings.CODES and is_settled_for_pylint(file, code, span):
            return True
        text = text_of(file) if code in REFUTED else None
        return text is not None and _is_refuted(file, text, code, span)

    return is_refuted


def _is_refuted(path: str, text: str, code: str, span: Span) -> bool:
    try:
        module = cached_module(path, text)
    except (ValueError, SyntaxError, RecursionError):
        return False
    return REFUTED[code](module, span)


def _names_are_dynamic(module: PythonModule, span: Span) -> bool:
    """Return True if the module provides names it does not bind: ``__getattr__``, ``globals()``."""
    return any(_binds_getattr(node) or _binds_dynamically(node) for node in statements_in(module.tree))


def _binds_getattr(statement: ast.stmt) -> bool:
    """Return True for a function ``__getattr__`` of one parameter (a method has two), or its name."""
    if isinstance(statement, ast.FunctionDef):
        return statement.name == "__getattr__" and len(statement.args.args) == 1
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name) == "__getattr__" for alias in statement.names)
    return any("__getattr__" in _bound_names(target) for target in _targets(statement))


def _binds_dynamically(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = unparse(statement.value.func)
        return called in ("globals().update", "vars().update", "locals().update") or (
            called == "setattr" and "__name__" in unparse(statement.value)
        )
    written = [unparse(target) for target in _targets(statement)]
    return any(item.startswith(("globals()[", "vars()[", "sys.modules[__name__]")) for item in written)


def _targets(statement: ast.stmt) -> Sequence[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else ()


def _bound_names(target: ast.expr) -> Sequence[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in _bound_names(element)]
    return [target.id] if isinstance(target, ast.Name) else []


def _is_tried(module: PythonModule, span: Span) -> bool:
    """Return True for a name that may be missing: an old builtin, or any whose ``NameError`` is caught."""
    names = [node for node in module.starting_at(span.line, span.column) if isinstance(node, ast.Name)]
    return any(
        _runs_on_old_python_only(module, name) or _is_name_error_caught(module, name) for name in names
    )


def _is_tried_or_literal(module: PythonModule, span: Span) -> bool:
    return _is_tried(module, span) or _is_literal(module, span)


def _is_literal(module: PythonModule, span: Span) -> bool:
    """Return True inside a string of ``Literal[...]``, which is a value.

    ty reads the strings of ``type[Literal[...]]`` as annotations.
    """
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and module.span(node).contains(span.start)
        and any(
            isinstance(outer, ast.Subscript) and last_name(outer.value) == "Literal"
            for outer in module.ancestors(node)
        )
        for node in module.expressions_on.get(span.line, ())
    )


def _is_name_error_caught(module: PythonModule, node: ast.AST) -> bool:
    """Return True if a ``try`` around a node, in the same function, has a handler that names NameError."""
    inner = node
    for outer in module.ancestors(node):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False
        if isinstance(outer, ast.Try) and inner in outer.body:
            kinds = [name for handler in outer.handlers for name in _kinds_of(handler)]
            if "NameError" in kinds:
                return True
        inner = outer
    return False


def _kinds_of(handler: ast.ExceptHandler) -> Sequence[str | None]:
    """Return the names of the exceptions that a handler catches; None if it catches all."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [None if kind is None else last_name(kind) for kind in kinds]


def _runs_on_old_python_only(module: PythonModule, name: ast.Name) -> bool:
    """Return True for a builtin of Python 2 that Python 3 does not reach, or whose absence is caught."""
    return name.id in _OLD_BUILTINS and _is_unreached(module, name)


def _is_unreached(module: PythonModule, node: ast.AST) -> bool:
    """Return True if a condition around a node, or an early exit before it, is never met by Python 3."""
    inner = node
    for outer in module.ancestors(node):
        if _is_skipped(module, outer, inner):
            return True
        if isinstance(inner, ast.stmt) and _exits_before(module, outer, inner):
            return True
        inner = outer
    return False


def _is_skipped(module: PythonModule, outer: ast.AST, inner: ast.AST) -> bool:
    """Return True if Python 3 never evaluates a part of a statement or expression, or expects its error."""
    match outer:
        case ast.If():
            return inner is not outer.test and _truth(module, outer.test) is (inner not in outer.body)
        case ast.IfExp():
            return inner is not outer.test and _truth(module, outer.test) is (inner is not outer.body)
        case ast.BoolOp():
            ends = isinstance(outer.op, ast.Or)
            before = itertools.takewhile(lambda value: value is not inner, outer.values)
            return any(_truth(module, value) is ends for value in before)
        case ast.Try():
            return inner in outer.body and any(map(_catches_name_error, outer.handlers))
        case _:
            return False


def _catches_name_error(handler: ast.ExceptHandler) -> bool:
    return any(kind in (None, "NameError", "Exception") for kind in _kinds_of(handler))


def _exits_before(module: PythonModule, outer: ast.AST, inner: ast.stmt) -> bool:
    """Return True if an earlier statement of the same block always leaves it on Python 3."""
    block = _block_of(outer, inner)
    before = itertools.takewhile(lambda statement: statement is not inner, block)
    return any(_always_leaves(module, statement) for statement in before)


def _block_of(outer: ast.AST, inner: ast.stmt) -> Sequence[ast.stmt]:
    """Return the statements of a compound statement among which one is; none for another's."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(outer, name, None)
        if isinstance(block, list) and inner in block:
            return block
    return ()


def _always_leaves(module: PythonModule, statement: ast.stmt) -> bool:
    """Return True for a version condition whose branch for Python 3 leaves the block."""
    if not isinstance(statement, ast.If):
        return False
    is_met = _truth(module, statement.test)
    if is_met is None:
        return False
    branch = statement.body if is_met else statement.orelse
    return bool(branch) and isinstance(branch[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _truth(module: PythonModule, test: ast.expr) -> bool | None:
    """Return the value of a version condition on Python 3; None if it is about something else."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _truth(module, operand)
            return None if inner is None else not inner
        case ast.BoolOp():
            return _truth_of_all(module, test)
        case ast.Compare():
            return _version_comparison(module, test)
        case _:
            return _truth_of_name(module, test)


def _truth_of_all(module: PythonModule, test: ast.BoolOp) -> bool | None:
    """Return the value of ``and`` or ``or``, as far as its operands decide it."""
    ends = isinstance(test.op, ast.Or)
    known = [_truth(module, value) for value in test.values]
    if ends in known:
        return ends
    return None if None in known else not ends


def _truth_of_name(module: PythonModule, test: ast.expr) -> bool | None:
    """Return the value of a name like ``PY3``, or of the comparison that is assigned to a name."""
    name = last_name(test)
    is_new = _IS_NEW.search(name) is not None
    if is_new or _IS_OLD.search(name):
        return is_new
    assigned = single_assignment(module, test) if isinstance(test, ast.Name) else None
    return _truth(module, assigned) if isinstance(assigned, ast.Compare) else None


def _version_comparison(module: PythonModule, test: ast.Compare) -> bool | None:
    version = _version(module, test.left)
    compare = _COMPARED.get(type(test.ops[0]))
    if version is None or compare is None or len(test.ops) > 1:
        return None
    try:
        return bool(compare(version, ast.literal_eval(test.comparators[0])))
    except (ValueError, TypeError):
        return None


def _version(module: PythonModule, node: ast.expr) -> object:
    """Return the value of ``sys.version_info``, or of a part of it, on Python 3."""
    if isinstance(node, ast.Attribute) and node.attr == "major":
        return _NEWEST[0] if _is_version(module, node.value) else None
    if isinstance(node, ast.Subscript) and _is_version(module, node.value):
        if isinstance(node.slice, ast.Slice):
            return _NEWEST
        return _NEWEST[0] if isinstance(node.slice, ast.Constant) and node.slice.value == 0 else None
    return _NEWEST if _is_version(module, node) else None


def _is_version(module: PythonModule, node: ast.expr) -> bool:
    return module.qualified_name(node) == "sys.version_info"


def _loads_text_only(module: PythonModule, span: Span) -> bool:
    """Return True for a YAML loader that creates only strings, lists and mappings."""
    return any(
        last_name(node) in ("BaseLoader", "CBaseLoader")
        for node in module.starting_at(span.line, span.column)
    )


def _may_be_none(module: PythonModule, span: Span) -> bool:
    """Return True if the module assigns None to the tested attribute or name, whatever its declared type."""
    tested = _named_at(module, span)
    return any(
        last_name(target) == tested
        for node in statements_in(module.tree)
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        if isinstance(node.value, ast.Constant) and node.value.value is None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )


def _is_absent_dependency(module: PythonModule, span: Span) -> bool:
    """Return True for a name that is None only where an import fails."""
    called = _named_at(module, span)
    return any(
        called in [last_name(target) for target in assignment.targets]
        for node in statements_in(module.tree)
        if isinstance(node, ast.Try)
        if any(isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in node.body)
        for handler in node.handlers
        for assignment in handler.body
        if isinstance(assignment, ast.Assign) and is_none(assignment.value)
    )


def _is_passed_on(module: PythonModule, span: Span) -> bool:
    """Return True for ``getattr(x, "__call__", ...)`` whose value is an argument or is assigned."""
    for node in module.starting_at(span.line, span.column):
        if isinstance(node, ast.Call):
            parent = module.parents[node]
            return last_name(node.func) == "getattr" and isinstance(
                parent, (ast.Call, ast.Assign, ast.Return)
            )
    return False


def _is_hook_of_attrs(module: PythonModule, span: Span) -> bool:
    """Return True for ``@name.validator`` or ``@name.default``, where the class body assigns an attrs field.

    In the body the name is the field; its declared type is that of the attribute of instances.
    """
    for node in module.expressions_on.get(span.line, ()):
        if isinstance(node, ast.Attribute) and module.span(node).contains(span.start):
            function = module.parents[node]
            owner = module.parents.get(function)
            is_hook = isinstance(function, ast.FunctionDef) and node in function.decorator_list
            if is_hook and isinstance(owner, ast.ClassDef) and node.attr in ("validator", "default"):
                return last_name(node.value) in _attrs_fields(module, owner)
    return False


def _attrs_fields(module: PythonModule, owner: ast.ClassDef) -> set[str]:
    """Return the names that a class body assigns fields of attrs to."""
    return {
        last_name(target)
        for statement in owner.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        if isinstance(statement.value, ast.Call)
        and module.imported_name(statement.value.func) in _ATTRS_FIELDS
        for target in targets_of(statement)
    }


def _is_conditional(module: PythonModule, span: Span) -> bool:
    """Return True for a conditional expression, whose branches may be exception classes or tuples of them."""
    return any(isinstance(node, ast.IfExp) for node in module.starting_at(span.line, span.column))


def _exports_attributes(module: PythonModule, span: Span) -> bool:
    """Return True if an attribute, whose value may be a string, is all that the tool does not know."""
    for node in module.tree.body:
        is_there = isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno == span.line
        exported = getattr(node, "value", None) if is_there else None
        if isinstance(exported, (ast.List, ast.Tuple)):
            return all(isinstance(element, (ast.Constant, ast.Attribute)) for element in exported.elts)
    return False


def _named_at(module: PythonModule, span: Span) -> str:
    """Return the last part of the longest name or attribute that starts at a position."""
    named = (
        last_name(node)
        for node in module.starting_at(span.line, span.column)
        if isinstance(node, (ast.Name, ast.Attribute))
    )
    return next(named, "")


REFUTED: Mapping[str, Callable[[PythonModule, Span], bool]] = {
    **dict.fromkeys(pylint_settings.UNDEFINED, _is_tried),
    "B004": _is_passed_on,
    "B030": _is_conditional,
    "F822": _names_are_dynamic,
    "PLE0604": _exports_attributes,
    "S506": _loads_text_only,
    "invalid-syntax-in-forward-annotation": _is_literal,
    "missing-attribute": _is_hook_of_attrs,
    "not-callable": _is_absent_dependency,
    "reportAttributeAccessIssue": _is_hook_of_attrs,
    "reportUnsupportedDunderAll": _names_are_dynamic,
    "truthiness-test-of-callable": _may_be_none,
    "unresolved-reference": _is_tried_or_literal,
}
