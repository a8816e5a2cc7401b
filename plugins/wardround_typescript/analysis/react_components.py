"""Parts of a React component: its state, its effects and its event handlers."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.languages.script.code import FUNCTIONS, Code, argument, bare, function_around
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern
from wardround_typescript.syntax.nodes import ancestors, call_with, child, first_part, is_kind

_COMPONENT = LazyPattern(r"^[A-Z][a-z0-9]|^[A-Z]$")
_HOOK = LazyPattern(r"^use[A-Z0-9]")
_HANDLER = LazyPattern(r"^on[A-Z]")
_WRAPPERS = frozenset({"memo", "forwardRef", "observer"})
EFFECTS = ("useEffect", "useLayoutEffect")


class ComponentState(msgspec.Struct, frozen=True):
    """A state variable of a component: its name, its setter, and the call that creates it."""

    name: str
    setter: str
    call: Node


class Effect(msgspec.Struct, frozen=True):
    """An effect: its call, its function, and its dependency list, None if it has none."""

    call: Node
    function: Node
    dependencies: tuple[str, ...] | None


def component_around(code: Code, node: Node) -> Node | None:
    """Return the component or hook that contains a node."""
    around = (function for function in _functions_around(node) if is_component_or_hook(code, function))
    return next(around, None)


def _functions_around(node: Node) -> Iterator[Node]:
    return (around for around in ancestors(node) if around.type in FUNCTIONS)


def is_component_or_hook(code: Code, function: Node) -> bool:
    """Return True for a component or a hook."""
    return is_component(code, function) or is_hook(code, function)


def is_component(code: Code, function: Node) -> bool:
    """Return True if a function is a component, by its name or by its wrapper."""
    if function.type == "method_definition":
        return False
    if _COMPONENT.search(code.name_of(function)):
        return True
    call = call_with(function)
    return is_kind(call, "call_expression") and code.callee(call).removeprefix("React.") in _WRAPPERS


def is_hook(code: Code, function: Node) -> bool:
    return function.type != "method_definition" and _HOOK.search(code.name_of(function)) is not None


def states(code: Code, component: Node, *makers: str) -> list[ComponentState]:
    """Return the states of a component: those of ``useState``, or of the given hooks."""
    tests = makers or ("useState",)
    found = code.notes.get((states, tests))
    if not isinstance(found, dict):
        found = code.notes[states, tests] = _states(code, *tests)
    return found.get(component.id, [])


def _states(code: Code, *makers: str) -> dict[int, list[ComponentState]]:
    """Map the id of a function to the states that calls in it create."""
    found: dict[int, list[ComponentState]] = {}
    for call in code.calls_of(*makers):
        pattern = child(call.parent, "name") if is_kind(call.parent, "variable_declarator") else None
        names = code.names_in(pattern)
        function = function_around(call)
        if is_kind(pattern, "array_pattern") and len(names) == 2 and function is not None:
            found.setdefault(function.id, []).append(ComponentState(names[0], names[1], call))
    return found


def initial_states(code: Code) -> Iterator[Node]:
    """Yield the object literals that are the initial state of a class component."""
    for node in code.kinds("public_field_definition", "assignment_expression"):
        is_field = node.type == "public_field_definition"
        target, value = ("name", "value") if is_field else ("left", "right")
        state = child(node, value)
        if code.field(node, target) in ("state", "this.state") and is_kind(state, "object"):
            yield state


def effects(code: Code) -> Iterator[Effect]:
    """Return the effects of a file whose function is inline or named there."""
    for call in code.calls_of(*EFFECTS):
        function = code.referenced_function(argument(call, 0))
        if function is not None:
            yield Effect(call, function, _dependencies(code, call))


def _dependencies(code: Code, call: Node) -> tuple[str, ...] | None:
    listed = bare(argument(call, 1))
    if not is_kind(listed, "array"):
        return None
    return tuple(code.text(value) for value in listed.named_children if value.type != "comment")


def is_in_effect(code: Code, node: Node) -> bool:
    """Return True if a node is in the function of an effect."""
    calls = (call_with(function) for function in _functions_around(node))
    return any(code.callee(call).removeprefix("React.") in EFFECTS for call in calls if call is not None)


def is_in_handler(code: Code, node: Node) -> bool:
    """Return True if a node runs on an event: in a function of an ``on...`` attribute, or one referenced
    there.
    """
    for function in _functions_around(node):
        if is_component_or_hook(code, function):
            return False
        if _is_handler(code, function):
            return True
    return False


def _is_handler(code: Code, function: Node) -> bool:
    wrapper = call_with(function)  # handleSubmit(function), debounce(function)
    holder = function.parent if wrapper is None else wrapper.parent
    if is_kind(holder, "jsx_expression"):
        attribute = holder.parent
        return is_kind(attribute, "jsx_attribute") and _is_handlers_attribute(code, attribute)
    name = code.name_of(function)
    return bool(name) and _is_handlers_name(code, name)


def _is_handlers_attribute(code: Code, attribute: Node) -> bool:
    return _HANDLER.search(code.text(first_part(attribute))) is not None


def _is_handlers_name(code: Code, name: str) -> bool:
    """Return True if an event attribute anywhere in the file names a function like this."""
    tests = (_is_handlers_name, name)
    if tests not in code.notes:
        attributes = _attributes_with(code, name)
        code.notes[tests] = any(_is_handlers_attribute(code, attribute) for attribute in attributes)
    return code.notes[tests] is True


def _attributes_with(code: Code, name: str) -> Iterator[Node]:
    """Yield the attributes whose value names a function, or calls it in an inline function."""
    seen: set[int] = set()
    for use in code.reads("identifier", name):
        for attribute in _attributes_around(use):
            if attribute.id not in seen:
                seen.add(attribute.id)
                yield attribute


def _attributes_around(node: Node) -> Iterator[Node]:
    """Yield the attributes whose value contains a node."""
    inner = node
    for around in ancestors(node):
        is_value = around.type == "jsx_attribute" and inner.type == "jsx_expression"
        if is_value and around.named_children[-1].id == inner.id:
            yield around
        inner = around
