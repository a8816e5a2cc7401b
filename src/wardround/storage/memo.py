"""Small values memoized in the cache folder for the next run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from wardround.storage.atomic import write_atomic
from wardround.storage.digest import sha256
from wardround.storage.paths import cache_dir

T = TypeVar("T")


def memoize_on_disk(kind: str, name: str, make: Callable[[], T], shape: Any = Any) -> T:
    """Return the value of a name, from the cache or computed and stored.

    A cache that cannot be read or written, or whose bytes have changed, only costs time: each value is stored
    with its digest.

    Args:
        kind: a folder of the cache.
        name: a digest of all inputs of the value.
        shape: the type the value is decoded as.
    """
    file = cache_dir() / kind / name
    with suppress(OSError, msgspec.MsgspecError, ValueError):
        content = file.read_bytes()
        if content.startswith(_digest(content[_DIGEST_BYTES:])):
            answer: T = msgspec.msgpack.decode(content[_DIGEST_BYTES:], type=shape)
            return answer
    created = make()
    with suppress(OSError, OverflowError, RecursionError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        content = msgspec.msgpack.encode(created)
        write_atomic(file, _digest(content) + content)
    return created


_DIGEST_BYTES = 16


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()[:_DIGEST_BYTES]
