"""Share the tensors that a model has in common with its base, in the base's shared file.

``wardround.inference.onnx_session`` describes and verifies the layout.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wardround.inference.metadata import SharedTensor
from wardround.inference.onnx_session import SHARED_FILE

if TYPE_CHECKING:
    from onnx import ModelProto, TensorProto

ALIGNMENT = 64
SMALLEST = 16 * 1024
"""Bytes; a smaller tensor stays in its graph."""

Key = tuple[str, tuple[int, ...], str]
"""dtype, shape and SHA-256 of a tensor."""


def extract_large_tensors(model: ModelProto) -> tuple[bytes, tuple[SharedTensor, ...]]:
    """Move a base's large tensors out of its graph.

    Returns:
        The shared file, and the location of each tensor in it.
    """
    content = bytearray()
    locations: dict[Key, int] = {}
    for tensor in _large(model):
        key, data = _key_tensor(tensor)
        if key not in locations:
            content += bytes(-len(content) % ALIGNMENT)
            locations[key] = len(content)
            content += data
    return bytes(content), share_tensors(model, locations)


def share_tensors(model: ModelProto, places: Mapping[Key, int]) -> tuple[SharedTensor, ...]:
    """Replace the tensors of a graph that are in a shared file by references to it."""
    found = []
    for tensor in _large(model):
        key, data = _key_tensor(tensor)
        offset = places.get(key)
        if offset is not None:
            _refer(tensor, offset, len(data))
            found.append(SharedTensor(name=tensor.name, offset=offset, dtype=key[0], shape=key[1]))
    return tuple(found)


def tensor_offsets(content: bytes, tensors: tuple[SharedTensor, ...]) -> dict[Key, int]:
    """Return the locations of the tensors in a base's shared file, from the base's metadata."""
    import math

    import numpy as np

    locations = {}
    for tensor in tensors:
        size = math.prod(tensor.shape) * np.dtype(tensor.dtype).itemsize
        data = content[tensor.offset : tensor.offset + size]
        locations[tensor.dtype, tensor.shape, hashlib.sha256(data).hexdigest()] = tensor.offset
    return locations


def _large(model: ModelProto) -> list[TensorProto]:
    return [tensor for tensor in model.graph.initializer if len(_data(tensor)) >= SMALLEST]


def _key_tensor(tensor: TensorProto) -> tuple[Key, bytes]:
    import onnx

    data = _data(tensor)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).name
    return (dtype, tuple(tensor.dims), hashlib.sha256(data).hexdigest()), data


def _data(tensor: TensorProto) -> bytes:
    """Little-endian, C order."""
    from onnx import numpy_helper

    return tensor.raw_data or numpy_helper.to_array(tensor).tobytes()


def _refer(tensor: TensorProto, offset: int, length: int) -> None:
    from onnx import TensorProto

    for field in ("raw_data", "float_data", "int32_data", "int64_data", "external_data"):
        tensor.ClearField(field)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", SHARED_FILE), ("offset", str(offset)), ("length", str(length))):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
