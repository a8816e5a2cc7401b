"""Whether what trains models is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from wardround.errors import UsageError

INSTALL = "pip install 'wardround[train]'"
_MODULES = ("torch", "transformers", "peft", "safetensors", "tokenizers", "onnx", "onnxruntime")


MEASURING = ("numpy", "onnxruntime", "tokenizers", "matplotlib")
"""What measuring and calibrating take: no torch."""


def require_extra(modules: Sequence[str] = _MODULES) -> None:
    """See that what is needed of the ``train`` extra is installed, without loading it.

    Raises:
        UsageError: a part of it is missing.
    """
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"this needs {', '.join(missing)}; {INSTALL}")
