"""Conditions of a policy, in the Common Expression Language (CEL)."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wardround.errors import ConfigError

if TYPE_CHECKING:
    from importlib.abc import Loader  # its import loads importlib.resources, tempfile and others

_BUNDLED = Path(__file__).with_name("cel")
"""The folder of a wheel with the extension module; see ``.ci/bundle_cel.py``."""
_BINDING = re.compile(r"\.(?:all|exists|exists_one|filter|map)\(\s*(\w+)\s*,")
_STANDARD_FUNCTIONS = frozenset(
    {
        "bool",
        "contains",
        "double",
        "duration",
        "endsWith",
        "has",
        "int",
        "lowerAscii",
        "matches",
        "max",
        "min",
    }
    | {"size", "startsWith", "string", "timestamp", "uint"}
)


class Condition:
    """A compiled condition.

    Args:
        variables, functions: the names that it may use besides those of CEL.

    Raises:
        ConfigError: it is not valid CEL, or uses another name.
    """

    def __init__(self, source: str, variables: Collection[str], functions: Collection[str]) -> None:
        self.source = source
        try:
            self._program = _cel().compile(source)
        except ValueError as cause:
            raise ConfigError(
                f"{_shorten_source(source)} is not a CEL expression: {_first_line(cause)}"
            ) from cause
        bound = {match[1] for match in _BINDING.finditer(source)}
        self._require_known_names("variable", set(self._program.variables()) - bound, variables)
        called = {name for name in self._program.functions() if name.isidentifier()}
        self._require_known_names("function", called, {*functions, *_STANDARD_FUNCTIONS})

    def _require_known_names(self, kind: str, used: Collection[str], known: Collection[str]) -> None:
        unknown = sorted(set(used) - set(known))
        if unknown:
            raise ConfigError(
                f"{_shorten_source(self.source)}: unknown {kind} {unknown[0]!r}; "
                f"known: {', '.join(sorted(known))}"
            )

    def holds(self, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> bool:
        """Evaluate the condition.

        Raises:
            ValueError: it cannot be evaluated, or is not a truth value.
        """
        context = _cel().Context(variables=dict(variables), functions=dict(functions))
        try:
            value = self._program.execute(context)
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as cause:
            raise ValueError(_first_line(cause)) from cause
        if not isinstance(value, bool):
            raise ValueError(f"it is {value!r}, not true or false")
        return value


@cache
def _cel() -> ModuleType:
    """Return the compiled module of CEL; the package of its distribution imports a command line in 0.1 s."""
    found, loader = _evaluator()
    module = importlib.util.module_from_spec(found)
    loader.exec_module(module)
    return module


def _evaluator() -> tuple[ModuleSpec, Loader]:
    """Return the extension module of the wheel, or of the distribution in an editable install.

    Raises:
        ConfigError: neither exists.
    """
    found = PathFinder.find_spec("cel", [str(_BUNDLED)]) or _load_extension_spec()
    if found is None or found.loader is None:
        raise ConfigError(
            "the CEL evaluator of policies is missing; install wardround again, or for an editable install "
            "pip install 'common-expression-language>=0.10,<0.11'"
        )
    return found, found.loader


def _load_extension_spec() -> ModuleSpec | None:
    """Return the extension module of the distribution common-expression-language."""
    package = importlib.util.find_spec("cel")
    locations = None if package is None else package.submodule_search_locations
    return None if locations is None else PathFinder.find_spec("cel.cel", list(locations))


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:400]


def _shorten_source(source: str) -> str:
    return repr(source if len(source) <= 200 else f"{source[:200]}...")
