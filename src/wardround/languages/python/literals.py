"""Constant values in the source: a literal, or a name that is assigned one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.languages.python.tree import walk


def literal(module: PythonModule, node: ast.expr | None) -> object:
    """Return the value of a constant, or of a name or attribute with one constant assignment; else None."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        node = single_assignment(module, node)
    return node.value if isinstance(node, ast.Constant) else None


def fixed_text(module: PythonModule, node: ast.expr | None) -> str:
    """Return the value of a string, or of a name to which one is assigned; for an f-string the constant
    parts.
    """
    if isinstance(node, (ast.Name, ast.Attribute)):
        node = single_assignment(module, node)
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def is_true(node: ast.expr | None) -> bool:
    """Return True if the node is ``True``."""
    return isinstance(node, ast.Constant) and node.value is True


def is_false(node: ast.expr) -> bool:
    """Return True if the node is ``False``."""
    return isinstance(node, ast.Constant) and node.value is False


def is_none(node: ast.expr | None) -> bool:
    """Return True if the node is ``None``; False without a node."""
    return isinstance(node, ast.Constant) and node.value is None


def single_assignment(module: PythonModule, node: ast.expr) -> ast.expr | None:
    """Return the value of the only assignment to a name or attribute, anywhere in the module.

    A context manager that ``with`` binds to a name counts as its value. Of several values of a name, the only
    one in the same function counts. ``self.LIMIT`` and ``Config.LIMIT`` are also resolved in the body of the
    class.
    """
    if isinstance(node, ast.Name):
        return _only_value(_values_of(module, node))
    attribute = node.attr if isinstance(node, ast.Attribute) else None
    values = [value for target, value in _attributes(module) if target == attribute]
    return _only_value(values or module.assigned.get(attribute or "", []))


def _only_value(values: Sequence[ast.expr]) -> ast.expr | None:
    """Return the only value; None if there are several, or if it is another name."""
    return values[0] if len(values) == 1 and not isinstance(values[0], ast.Name) else None


def assigned_value(module: PythonModule, node: ast.expr) -> ast.expr | None:
    """Return the value of the only assignment to a name in its function, else ``single_assignment``."""
    function = module.function_of(node) if isinstance(node, ast.Name) else None
    if function is None or not isinstance(node, ast.Name):
        return single_assignment(module, node)
    created = [
        inner.value
        for inner in walk(function)
        if isinstance(inner, ast.Assign) and node.id in map(last_name, inner.targets)
    ]
    if len(created) > 1:
        return None
    return created[0] if created else single_assignment(module, node)


def _values_of(module: PythonModule, name: ast.Name) -> list[ast.expr]:
    created = [*module.assigned.get(name.id, ()), *_entered_contexts(module).get(name.id, ())]
    function = module.function_of(name)
    if len(created) < 2 or function is None or name.id in _parameters(function):
        return created
    return [value for value in created if module.function_of(value) is function]


def _parameters(function: FunctionNode | ast.Lambda) -> set[str]:
    return {node.arg for node in walk(function.args) if isinstance(node, ast.arg)}


def _entered_contexts(module: PythonModule) -> dict[str, list[ast.expr]]:
    """Return name -> the context managers that ``with`` statements bind to it."""
    found = module.notes.get(_entered_contexts)
    if found is None:
        entered: dict[str, list[ast.expr]] = {}
        for node in module.nodes:
            for item in node.items if isinstance(node, (ast.With, ast.AsyncWith)) else ():
                if isinstance(item.optional_vars, ast.Name):
                    entered.setdefault(item.optional_vars.id, []).append(item.context_expr)
        found = module.notes[_entered_contexts] = entered
    assert isinstance(found, dict)
    return found


def _attributes(module: PythonModule) -> Iterator[tuple[str, ast.expr]]:
    found = module.notes.get(_attributes)
    if found is None:
        found = module.notes[_attributes] = [
            (target.attr, node.value)
            for node in module.nodes
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Attribute)
        ]
    assert isinstance(found, list)
    yield from found


def entries(node: ast.expr | None) -> dict[str, ast.expr]:
    """Return the entries of a dict display, or of a call of ``dict``, with string keys."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        return {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    return {k.value: v for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)}


def setting_of(target: ast.expr) -> str:
    """Return the name of an assigned setting: ``DEBUG``, ``app.config["DEBUG"]``, ``app.conf.debug``."""
    if isinstance(target, ast.Subscript):
        return str(target.slice.value) if isinstance(target.slice, ast.Constant) else ""
    return last_name(target)


def settings_in(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr | ast.stmt | ast.keyword]]:
    """Return the settings that a node of the tree assigns, with the value and the position of each.

    An assignment, or a keyword of a call: ``app.config.update(DEBUG=True)``.
    """
    if isinstance(node, ast.Assign):
        yield from ((setting_of(target), node.value, node) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield setting_of(node.target), node.value, node
    elif isinstance(node, ast.keyword) and node.arg is not None:
        yield node.arg, node.value, node
    elif isinstance(node, ast.Dict):
        yield from ((key, value, value) for key, value in entries(node).items())
