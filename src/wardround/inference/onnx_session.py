"""A verified model as an onnxruntime session: one thread, deterministic.

Layout of shared tensors. Models with the same base model share most of their tensors with it. The base's
``shared.bin`` holds the base's large tensors one after another, each raw, little-endian, C order, at an
offset divisible by 64. A graph names such a tensor as an initializer with external data: ``location`` is the
file's name, ``offset`` and ``length`` are bytes; ``Metadata.shared`` repeats this with dtype and shape, and
must agree. The base's own graph is written this way too. The file is mapped into memory once, read-only, and
onnxruntime receives views of the map, so all sessions of all processes share its pages.

Bytes come from ``files.verified`` and ``files.mapped``, never from a path that onnxruntime opens: it receives
the folder of the shared file, since it tests whether the file exists, but every tensor is passed in.
"""

from __future__ import annotations

import importlib
import mmap
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.errors import ModelError
from wardround.inference.metadata import Metadata, SharedTensor
from wardround.inference.onnx_external_data import ExternalReferences, TensorReference, outside
from wardround.inference.runtime import CUDA, Runtime, load_cuda_libraries

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime
    from numpy.typing import NDArray

SHARED_FILE = "shared.bin"
_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml", "com.microsoft"})
"""Operator sets that onnxruntime itself includes."""
_REFUSED_OPERATORS = frozenset({"EPContext"})
"""Operators that open files."""
_DTYPES = frozenset({"float32", "float16", "int8", "uint8", "int32", "int64"})


class SharedTensors(msgspec.Struct, frozen=True):
    """The mapped file of a base.

    Attributes:
        folder: its location.
        content: all of it, read-only.
    """

    folder: Path
    content: mmap.mmap

    def values(self, shared: Sequence[SharedTensor]) -> dict[str, Any]:
        """Return the tensors as onnxruntime takes them: views of the map, which they keep alive."""
        import numpy as np
        import onnxruntime

        values = {}
        for tensor in shared:
            count = _element_count(tensor)
            view = np.frombuffer(self.content, tensor.dtype, count, tensor.offset).reshape(tensor.shape)
            values[tensor.name] = onnxruntime.OrtValue.ortvalue_from_numpy(view)
        return values


