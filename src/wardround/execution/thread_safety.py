"""Calls that are not safe in several threads: imports, types of msgspec and syntax trees of Python.

- Modules that import one another are visible to other threads before they are complete, or the import fails
  with a deadlock that Python detects; sqlglot is a package of such modules. - The first use of a type
  prepares it and the types in its fields. msgspec 0.22 lets another thread use an incomplete type, which ends
  the process with a segmentation fault. - CPython before 3.13 counts the depth of a syntax tree for the
  process. If the garbage collector lets another thread parse meanwhile, the count differs, and ``ast.parse``
  raises SystemError.

A process that runs reviews in threads replaces the functions concerned by ones that let one thread at a time
call them, or call them for the first time with a type. A program that only runs tools in threads decodes
their output there, and replaces the functions that decode: it parses and imports its modules in one thread.
"""

from __future__ import annotations

import builtins
import importlib
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from typing import Any

import msgspec

_DECODING = (
    (msgspec, "convert", 1),
    (msgspec.json, "decode", None),
    (msgspec.json, "Decoder", 0),
    (msgspec.msgpack, "decode", None),
    (msgspec.msgpack, "Decoder", 0),
)
"""Module, name, and the position of the argument ``type``; None if it is given by name only."""
_EXCLUSIVE = ((builtins, "__import__"), (importlib, "import_module"), (builtins, "compile"))
_prepare: Callable[[Any], object] = msgspec.json.Decoder
_prepared: set[Any] = {Any}
_lock = threading.RLock()
"""One lock for all: an import compiles and may decode, and either may import."""


def serialize_unsafe_calls() -> None:
    """Replace the functions, for the rest of the process."""
    with _lock:
        for module, name in _EXCLUSIVE:
            _replace(module, name, _serialize_calls)
    serialize_first_decoding()


def serialize_first_decoding() -> None:
    """Replace the functions that decode, for the rest of the process."""
    with _lock:
        for module, name, position in _DECODING:
            _replace(module, name, partial(_prepare_first, position))


def _replace(module: Any, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    original = getattr(module, name)
    if not hasattr(original, "__wrapped__"):
        setattr(module, name, wrap(original))


def _serialize_calls(use: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(use)
    def call_locked(*arguments: Any, **options: Any) -> Any:
        with _lock:
            return use(*arguments, **options)

    return call_locked


def _prepare_first(position: int | None, use: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(use, updated=())
    def call_prepared(*arguments: Any, **options: Any) -> Any:
        is_positional = position is not None and len(arguments) > position
        kind = arguments[position or 0] if is_positional else options.get("type", Any)
        if kind not in _prepared:
            _prepare_once(kind)
        return use(*arguments, **options)

    return call_prepared


def _prepare_once(kind: Any) -> None:
    with _lock:
        if kind not in _prepared:
            with suppress(TypeError):  # its use reports that the type is not supported
                _prepare(kind)
            _prepared.add(kind)
