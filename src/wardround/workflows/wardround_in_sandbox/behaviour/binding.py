"""Recorded values as the arguments of a function, by the kinds of the parameters on each side."""

from __future__ import annotations

import inspect
import sys
import types
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
        header: ``names`` are all parameters in order, ``rest`` the one with one star and ``keywords`` the one
            with two, empty if there is none, and ``keyword_only`` those after a star.

    Attributes:
        positional: the parameters that take a value by its position.
    """

    def __init__(self, given: dict[str, Any], header: dict[str, Any]) -> None:
        spread = (header["rest"], header["keywords"])
        self.positional = [one for one in header["names"] if one not in (*spread, *header["keyword_only"])]
        self.fixed = {name: _as_written(one) for name, one in given.items() if name not in spread}
        self.rest = [_as_written(one) for one in given.get(spread[0], ())]
        self.keywords = {key: _as_written(one) for key, one in given.get(spread[1], {}).items()}


def _as_written(value: Any) -> Any:
    """Return the object that a literal in code is: of a text like a name, the interpreter has one."""
    is_name = type(value) is str and value.isascii() and value.replace("_", "a").isalnum()
    return sys.intern(value) if is_name else value


def arguments_for(function: types.FunctionType, recorded: Recorded) -> tuple[list[Any], dict[str, Any]]:
    """Return the positional and the keyword arguments that pass recorded values.

    Raises:
        Incompatible: a value has no parameter, a parameter no value, or positional parameters have another
            order.
    """
    parameters = list(inspect.signature(function, follow_wrapped=False).parameters.values())
    return _Binding(parameters, recorded).bound()


class _Binding:
    """One call, with the parameters of one side."""

    def __init__(self, parameters: Parameters, recorded: Recorded) -> None:
        self._parameters = parameters
        self._recorded = recorded
        self._fixed = dict(recorded.fixed)
        self._rest = list(recorded.rest)
        self._keywords = dict(recorded.keywords)
        self._positional: list[Any] = []
        self._named: dict[str, Any] = {}
        self._is_gapless = True

    def bound(self) -> tuple[list[Any], dict[str, Any]]:
        self._refuse_another_order()
        own = {one.name for one in self._parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)}
        removed = [name if name not in own else "" for name in self._recorded.positional]
        for at, one in enumerate(self._parameters):
            if one.kind is one.VAR_POSITIONAL:
                self._bind_rest(removed[at:])
            elif one.kind is one.VAR_KEYWORD:
                self._named.update(self._keywords)
                self._keywords = {}
            else:
                is_renamed = at < len(removed) and removed[at] and one.kind in _POSITIONAL
                self._bind(one, removed[at] if is_renamed else one.name)
        if left := [*self._fixed, *self._keywords]:
            raise Incompatible(f"parameter {left[0]} is removed")
        if self._rest:
            raise Incompatible("there are more values than parameters")
        return self._positional, self._named

    def _refuse_another_order(self) -> None:
        """Refuse parameters in another order: a call by position passes other values to them."""
        after = [one.name for one in self._parameters if one.kind in _POSITIONAL]
        given = self._recorded.fixed
        common = [name for name in self._recorded.positional if name in after and name in given]
        if common != sorted(common, key=after.index):
            raise Incompatible("the parameters have another order")

    def _bind(self, one: inspect.Parameter, name: str) -> None:
        if name in self._fixed:
            self._pass(one, self._fixed.pop(name))
        elif one.name in self._keywords and one.kind is not one.POSITIONAL_ONLY:
            self._named[one.name] = self._keywords.pop(one.name)
            self._is_gapless = False
        elif (
            self._rest
            and one.kind in _POSITIONAL
            and self._is_gapless
            and name not in self._recorded.positional
        ):
            self._positional.append(self._rest.pop(0))
        elif one.default is one.empty:
            raise Incompatible(f"parameter {one.name} is new and has no default")
        elif one.kind is one.POSITIONAL_ONLY:
            self._positional.append(one.default)
        else:
            self._is_gapless = False

    def _pass(self, one: inspect.Parameter, value: Any) -> None:
        if one.kind is one.KEYWORD_ONLY or not self._is_gapless:
            self._named[one.name] = value
        else:
            self._positional.append(value)

    def _bind_rest(self, removed: list[str]) -> None:
        """Pass the values of a parameter with one star, after those of removed parameters at its position."""
        given = takewhile(self._fixed.__contains__, filter(None, removed))
        before = [self._fixed.pop(name) for name in list(given)]
        values = [*before, *self._rest]
        if values and not self._is_gapless:
            raise Incompatible("values follow an omitted argument")
        self._positional += values
        self._rest = []
