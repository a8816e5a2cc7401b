"""Recorded values as the arguments of a function, by the kinds of the parameters at base and head."""

from __future__ import annotations

import inspect
import sys
import types
from functools import cached_property
from itertools import takewhile
from typing import Any

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
Parameters = list[inspect.Parameter]


class Incompatible(Exception):
    """A function does not accept the recorded arguments."""


class Recorded:
    """The values of a recorded call, by the parameters of the base.

    Args:
        given: by parameter; omitted ones had their default.
        header: ``names`` are all parameters in order, ``rest`` the ``*args`` parameter and ``keywords`` the
            ``**kwargs`` parameter, empty if there is none, and ``keyword_only`` those after a star.

    Attributes:
        positional: the parameters that take a value by its position.
    """

    def __init__(self, given: dict[str, Any], header: dict[str, Any]) -> None:
        spread = (header["rest"], header["keywords"])
        self.positional = [name for name in header["names"] if name not in (*spread, *header["keyword_only"])]
        self.fixed = {name: _evaluate_literal(value) for name, value in given.items() if name not in spread}
        self.rest = [_evaluate_literal(value) for value in given.get(spread[0], ())]
        self.keywords = {key: _evaluate_literal(value) for key, value in given.get(spread[1], {}).items()}


def _evaluate_literal(value: Any) -> Any:
    """Return the object that a literal in code evaluates to; strings like names are interned."""
    is_name = type(value) is str and value.isascii() and value.replace("_", "a").isalnum()
    return sys.intern(value) if is_name else value


def arguments_for(function: types.FunctionType, recorded: Recorded) -> tuple[list[Any], dict[str, Any]]:
    """Return the positional and the keyword arguments that pass recorded values.

    Raises:
        Incompatible: a value has no parameter, a parameter no value, or positional parameters have another
            order.
    """
    parameters = list(inspect.signature(function, follow_wrapped=False).parameters.values())
    return _Binding(parameters, recorded).bind_arguments()


class _Binding:
    """One call, with the parameters at base or head."""

    def __init__(self, parameters: Parameters, recorded: Recorded) -> None:
        self._parameters = parameters
        self._recorded = recorded
        self._fixed = dict(recorded.fixed)
        self._rest = list(recorded.rest)
        self._keywords = dict(recorded.keywords)
        self._positional: list[Any] = []
        self._named: dict[str, Any] = {}
        self._is_gapless = True

    def bind_arguments(self) -> tuple[list[Any], dict[str, Any]]:
        self._refuse_another_order()
        for at, parameter in enumerate(self._parameters):
            if parameter.kind is parameter.VAR_POSITIONAL:
                self._bind_variadic(self._removed[at:])
            elif parameter.kind is parameter.VAR_KEYWORD:
                self._named.update(self._keywords)
                self._keywords = {}
            else:
                self._bind(parameter, self._recorded_name(at, parameter))
        if left := [*self._fixed, *self._keywords]:
            raise Incompatible(f"parameter {left[0]} is removed")
        if self._rest:
            raise Incompatible("there are more values than parameters")
        return self._positional, self._named

    def _recorded_name(self, at: int, parameter: inspect.Parameter) -> str:
        """Return the name that a parameter had at its position when the call was recorded."""
        former = self._removed[at] if at < len(self._removed) and parameter.kind in _POSITIONAL else ""
        return former or parameter.name

    @cached_property
    def _removed(self) -> list[str]:
        """The recorded names by position; empty where a parameter still has the name."""
        own = {
            parameter.name
            for parameter in self._parameters
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }
        return [name if name not in own else "" for name in self._recorded.positional]

    def _refuse_another_order(self) -> None:
        """Refuse parameters in another order: a call by position passes other values to them."""
        after = [parameter.name for parameter in self._parameters if parameter.kind in _POSITIONAL]
        given = self._recorded.fixed
        common = [name for name in self._recorded.positional if name in after and name in given]
        if common != sorted(common, key=after.index):
            raise Incompatible("the parameters have another order")

    def _bind(self, item: inspect.Parameter, name: str) -> None:
        if name in self._fixed:
            self._pass(item, self._fixed.pop(name))
        elif item.name in self._keywords and item.kind is not item.POSITIONAL_ONLY:
            self._named[item.name] = self._keywords.pop(item.name)
            self._is_gapless = False
        elif (
            self._rest
            and item.kind in _POSITIONAL
            and self._is_gapless
            and name not in self._recorded.positional
        ):
            self._positional.append(self._rest.pop(0))
        elif item.default is item.empty:
            raise Incompatible(f"parameter {item.name} is new and has no default")
        elif item.kind is item.POSITIONAL_ONLY:
            self._positional.append(item.default)
        else:
            self._is_gapless = False

    def _pass(self, item: inspect.Parameter, value: Any) -> None:
        if item.kind is item.KEYWORD_ONLY or not self._is_gapless:
            self._named[item.name] = value
        else:
            self._positional.append(value)

    def _bind_variadic(self, removed: list[str]) -> None:
        """Pass the values of a ``*args`` parameter, after those of removed parameters at its position."""
        given = takewhile(self._fixed.__contains__, filter(None, removed))
        before = [self._fixed.pop(name) for name in list(given)]
        values = [*before, *self._rest]
        if values and not self._is_gapless:
            raise Incompatible("values follow an omitted argument")
        self._positional += values
        self._rest = []
