"""The file of recorded calls: for each a header in JSON and its pickled arguments."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

_SIZES = struct.Struct(">II")


def write_frame(file: BinaryIO, header: dict[str, Any], payload: bytes) -> None:
    """Append a call."""
    encoded = json.dumps(header).encode()
    file.write(_SIZES.pack(len(encoded), len(payload)) + encoded + payload)


def read_frames(file: BinaryIO) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Yield the calls; a call whose end is missing, since its run was killed, is skipped."""
    while len(sizes := file.read(_SIZES.size)) == _SIZES.size:
        header, payload = (file.read(size) for size in _SIZES.unpack(sizes))
        if len(payload) == _SIZES.unpack(sizes)[1]:
            yield json.loads(header), payload
