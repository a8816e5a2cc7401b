"""Calls through which an expression of a script is reached, with their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wardround.languages.script.code import argument
from wardround.languages.script.syntax import Node
from wardround_typescript.syntax.nodes import child, parts

PARAMETERS = frozenset({"required_parameter", "optional_parameter", "identifier"})


@dataclass(frozen=True, slots=True)
class Frame:
    """The calls through which an expression is reached.

    Attributes:
        left: the number of calls that may still be followed.
        given: the id of the declaration of a parameter -> its argument; None if none is passed.
    """

    left: int
    given: Mapping[int, FrameArgument] = field(default_factory=dict)

    def deeper(self) -> Frame:
        """Return the frame of an expression of the same call, one step further."""
        return Frame(self.left - 1, self.given)

    def enter(self, function: Node, call: Node) -> Frame:
        """Return the frame of the body of a function that a call runs."""
        passed = call.child_by_field_name("arguments")
        if passed is None or any(value.type == "spread_element" for value in passed.named_children):
            return self.deeper()
        given = dict(self.given)
        for location, parameter in enumerate(_parameters(function)):
            value = argument(call, location) or parameter.child_by_field_name("value")
            given[parameter.id] = FrameArgument(value, self)
        return Frame(self.left - 1, given)

    def argument_of(self, parameter: Node | None) -> FrameArgument | None:
        """Return the argument for a parameter, if it is known."""
        return self.given.get(parameter.id) if parameter is not None else None


@dataclass(frozen=True, slots=True)
class FrameArgument:
    """An argument, and the frame in which it is evaluated."""

    value: Node | None
    frame: Frame


def _parameters(function: Node) -> list[Node]:
    lone = function.child_by_field_name("parameter")
    if lone is not None:
        return [lone]
    return [part for part in parts(child(function, "parameters")) if part.type in PARAMETERS]
