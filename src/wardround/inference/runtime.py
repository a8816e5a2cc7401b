"""The model runtime of this installation, detected without loading it if possible."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Mapping
from typing import Literal

import msgspec

from wardround.errors import ModelError, RuntimeMissing
from wardround.plugin_discovery import discover
from wardround.storage.digest import digest_key
from wardround.storage.memo import memoize_on_disk

CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"
_GROUP = "wardround"
"""The entry point group of plugins, as in the host, so that both share one cached result."""
INSTALL = "pip install 'wardround[models]'"
ProviderPreference = Literal["auto", "cpu", "cuda"]

Provider = str | tuple[str, dict[str, str]]
"""An execution provider, with its settings if they differ from the defaults."""

_SETTINGS = {CUDA: {"use_tf32": "0"}}
"""Provider -> settings. With TF32 a GPU rounds factors to 10 bits, which alters scores."""
_LIBRARIES = ("numpy", "tokenizers")
_OTHER_PACKAGES = ("onnxruntime-genai", "onnxruntime-extensions")
"""Distributions that need onnxruntime and do not contain it."""
_NEGATION = (
    b'\x08\x08:2\n\x0b\n\x01x\x12\x01y"\x03Neg\x12\x01gZ\x0f\n\x01x\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01'
    b"b\x0f\n\x01y\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01B\x04\n\x00\x10\r"
)
"""The smallest ONNX model, y = -x: an offered provider may still not work."""


class Runtime(msgspec.Struct, frozen=True):
    """The runtime of models.

    Attributes:
        package: the distribution that contains onnxruntime: ``onnxruntime``, ``onnxruntime-gpu``.
        provider: the preferred execution provider.
        threads: threads within one operator.
    """

    package: str
    version: str
    provider: str = CPU
    threads: int = 1

    @property
    def identity(self) -> str:
        """The inputs of a score besides the model; integer models do not depend on the threads."""
        settings = "".join(f" {name}={value}" for name, value in _SETTINGS.get(self.provider, {}).items())
        return f"{self.package} {self.version} {self.provider}{settings}"

    @property
    def providers(self) -> tuple[Provider, ...]:
        """The providers for onnxruntime; operators that a GPU does not support run on the CPU."""
        settings = _SETTINGS.get(self.provider, {})
        first: Provider = (self.provider, settings) if settings else self.provider
        return (first,) if self.provider == CPU else (first, CPU)


def detect_runtime(wish: ProviderPreference = "auto", threads: int = 1) -> Runtime:
    """Return the installed runtime; CUDA if it is offered and works, unless another is requested.

    Raises:
        NoRuntimeError: onnxruntime is not installed.
        ModelError: something else is not installed, or CUDA was requested and does not work.
    """
    versions = discover(_GROUP).versions
    package = _complete_package(versions)
    runtime = Runtime(package, versions[package], threads=threads)
    has_no_cuda = package == "onnxruntime"
    if wish == "cpu" or (wish == "auto" and has_no_cuda):
        return runtime
    no_cuda = "onnxruntime has no CUDA; pip install 'wardround[gpu]'"
    trouble = no_cuda if has_no_cuda else _cuda(runtime)
    if not trouble:
        return Runtime(package, runtime.version, CUDA, threads)
    if wish == "cuda":
        raise ModelError(f"CUDA cannot be used: {trouble}")
    return runtime


def _complete_package(versions: Mapping[str, str]) -> str:
    """Return the installed distribution of onnxruntime.

    Raises:
        NoRuntimeError: there is none.
        ModelError: a library that it needs is not installed.
    """
    package = _package(versions)
    missing = [name for name in _LIBRARIES if name not in versions]
    missing += [] if package is not None else ["onnxruntime"]
    if package is not None and not missing:
        return package
    from wardround.tools.install_hints import install_hint  # only if it is needed

    names = " and ".join(sorted(missing))
    trouble = f"{names} {'is' if len(missing) == 1 else 'are'} not installed; {install_hint(INSTALL)}"
    raise ModelError(trouble) if package else RuntimeMissing(trouble)


def _package(versions: Mapping[str, str]) -> str | None:
    """Return the distribution that contains onnxruntime; one for a special device before the plain one."""
    names = (name for name in versions if name == "onnxruntime" or name.startswith("onnxruntime-"))
    found = sorted(name for name in names if not name.startswith(_OTHER_PACKAGES))
    return found[-1] if found else None


def _cuda(runtime: Runtime) -> str:
    """Return why CUDA does not work, or nothing; cached for this installation and these devices."""
    state = [runtime.package, runtime.version, os.environ.get("CUDA_VISIBLE_DEVICES", ""),
             str(os.path.exists("/dev/nvidiactl")), os.environ.get("LD_LIBRARY_PATH", "")]  # fmt: skip
    return memoize_on_disk("cuda", digest_key("cuda", *state).hex(), _try_cuda, str)


def load_cuda_libraries() -> None:
    """Load CUDA's libraries from packages of this environment; alone, onnxruntime finds the system's only."""
    import onnxruntime

    preload = getattr(onnxruntime, "preload_dlls", None)  # from 1.21 on
    if preload is not None:
        preload()


def _try_cuda() -> str:
    try:
        import onnxruntime

        if CUDA not in onnxruntime.get_available_providers():
            return "this onnxruntime does not offer it"
        with contextlib.redirect_stdout(io.StringIO()):  # where it prints each library that is missing
            load_cuda_libraries()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(_NEGATION, options, providers=[CUDA, CPU])
        return "" if session.get_providers()[0] == CUDA else "it is offered, but no device starts"
    except Exception as cause:  # noqa: BLE001  (a driver that does not fit raises anything)
        return " ".join(str(cause).split())[:200]
