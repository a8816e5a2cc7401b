"""False positives of ruff, if the rest of the module shows."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from wardround.findings import Span
from wardround.languages.python.cache import cached_module
from wardround.languages.python.literals import single_assignment
from wardround.languages.python.module import PythonModule, statements_in
from wardround.languages.python.tree import unparse, walk
from wardround_python.syntax.calls import keyword_values, passed_values
from wardround_python.tools.false_positives.ruff_style import HABITS

_OBJECTS = frozenset({"S301", "S302", "S506"})
_XML = frozenset({"S314", "S318", "S319"})
DOUBTED = frozenset(
    {"S102", "S113", "S202", "S307", "S317", "S602", "S604", "S605", "S608", *_OBJECTS, *_XML, *HABITS}
)
_TEXTS = frozenset({"S102", "S307", "S602", "S604", "S605", *_OBJECTS, *_XML})
_SPREAD = {"S113": "timeout", "S202": "filter"}
"""Code -> the argument whose absence it reports."""
_EXTERNAL = "feature_external_ges, False"


def is_harmless(path: str, text: str, code: str, span: Span) -> bool:
    """Return True if the reported text consists only of constants of the module.

    For S113 and S202: if the timeout or the filter is among the ``**`` arguments; for S317: if external
    entities are disabled; for habits: if they are harmless there.
    """
    try:
        return _is_harmless(cached_module(path, text), code, span)
    except (ValueError, SyntaxError, RecursionError):
        return False


def equality_of(path: str, text: str, span: Span) -> Span:
    """Return the name of the ``__eq__`` that a class of a module defines, which removes its hash."""
    try:
        module = cached_module(path, text)
    except (ValueError, SyntaxError, RecursionError):
        return span
    for holder in module.tree.body:
        if isinstance(holder, ast.ClassDef) and holder.lineno <= span.line <= (
            holder.end_lineno or span.line
        ):
            for statement in holder.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == "__eq__":
                    return module.name_span(statement)
    return span


def _is_harmless(module: PythonModule, code: str, span: Span) -> bool:
    if code in HABITS:
        return HABITS[code](module, span)
    if code == "S317":
        return _EXTERNAL in module.text or _disables_entities(module)
    node = _complained_of(module, code, span)
    if node is None:
        return False
    if code in _SPREAD:
        return isinstance(node, ast.Call) and _spreads_argument(module, node, _SPREAD[code])
    if code in _XML and _has_several_arguments(node):
        return _disables_entities(module)
    return _is_fixed(module, code, node)


def _has_several_arguments(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and len(passed_values(node)) > 1


def _disables_entities(module: PythonModule) -> bool:
    return "feature_external_ges" in module.text and _switches_all_off(module.tree)


def _first_text(node: ast.expr) -> ast.expr | None:
    """Return the argument of a call that is executed or parsed."""
    assert isinstance(node, ast.Call)
    arguments = [*node.args[:1], *keyword_values(node, "args", "cmd", "command")]
    return arguments[0] if arguments else None


def _is_fixed(module: PythonModule, code: str, node: ast.expr) -> bool:
    """Return True if the module itself determines the reported value."""
    from wardround_python.analysis.constant_texts import is_constant_text

    value = _first_text(node) if code in _TEXTS else node
    if value is None:
        return False
    if code == "S301" and _is_dumped_in_module(module, value):
        return True
    return is_constant_text(module, value, value) or _is_certain(module, value)


def _complained_of(module: PythonModule, code: str, span: Span) -> ast.expr | None:
    """Return the reported expression; of S506, the call whose loader it names."""
    if code == "S506":
        return _call_with_loader(module, span)
    for expression in module.expressions_on.get(span.line, ()):
        is_start = expression.col_offset + 1 == span.column
        if is_start and (code == "S608" or isinstance(expression, ast.Call)):
            return expression
    return None


def _call_with_loader(module: PythonModule, span: Span) -> ast.Call | None:
    calls = (node for node in module.nodes if isinstance(node, ast.Call))
    for call in calls:
        for part in (*call.args[1:2], *keyword_values(call, "Loader"), call):
            if part.lineno == span.line and part.col_offset + 1 == span.column:
                return call
    return None


def _is_dumped_in_module(module: PythonModule, node: ast.expr) -> bool:
    """Return True if the loaded bytes were dumped by this module, and held since."""
    value = single_assignment(module, node) if isinstance(node, ast.Name) else node
    return isinstance(value, ast.Call) and (module.qualified_name(value.func) or "") in {
        "pickle.dumps",
        "marshal.dumps",
    }


def _is_certain(module: PythonModule, node: ast.expr) -> bool:
    from wardround_python.dataflow.known_values import is_certain  # only after a finding

    return is_certain(module, node)


def _switches_all_off(tree: ast.Module) -> bool:
    """Return True if every feature of a parser that a module sets is set to a false value."""
    calls = [
        node
        for node in walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "setFeature"
    ]
    return bool(calls) and all(
        len(call.args) == 2 and isinstance(call.args[1], ast.Constant) and not call.args[1].value
        for call in calls
    )


def _spreads_argument(module: PythonModule, call: ast.Call, argument: str) -> bool:
    """Return True if the mapping that is spread into a call has an argument where the module creates it."""
    spread = {
        node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        for keyword in call.keywords
        if keyword.arg is None
        for node in walk(keyword.value)
    } - {"", "self"}
    if not spread:
        return False
    assigned = module.notes.get(_givers)
    if not isinstance(assigned, dict):
        assigned = module.notes[_givers] = _givers(module)
    return any(argument in unparse(value) for name in spread for value in assigned.get(name, ()))


def _givers(module: PythonModule) -> Mapping[str, Sequence[ast.stmt]]:
    """Map a name to the functions of that name and to the assignments to it."""
    result: dict[str, list[ast.stmt]] = {}
    for node in statements_in(module.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            result.setdefault(node.name, []).append(node)
        for target in node.targets if isinstance(node, ast.Assign) else ():
            result.setdefault(unparse(target).rpartition(".")[2], []).append(node)
    return result
