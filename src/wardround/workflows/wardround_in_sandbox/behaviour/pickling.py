"""Pickles of arguments, with some objects that cannot be pickled otherwise."""

from __future__ import annotations

import io
import re
import threading
import types
from collections import ChainMap
from typing import Any

from .containers import reduced_container
from .streams import reduced_generator


def dumps(value: object, memo: dict[int, Any] | None = None) -> bytes:
    """Return the pickle of a value; classes and functions without an importable name are in it by value.

    Args:
        memo: takes the identities of the containers and objects in the value.
    """
    import cloudpickle

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]  # it has no types
        dispatch_table = ChainMap(_REDUCERS, cloudpickle.CloudPickler.dispatch_table)

        def reducer_override(self, obj: Any) -> Any:
            reduced = reduced_container(obj)
            return super().reducer_override(obj) if reduced is None else reduced

    with io.BytesIO() as file:
        pickler = Pickler(file)
        pickler.dump(value)
        if memo is not None:
            memo.update(pickler.memo.copy())
        return file.getvalue()


def match_again(pattern: re.Pattern[Any], text: Any, start: int, end: int) -> Any:
    """Return the match of a pattern that begins at a position.

    Raises:
        ValueError: there is none, as the pattern depends on where the search began.
    """
    found = pattern.match(text, start, end)
    if found is None:
        raise ValueError("a match cannot be found again")
    return found


def _reduced_match(match: re.Match[Any]) -> tuple[Any, ...]:
    return match_again, (match.re, match.string, match.start(), match.endpos)


_REDUCERS: dict[type, Any] = {
    types.GeneratorType: reduced_generator,
    re.Match: _reduced_match,
    type(threading.Lock()): lambda lock: (threading.Lock, ()),
    type(threading.RLock()): lambda lock: (threading.RLock, ()),
    types.MappingProxyType: lambda view: (types.MappingProxyType, (dict(view),)),
}
