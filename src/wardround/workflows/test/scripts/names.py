"""The names of the functions of a script."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.script.syntax import Node, ScriptModule

_LONGEST_PART = 60
_NAMED = {
    "variable_declarator": "name", "pair": "key", "public_field_definition": "name",
    "class_declaration": "name", "abstract_class_declaration": "name", "class": "name",
    "assignment_expression": "left", "method_definition": "name", "internal_module": "name",
}  # fmt: skip
_TRANSPARENT = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")


def function_name(module: ScriptModule, node: Node) -> str:
    """Return the name of a function, qualified by the classes, variables and keys around it.

    An anonymous function is named after the call that receives it: ``app.get("/users")``.
    """
    parts = list(_parts(module, node))
    return ".".join(reversed(parts)) or "default"


def _parts(module: ScriptModule, node: Node) -> Iterator[str]:
    own = node.child_by_field_name("name")
    if own is not None:
        yield _short(module.of(own))
    inner, above = node, node.parent
    while above is not None:
        if above.type == "call_expression" and above.child_by_field_name("function") != inner:
            yield _call(module, above)
        elif (field := _NAMED.get(above.type)) is not None:
            named = above.child_by_field_name(field)
            if named is not None and named != inner:
                yield _short(module.of(named))
        inner, above = above, above.parent


def _call(module: ScriptModule, call: Node) -> str:
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    text = module.of(first) if first is not None and first.type == "string" else ""
    return _short(f"{module.of(function) if function is not None else ''}({text})")


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_PART]


def is_called_immediately(node: Node) -> bool:
    """Return True for a function expression that is called immediately."""
    inner, above = node, node.parent
    while above is not None and above.type in _TRANSPARENT:
        inner, above = above, above.parent
    if above is not None and above.type == "member_expression":  # (function () {}).call(this)
        inner, above = above, above.parent
    return (
        above is not None
        and above.type == "call_expression"
        and above.child_by_field_name("function") == inner
    )
