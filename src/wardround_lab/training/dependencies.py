"""Check that the dependencies of training are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from wardround.errors import UsageError

INSTALL = "pip install 'wardround[train]'"
_MODULES = ("torch", "transformers", "peft", "safetensors", "tokenizers", "onnx", "onnxruntime")


MEASURING = ("numpy", "onnxruntime", "tokenizers", "matplotlib")
"""Dependencies of evaluation and calibration: no torch."""


def require_extra(modules: Sequence[str] = _MODULES) -> None:
    """Require parts of the ``train`` extra, without importing them.

    Raises:
        UsageError: a part of it is missing.
    """
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"this needs {', '.join(missing)}; {INSTALL}")
