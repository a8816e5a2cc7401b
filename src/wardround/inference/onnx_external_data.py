"""The external references of an ONNX file, read from its bytes before any library opens them.

An ONNX file is a protobuf message. Its tensors may be stored in other files, and its operators may come from
other libraries. This walks every message that can contain a tensor or an operator (initializers, sparse
initializers, node attributes, subgraphs, functions, training information) and lists both, so that a file with
a forbidden reference is rejected before onnxruntime loads it. Field numbers are those of ``onnx.proto3``.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.errors import ModelError

_DEEPEST = 64
"""Maximum number of nested subgraphs; real models have fewer than five."""
_EXTERNAL = 1
_TENSOR_NAME, _TENSOR_EXTERNAL_DATA, _TENSOR_DATA_LOCATION = 8, 13, 14

_Parts = dict[int, str]
_MESSAGES: dict[str, _Parts] = {
    "model": {7: "graph", 8: "opset", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 9: "opset", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "opset": {},
    "tensor": {},
}
"""The fields of each message that can lead to a tensor or an operator."""
_DOMAIN = {"node": 7, "opset": 1, "function": 10}
_OPERATOR = 4


class TensorReference(msgspec.Struct, frozen=True):
    """A tensor that is stored outside the file.

    Attributes:
        location: the file as the tensor names it.
        initializer: True for an initializer of the main graph, the only kind that can be passed in.
    """

    name: str
    location: str
    offset: int
    length: int | None
    initializer: bool


class ExternalReferences(msgspec.Struct, frozen=True):
    """The external references of a model, in the order of the file, domains and operators once."""

    references: tuple[TensorReference, ...]
    domains: tuple[str, ...]
    operators: tuple[str, ...]


def outside(content: bytes) -> ExternalReferences:
    """List the external references of an ONNX file.

    Raises:
        ModelError: the bytes are not an ONNX model: damaged, truncated, an archive, a pickle.
    """
    references: list[TensorReference] = []
    domains: dict[str, None] = {}
    operators: dict[str, None] = {}
    seen_graph = False
    waiting: list[tuple[str, memoryview, tuple[str, ...]]] = [("model", memoryview(content), ())]
    while waiting:
        kind, message, above = waiting.pop()
        if len(above) > _DEEPEST:
            raise ModelError("its graphs are nested too deeply")
        inner: list[tuple[str, memoryview, tuple[str, ...]]] = []
        if kind == "tensor":
            found = _reference(message, above == ("model", "graph"))
            references += [found] if found is not None else []
            continue
        for number, value in _fields(message):
            if number == _DOMAIN.get(kind):
                domains[_decode(value)] = None
            if kind == "node" and number == _OPERATOR:
                operators[_decode(value)] = None
            part = _MESSAGES[kind].get(number)
            if part is not None:
                if isinstance(value, int):
                    raise ModelError("it is not an ONNX model")
                seen_graph = seen_graph or (kind, part) == ("model", "graph")
                inner.append((part, value, (*above, kind)))
        waiting += reversed(inner)
    if not seen_graph:
        raise ModelError("it is not an ONNX model")
    return ExternalReferences(tuple(references), tuple(domains), tuple(operators))


def _reference(tensor: memoryview, initializer: bool) -> TensorReference | None:
    """Return the external location of a tensor's data; the last value of a field counts, as in protobuf."""
    name, location = "", 0
    entries: dict[str, str] = {}
    for number, value in _fields(tensor):
        if number == _TENSOR_NAME:
            name = _decode(value)
        elif number == _TENSOR_DATA_LOCATION and isinstance(value, int):
            location = value
        elif number == _TENSOR_EXTERNAL_DATA:
            key, reported = _entry(value)
            entries[key] = reported
    if location != _EXTERNAL and not entries:
        return None
    try:
        length = int(entries["length"]) if "length" in entries else None
        return TensorReference(
            name, entries.get("location", ""), int(entries.get("offset", "0")), length, initializer
        )
    except ValueError as cause:
        raise ModelError(f"tensor {name!r} has no number for its offset in another file") from cause


def _entry(message: memoryview | int) -> tuple[str, str]:
    if isinstance(message, int):
        raise ModelError("it is not an ONNX model")
    parts = {number: _decode(value) for number, value in _fields(message)}
    return parts.get(1, ""), parts.get(2, "")


def _decode(value: memoryview | int) -> str:
    if isinstance(value, int):
        raise ModelError("it is not an ONNX model")
    return bytes(value).decode("utf-8", "backslashreplace")


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Yield the fields of a message: (number, bytes or integer), in the order of the bytes."""
    location_items, end = 0, len(message)
    while location_items < end:
        tag, location_items = _read_varint(message, location_items)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, location_items = _read_varint(message, location_items)
            yield number, value
            continue
        if wire == 2:
            size, location_items = _read_varint(message, location_items)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
        else:
            raise ModelError("it is not an ONNX model")
        if number == 0 or location_items + size > end:
            raise ModelError("it is not an ONNX model, or it is truncated")
        if wire == 2:
            yield number, message[location_items : location_items + size]
        location_items += size


def _read_varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if place >= len(message) or shift > 63:
            raise ModelError("it is not an ONNX model, or it is truncated")
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
