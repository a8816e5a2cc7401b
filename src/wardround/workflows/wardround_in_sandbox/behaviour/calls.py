"""One call of a function with recorded arguments: its result, exception, changed arguments and output."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import pickle
import random
import resource
import signal
import sys
import traceback
import types
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from .binding import Incompatible, Recorded, arguments_for
from .compiled import COMPILED
from .functions import ROOT, Found
from .values import MOST_ITEMS, shorten, text_of, type_name

_CPU_S = 0.25
_LOADING_CPU_S = 2.0
_MEMORY_BYTES = 1024 * 1024 * 1024
_MOST_PRINTED = 4000
_MANAGERS = (
    contextlib._GeneratorContextManager,
    contextlib._AsyncGeneratorContextManager,
)
"""The results of generators that a decorator converts to context managers; the yielded values are compared.
"""


class _Timeout(BaseException):
    """A call used too much CPU time."""


class _Timer:
    """Raises again and again, as code can catch everything."""

    def __init__(self) -> None:
        self.is_over = False
        signal.signal(signal.SIGPROF, self._raise)

    def _raise(self, number: int, frame: types.FrameType | None) -> None:
        self.is_over = True
        raise _Timeout

    def start(self, first_s: float) -> None:
        signal.setitimer(signal.ITIMER_PROF, first_s, _CPU_S)

    def stop(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)


class _Printed(io.StringIO):
    """Captures the output of a call, even if the call closes it."""

    def close(self) -> None:
        """Keep the text."""


def outcome_of(function: Found, payload: bytes, header: dict[str, Any]) -> dict[str, Any]:
    """Call a function once.

    The result of a constructor is the object.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    warnings.simplefilter("ignore")
    timer = _Timer()
    try:
        result = _outcome(function, payload, header, timer)
        return {**result, "compiled": _match_digests(timer)}
    finally:
        timer.stop()


def _match_digests(timer: _Timer) -> dict[str, str]:
    """Return the matches of the patterns in the result; nothing if that takes too long."""
    timer.start(_LOADING_CPU_S)
    try:
        return COMPILED.match_digests()
    except BaseException:
        return {}


def _outcome(function: Found, payload: bytes, header: dict[str, Any], timer: _Timer) -> dict[str, Any]:
    timer.start(_LOADING_CPU_S)
    try:
        given, before = pickle.loads(payload), pickle.loads(payload)
        _refuse_other_receiver(function, given, header)
        earlier = {name: text_of(value) for name, value in before.items()}
        positional, keywords = arguments_for(function.inner, Recorded(given, header))
    except Incompatible as error:
        return {"kind": "incompatible", "text": str(error)}
    except BaseException as error:
        return {"kind": "unloadable", "text": shorten(f"{type(error).__name__}: {error}", 200)}
    timer.start(_CPU_S)
    COMPILED.clear()
    printed = _Printed()
    random.seed(0)
    with redirect_stdout(printed), redirect_stderr(printed):
        result = _call(function, positional, keywords)
        try:
            if function.inner.__name__ == "__init__":
                created = given.pop(header["names"][0])
                result.update(_describe_return(created) if result["kind"] == "returned" else {})
            changed = _changed_arguments(given, earlier)
        except BaseException:
            return {"kind": "timeout"}
    timer.stop()
    if timer.is_over:
        return {"kind": "timeout"}
    return {**result, "changed": changed, "printed": shorten(printed.getvalue(), _MOST_PRINTED)}


def _refuse_other_receiver(function: Found, given: dict[str, Any], header: dict[str, Any]) -> None:
    """Reject a receiver of another class, such as one whose ``__new__`` returns another object when it is
    loaded.

    Raises:
        TypeError: the receiver is of another class.
    """
    receiver = given.get(header["names"][0], function) if header["names"] else function
    if function.owner is not None and receiver is not function and not isinstance(receiver, function.owner):
        raise TypeError(f"the receiver is a {type_name(type(receiver))}")


def _call(function: Found, positional: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
    try:
        value = function.named(*positional, **keywords)
        if isinstance(value, _MANAGERS):
            value = value.gen
        if inspect.iscoroutine(value):
            value = asyncio.run(value)
        elif inspect.isasyncgen(value):
            value = iter(asyncio.run(_collect(value)))
        return {"kind": "returned", **_describe_return(value)}
    except MemoryError:
        return {"kind": "memory"}
    except _Timeout:
        return {"kind": "timeout"}
    except BaseException as error:
        return {"kind": "undecorated"} if _is_refused(function, error) else _describe_exception(error)


def _is_refused(function: Found, error: BaseException) -> bool:
    """Return True if a decorator does not accept the arguments of the function, as that of a command."""
    if function.named is function.inner or (
        isinstance(error, Exception) and not isinstance(error, TypeError)
    ):
        return False
    frames = traceback.walk_tb(error.__traceback__)
    return all(frame.f_code is not function.inner.__code__ for frame, _ in frames)


def _describe_return(value: Any) -> dict[str, str]:
    text = text_of(value)
    is_iterator = hasattr(type(value), "__next__")  # which is consumed by now
    return {"text": text, "shown": text if is_iterator else text_of(value, is_shown=True)}


async def _collect(values: Any) -> list[Any]:
    found = []
    async for value in values:
        found.append(value)
        if len(found) == MOST_ITEMS:
            break
    return found


def _describe_exception(error: BaseException) -> dict[str, Any]:
    kind = type(error)
    try:
        text, shown = text_of(error), text_of(error, is_shown=True)
    except BaseException:
        text = shown = f"{type_name(kind)}(...)"
    return {
        "kind": "raised",
        "text": text,
        "shown": shown,
        "type": type_name(kind),
        "is_stale": _is_stale(error),
    }


def _is_stale(error: BaseException) -> bool:
    """Return True if an object of the tree, perhaps made before the change, lacks an attribute."""
    if not isinstance(error, AttributeError) or not hasattr(error, "obj"):
        return False
    if isinstance(error.obj, (type, types.ModuleType)):
        return False
    module = sys.modules.get(type(error.obj).__module__)
    return module is None or (getattr(module, "__file__", None) or "").startswith(ROOT)


def _changed_arguments(given: dict[str, Any], earlier: dict[str, str]) -> dict[str, list[str]]:
    """Return the arguments whose representation differs after the call, with both representations."""
    found = {}
    for name, value in given.items():
        mark = COMPILED.mark()
        text = text_of(value)
        if text == earlier[name]:
            COMPILED.back_to(mark)
        else:
            found[name] = [text, text_of(value, is_shown=True), earlier[name]]
    return found
