"""The parts of a training environment: PyTorch, a GPU, onnxruntime with CUDA, memory."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import ModelError
from wardround.inference.runtime import Runtime, detect_runtime
from wardround_lab.training.free_memory import free_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

GB10_CAPABILITY = (12, 1)
"""Compute capability of the GB10 of a DGX Spark."""
MISSING = "missing"
"""The name of a part that is not there."""
_CUDA_MAJOR = 13
_NAME_WIDTH = 13


class GPU(msgspec.Struct, frozen=True):
    """A GPU as PyTorch reports it.

    Attributes:
        capability: compute capability, major and minor.
        memory: bytes; on a GB10 those of the whole machine, which it shares with the CPU.
    """

    name: str
    capability: tuple[int, int]
    memory: int
    bfloat16: bool

    @property
    def is_gb10(self) -> bool:
        """True for the GPU of a DGX Spark."""
        return self.capability == GB10_CAPABILITY


class TrainingEnvironment(msgspec.Struct, frozen=True):
    """The state of an installation.

    Attributes:
        torch: version; empty if PyTorch is not installed.
        cuda: the version of CUDA that PyTorch was built for; empty for a build without CUDA.
        gpu: the first one; None without one.
        runtime: the distribution of onnxruntime with its version; empty if none is installed.
        missing: what a training on a GPU needs and this installation lacks, a sentence each.
        free_memory, free_disk: bytes.
    """

    python: str
    machine: str
    torch: str
    cuda: str
    gpu: GPU | None
    runtime: str
    missing: tuple[str, ...]
    free_memory: int
    free_disk: int

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the state of each part, and then ``missing`` with each sentence."""
        yield "python", f"{self.python}, {self.machine}"
        yield "torch", _torch_text(self.torch, self.cuda)
        yield "gpu", "none" if self.gpu is None else _gpu_text(self.gpu)
        yield "onnxruntime", self.runtime or "not installed"
        yield "free", f"{_gigabytes(self.free_memory)} of memory, {_gigabytes(self.free_disk)} of disk"
        for sentence in self.missing:
            yield MISSING, sentence

    def lines(self) -> Iterator[str]:
        """Yield the parts, a line each."""
        return (f"{name:<{_NAME_WIDTH}}{text}" for name, text in self.parts())


def check_environment(folder: Path) -> TrainingEnvironment:
    """Return the state of this installation.

    Args:
        folder: a folder on the disk that trainings are written to.
    """
    torch, cuda, gpu = _torch()
    runtime, onnx_problem = _onnxruntime()
    problems = (_torch_problem(torch, cuda, gpu), onnx_problem)
    return TrainingEnvironment(
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
        torch=torch,
        cuda=cuda,
        gpu=gpu,
        runtime=runtime,
        missing=tuple(problem for problem in problems if problem),
        free_memory=free_memory(),
        free_disk=shutil.disk_usage(folder).free,
    )


def _torch() -> tuple[str, str, GPU | None]:
    """Return the version of PyTorch, that of its CUDA, and the first GPU."""
    try:
        version = importlib.metadata.version("torch")
        import torch
    except (ImportError, OSError):  # OSError: a library of CUDA cannot be loaded
        return "", "", None
    cuda = torch.version.cuda or ""
    if not torch.cuda.is_available():
        return version, cuda, None
    properties = torch.cuda.get_device_properties(0)
    capability = (properties.major, properties.minor)
    gpu = GPU(properties.name, capability, properties.total_memory, torch.cuda.is_bf16_supported())
    return version, cuda, gpu


def _torch_problem(torch: str, cuda: str, gpu: GPU | None) -> str:
    if not torch:
        return "PyTorch is not installed or cannot be imported; pip install 'wardround[train]'"
    if not cuda:
        return f"PyTorch {torch} is built without CUDA; install a build for CUDA {_CUDA_MAJOR}"
    if gpu is None:
        return f"PyTorch {torch} for CUDA {cuda} sees no GPU; nvidia-smi shows the driver and the device"
    return ""


def _onnxruntime() -> tuple[str, str]:
    """Return the distribution of onnxruntime, and why it does not run on a GPU."""
    try:
        found = detect_runtime("auto")
    except ModelError as cause:
        return "", str(cause)
    return f"{found.package} {found.version}, {found.provider}", _onnx_problem(found)


def _onnx_problem(found: Runtime) -> str:
    try:
        detect_runtime("cuda")
    except ModelError as cause:
        return f"{found.package} {found.version}: {cause}"
    return ""


def _torch_text(version: str, cuda: str) -> str:
    if not version:
        return "not installed"
    return f"{version}, CUDA {cuda}" if cuda else f"{version}, no CUDA"


def _gpu_text(gpu: GPU) -> str:
    major, minor = gpu.capability
    name = f"{gpu.name} (GB10)" if gpu.is_gb10 and "GB10" not in gpu.name else gpu.name
    precision = "bfloat16" if gpu.bfloat16 else "float32 only"
    return f"{name}, compute capability {major}.{minor}, {_gigabytes(gpu.memory)}, {precision}"


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.0f} GB"
