"""Small answers kept in the cache folder, so that the next run need not work them out again."""

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
    """The answer of a name, from the cache or made and put there.

    A cache that cannot be read or written, or whose bytes have changed, costs time and nothing else: each
    answer is kept behind a digest of itself.

    Args:
        kind: a folder of the cache.
        name: a digest of everything the answer depends on.
        shape: the type the answer is read as.
    """
    file = cache_dir() / kind / name
    with suppress(OSError, msgspec.MsgspecError, ValueError):
        content = file.read_bytes()
        if content.startswith(_digest(content[_DIGEST_BYTES:])):
            answer: T = msgspec.msgpack.decode(content[_DIGEST_BYTES:], type=shape)
            return answer
    made = make()
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        content = msgspec.msgpack.encode(made)
        write_atomic(file, _digest(content) + content)
    return made


_DIGEST_BYTES = 16


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()[:_DIGEST_BYTES]
