"""The packages that run a decoder, which are optional: without one the error has the line to install it."""

from __future__ import annotations

import importlib
from types import ModuleType

import wardround.inference  # noqa: F401  (sets what onnxruntime reads when it is imported)
from wardround.errors import ModelError, RuntimeMissing

INSTALL = "pip install 'wardround[local-model]'"
_DISTRIBUTIONS = {
    "onnxruntime_genai": "onnxruntime-genai",
    "llguidance": "llguidance",
    "jinja2": "jinja2",
    "numpy": "numpy",
    "tokenizers": "tokenizers",
}


def require_packages() -> None:
    """Verify that every package that a decoder needs can be imported.

    Raises:
        RuntimeMissing: one is not installed.
        ModelError: one is installed and cannot be imported.
    """
    for module in _DISTRIBUTIONS:
        import_package(module)


def import_package(module: str) -> ModuleType:
    """Return a module of one of the packages.

    Raises:
        RuntimeMissing: the package is not installed.
        ModelError: it is installed and cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as cause:
        from wardround.tools.install_hints import install_hint  # only if it is needed

        name = _DISTRIBUTIONS.get(cause.name or module, cause.name)
        raise RuntimeMissing(f"{name} is not installed; {install_hint(INSTALL)}") from cause
    except (Exception, SystemExit) as cause:  # a damaged installation raises anything
        from wardround.inference.onnx_session import first_line  # see above

        name = _DISTRIBUTIONS[module]
        raise ModelError(f"{name} cannot be imported: {first_line(cause)}; install it again") from cause
