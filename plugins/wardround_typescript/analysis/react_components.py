"""Parts of a React component: its state, its effects and its event handlers."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.code import FUNCTIONS, Code, argument, bare, function_around
from wardround.languages.script.syntax import Node

_COMPONENT = LazyPattern(r"^[A-Z][a-z0-9]|^[A-Z]$")
_HOOK = LazyPattern(r"^use[A-Z0-9]")
_HANDLER = LazyPattern(r"^on[A-Z]")
_WRAPPERS = frozenset({"memo", "forwardRef", "observer"})
EFFECTS = ("useEffect", "useLayoutEffect")


class ComponentState(msgspec.Struct, frozen=True):
    """A state of a component: its name, its setter, and the call that creates it."""

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
    function = function_around(node)
    while function is not None:
        if is_component(code, function) or is_hook(code, function):
            return function
        function = function_around(function)
    return None


def is_component(code: Code, function: Node) -> bool:
    """Return True if a function is a component, by its name or by its wrapper."""
    if function.type == "method_definition":
        return False
    if _COMPONENT.search(code.name_of(function)):
        return True
    given = function.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    return (
        call is not None
        and call.type == "call_expression"
        and code.called(call).removeprefix("React.") in _WRAPPERS
    )


def is_hook(code: Code, function: Node) -> bool:
    return function.type != "method_definition" and _HOOK.search(code.name_of(function)) is not None


def states(code: Code, component: Node, *makers: str) -> list[ComponentState]:
    """Return the states of a component, those of ``useState`` unless other hooks are named."""
    tests = makers or ("useState",)
    found = code.notes.get((states, tests))
    if not isinstance(found, dict):
        found = code.notes[states, tests] = _states(code, *tests)
    return found.get(component.id, [])


def _states(code: Code, *makers: str) -> dict[int, list[ComponentState]]:
    """Map the id of a function to the states that calls in it create."""
    found: dict[int, list[ComponentState]] = {}
    for call in code.calls_of(*makers):
        declarator = call.parent
        if declarator is None or declarator.type != "variable_declarator":
            continue
        pattern = declarator.child_by_field_name("name")
        names = code.names_in(pattern)
        if pattern is not None and pattern.type == "array_pattern" and len(names) == 2:
            function = function_around(call)
            if function is not None:
                found.setdefault(function.id, []).append(ComponentState(names[0], names[1], call))
    return found


def effects(code: Code) -> Iterator[Effect]:
    """Return the effects of a file whose function is inline or named there."""
    for call in code.calls_of(*EFFECTS):
        function = code.function_meant(argument(call, 0))
        if function is not None:
            yield Effect(call, function, _dependencies(code, call))


def _dependencies(code: Code, call: Node) -> tuple[str, ...] | None:
    listed = bare(argument(call, 1))
    if listed is None or listed.type != "array":
        return None
    return tuple(code.text(one) for one in listed.named_children if one.type != "comment")


def is_in_effect(code: Code, node: Node) -> bool:
    """Return True if a node is in the function of an effect."""
    function = function_around(node)
    while function is not None:
        given = function.parent
        if (
            given is not None
            and given.type == "arguments"
            and given.parent is not None
            and code.called(given.parent).removeprefix("React.") in EFFECTS
        ):
            return True
        function = function_around(function)
    return False


def is_in_handler(code: Code, node: Node) -> bool:
    """Return True if a node runs on an event: in a function of an ``on...`` attribute, or one named there."""
    function = function_around(node)
    while function is not None and not is_component(code, function) and not is_hook(code, function):
        if _is_handler(code, function):
            return True
        function = function_around(function)
    return False


def _is_handler(code: Code, function: Node) -> bool:
    given = function.parent
    if given is not None and given.type == "arguments" and given.parent is not None:
        given = given.parent.parent  # wrapped handlers: handleSubmit(function), debounce(function)
    if given is not None and given.type == "jsx_expression" and given.parent is not None:
        attribute = given.parent
        return attribute.type == "jsx_attribute" and bool(
            attribute.named_children and _HANDLER.search(code.text(attribute.named_children[0]))
        )
    name = code.name_of(function)
    return bool(name) and _is_handlers_name(code, name)


def _is_handlers_name(code: Code, name: str) -> bool:
    """Return True if an event attribute anywhere in the file names a function like this."""
    tests = (_is_handlers_name, name)
    if tests not in code.notes:
        code.notes[tests] = any(
            _HANDLER.search(code.text(attribute.named_children[0]))
            for attribute in _attributes_with(code, name)
        )
    return code.notes[tests] is True


def _attributes_with(code: Code, name: str) -> Iterator[Node]:
    """Yield the attributes whose value names a function, or calls it in an inline function."""
    seen: set[int] = set()
    for use in code.reads("identifier", name):
        above: Node | None = use
        while above is not None:
            held, above = above, above.parent
            if above is None or above.type != "jsx_attribute" or held.type != "jsx_expression":
                continue
            if above.id not in seen and above.named_children[-1].id == held.id:
                seen.add(above.id)
                yield above


def top_function(node: Node) -> Node | None:
    """Return the outermost function that contains a node."""
    above, found = node.parent, None
    while above is not None:
        if above.type in FUNCTIONS:
            found = above
        above = above.parent
    return found
