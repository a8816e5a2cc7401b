"""Check that the dependencies of training are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from wardround.errors import UsageError

_MODULES = ("torch", "transformers", "peft", "safetensors", "tokenizers", "onnx", "onnxruntime")


MEASURING = ("numpy", "onnxruntime", "tokenizers", "matplotlib")
"""Dependencies of evaluation and calibration: no torch."""
COMPARING = ("jinja2", "matplotlib", "numpy", "scipy")
"""Dependencies of the tables, plots and pages of experiments, in the extra ``lab``."""


def require_extra(modules: Sequence[str] = _MODULES, extra: str = "wardround[train]") -> None:
    """Require parts of an extra, without importing them.

    Args:
        extra: as pip names it.

    Raises:
        UsageError: a part of it is missing.
    """
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"this needs {', '.join(missing)}; pip install '{extra}'")