class Session:
    """One loaded model.

    Attributes:
        provider: the execution provider that runs it: ``CPUExecutionProvider``, ``CUDAExecutionProvider``.
        width: numbers of the last output, for one text or row; 0 if the graph does not state it.
        inputs: input name -> its shape; None or a name for an open dimension.
    """

    def __init__(self, session: onnxruntime.InferenceSession, kept_alive: object) -> None:
        self._session = session
        self._kept_alive = kept_alive
        self._lock = threading.Lock()
        self.provider: str = session.get_providers()[0]
        self.inputs: Mapping[str, list[int | str | None]] = {i.name: i.shape for i in session.get_inputs()}
        shape = session.get_outputs()[-1].shape
        self.width: int = shape[-1] if shape and isinstance(shape[-1], int) else 0

    def run(self, values: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
        """Return the outputs of one run, in the order of the graph.

        Raises:
            ModelError: onnxruntime rejects the values or fails.
        """
        try:
            outputs: list[NDArray[np.float32]] = self._session.run(None, dict(values))
        except Exception as cause:  # onnxruntime's exceptions have no common base
            raise ModelError(f"it cannot be run: {first_line(cause)}") from cause
        return outputs


def load(content: bytes, metadata: Metadata, shared: SharedTensors | None, runtime: Runtime) -> Session:
    """Create a session from a model's verified bytes.

    Args:
        shared: the base's tensors; needed if the metadata declares any.
        runtime: integer models return the same score with any number of threads.

    Raises:
        ModelError: it has an undeclared reference, or onnxruntime cannot load it.
    """
    require_declared_references(content, metadata.shared, len(shared.content) if shared else 0)
    require_libraries()
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = runtime.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.use_deterministic_compute = True
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        values = shared.values(metadata.shared) if shared is not None and metadata.shared else {}
        if shared is not None and values:
            options.add_session_config_entry(
                "session.model_external_initializers_file_folder_path", str(shared.folder)
            )
            for name, value in values.items():
                options.add_initializer(name, value)
        if runtime.provider == CUDA:
            load_cuda_libraries()
        session = onnxruntime.InferenceSession(content, options, providers=list(runtime.providers))
    except Exception as cause:  # as above
        raise ModelError(f"onnxruntime cannot load it: {first_line(cause)}") from cause
    return Session(session, (shared, values))


def require_libraries() -> None:
    """Verify that the libraries of the model runtime can be imported.

    Raises:
        ModelError: they cannot; an installation may be damaged in any way.
    """
    for name in ("numpy", "onnxruntime"):
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as cause:
            raise ModelError(f"{name} cannot be imported: {first_line(cause)}; install it again") from cause


def require_declared_references(content: bytes, shared: Sequence[SharedTensor], shared_bytes: int) -> None:
    """Verify that a model has only those external references that its metadata declares.

    Args:
        shared_bytes: size of the base's shared file; 0 if there is none.

    Raises:
        ModelError: it has others, or its metadata declares references that the graph does not have.
    """
    found = outside(content)
    _require_known_operators(found)
    for tensor in shared:
        _require_valid(tensor, shared_bytes)
    declared = {tensor.name: tensor for tensor in shared}
    for reference in found.references:
        tensor_ = declared.pop(reference.name, None) if reference.initializer else None
        _require_match(reference, tensor_)
    if declared:
        raise ModelError(f"its metadata declares tensor {min(declared)!r}, which the graph does not refer to")


def require_own_weights(content: bytes, weights: Mapping[str, int]) -> None:
    """Verify that a decoder refers to no files but those with its weights.

    Args:
        weights: file name -> its bytes.

    Raises:
        ModelError: it refers to another one, to bytes beyond its end, or has operators of another library.
    """
    found = outside(content)
    _require_known_operators(found)
    for reference in found.references:
        size = weights.get(reference.location)
        if size is None:
            raise ModelError(
                f"its tensor {reference.name!r} is in {reference.location!r}, which is not declared"
            )
        if reference.offset < 0 or reference.offset + (reference.length or 0) > size:
            raise ModelError(f"its tensor {reference.name!r} is beyond the end of {reference.location}")


def _require_known_operators(found: ExternalReferences) -> None:
    foreign = [domain for domain in found.domains if domain not in _DOMAINS]
    if foreign:
        raise ModelError(f"it has operators of {foreign[0]!r}, which onnxruntime does not include")
    barred = [name for name in found.operators if name in _REFUSED_OPERATORS]
    if barred:
        raise ModelError(f"its operator {barred[0]} opens files, which no model may")


def _require_valid(tensor: SharedTensor, shared_bytes: int) -> None:
    if tensor.dtype not in _DTYPES or tensor.offset < 0 or any(size < 0 for size in tensor.shape):
        raise ModelError(f"its metadata declares tensor {tensor.name!r} with an invalid shape or offset")
    if tensor.offset + _bytes(tensor) > shared_bytes:
        raise ModelError(f"tensor {tensor.name!r} is beyond the end of the base's {SHARED_FILE}")


def _require_match(reference: TensorReference, tensor: SharedTensor | None) -> None:
    """Verify that an external reference equals that of a declared tensor."""
    if tensor is None or reference.location != SHARED_FILE:
        raise ModelError(
            f"its tensor {reference.name!r} is stored in {reference.location!r}, which is not declared"
        )
    if (reference.offset, reference.length) != (tensor.offset, _bytes(tensor)):
        raise ModelError(f"its tensor {reference.name!r} is not at the location in its metadata")


def _element_count(tensor: SharedTensor) -> int:
    count = 1
    for size in tensor.shape:
        count *= size
    return count


def _bytes(tensor: SharedTensor) -> int:
    return _element_count(tensor) * {"int8": 1, "uint8": 1, "float16": 2, "int64": 8}.get(tensor.dtype, 4)


def first_line(cause: BaseException) -> str:
    """Return the message of an exception on one short line."""
    return " ".join(str(cause).split())[:200] or type(cause).__name__
