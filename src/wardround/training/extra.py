"""Whether what trains models is installed."""

from __future__ import annotations

import importlib.util

from wardround.errors import UsageError

INSTALL = "pip install 'wardround[train]'"
_MODULES = ("torch", "transformers", "peft", "safetensors", "tokenizers", "onnx", "onnxruntime")


def require_extra() -> None:
    """See that the ``train`` extra is installed, without loading it.

    Raises:
        UsageError: a part of it is missing.
    """
    missing = [name for name in _MODULES if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"training needs {', '.join(missing)}; {INSTALL}")
