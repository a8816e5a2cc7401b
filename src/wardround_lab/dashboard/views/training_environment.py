"""What this machine has for a training: processor, memory, disk, packages and GPUs."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import ModelError, ToolFailed, UsageError
from wardround.inference.runtime import detect_runtime
from wardround.tools.process import Processes
from wardround_lab.training.dependencies import require_extra
from wardround_lab.training.free_memory import free_memory

_PROCESSOR = Path("/proc/cpuinfo")
_MODEL_NAME = re.compile(r"(?m)^model name\s*:\s*(\S[^\n]*)$")
_TORCH_CUDA = re.compile(r"(?m)^cuda\b[^=\n]{0,40}=\s*(?:'([\d.]+)'|None)")
_GPU_QUERY = ("--query-gpu=name,driver_version,memory.total,compute_cap", "--format=csv,noheader")
_GPU_S = 10
_PROBE_S = 120
_GB10 = "GB10"
_ENVIRONMENT = ("PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
_BFLOAT16 = "bf16"
_PROBE = """
import json, torch
cuda = torch.cuda.is_available()
names = [torch.cuda.get_device_name(at) for at in range(torch.cuda.device_count())] if cuda else []
free = [torch.cuda.mem_get_info(at)[0] for at in range(len(names))]
half = bool(cuda and torch.cuda.is_bf16_supported())
print(json.dumps({"version": torch.__version__, "cuda": torch.version.cuda, "names": names, "free": free,
                  "bfloat16": half}))
"""

Verdict = Literal["ok", "note", "missing"]


class EnvironmentRow(msgspec.Struct, frozen=True):
    """A part of the machine.

    Attributes:
        verdict: ``missing`` if no training can start without it; ``note`` if some cannot.
    """

    part: str
    verdict: Verdict
    said: str


class TorchReport(msgspec.Struct, frozen=True):
    """What PyTorch said in a process of its own.

    Attributes:
        cuda: version of CUDA that it was built for; None for a build for the CPU.
        names, free: of each GPU its name and its free bytes.
    """

    version: str
    cuda: str | None
    names: tuple[str, ...]
    free: tuple[int, ...]
    bfloat16: bool


def environment_rows(training: Path) -> list[EnvironmentRow]:
    """Return what is known without loading PyTorch.

    Args:
        training: the folder of the run directories.
    """
    return [
        _python(),
        _processor(),
        _memory(),
        _disk(training),
        _packages(),
        _pytorch(),
        *_gpus(),
        _runtime(),
        _four_bit(),
    ]


def ask_pytorch() -> EnvironmentRow:
    """Return the GPUs that PyTorch sees; it is loaded in a process of its own, which takes seconds."""
    if find_spec("torch") is None:
        return EnvironmentRow(
            "PyTorch sees", "missing", "PyTorch is not installed; pip install 'wardround[train]'"
        )
    try:
        out = Processes().run(
            [sys.executable, "-c", _PROBE], cwd=Path(sys.prefix), timeout_s=_PROBE_S, clean=frozenset({0}),
            env=_environ(),
        )  # fmt: skip
        report = msgspec.json.decode(out.splitlines()[-1], type=TorchReport)
    except (ToolFailed, msgspec.MsgspecError, IndexError) as cause:
        return EnvironmentRow(
            "PyTorch sees", "missing", f"PyTorch cannot be loaded: {cause}; install it again"
        )
    return _describe_report(report)


def _describe_report(report: TorchReport) -> EnvironmentRow:
    if not report.names:
        built = f"built for CUDA {report.cuda}" if report.cuda else "a build for the CPU"
        return EnvironmentRow(
            "PyTorch sees", "note", f"no GPU (PyTorch {report.version}, {built}); trainings use the CPU"
        )
    gpus = ", ".join(
        f"{name} with {free / 1e9:.0f} GB free" for name, free in zip(report.names, report.free, strict=True)
    )
    half = "bfloat16" if report.bfloat16 else "float32 only"
    return EnvironmentRow("PyTorch sees", "ok", f"{gpus}; CUDA {report.cuda}, {half}")


def _python() -> EnvironmentRow:
    return EnvironmentRow("Python", "ok", f"{platform.python_version()} on {platform.machine()}")


def _processor() -> EnvironmentRow:
    text = _read(_PROCESSOR)
    named = _MODEL_NAME.search(text)
    cores = len(os.sched_getaffinity(0))
    half = "with" if _BFLOAT16 in text else "without"
    name = named[1] if named else platform.machine()
    return EnvironmentRow("Processor", "ok", f"{name}, {cores} cores, {half} bfloat16")


def _memory() -> EnvironmentRow:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return EnvironmentRow("Memory", "ok", f"{free_memory() / 1e9:.1f} of {total / 1e9:.1f} GB free")


def _disk(training: Path) -> EnvironmentRow:
    there = next(folder for folder in (training, *training.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    if not os.access(there, os.W_OK):
        return EnvironmentRow("Disk", "missing", f"{there} cannot be written; choose another with --training")
    return EnvironmentRow("Disk", "ok", f"{free / 1e9:.1f} GB free below {training.name}")


def _packages() -> EnvironmentRow:
    try:
        require_extra()
    except UsageError as missing:
        return EnvironmentRow("Packages", "missing", f"a training {str(missing).removeprefix('this ')}")
    return EnvironmentRow(
        "Packages", "ok", f"the extra train is complete (transformers {_version('transformers')})"
    )


def _pytorch() -> EnvironmentRow:
    """Return the version of PyTorch and what it was built for, from its files."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return EnvironmentRow("PyTorch", "missing", "not installed; pip install 'wardround[train]'")
    found = _TORCH_CUDA.search(_read(Path(spec.origin).parent / "version.py"))
    built = f"for CUDA {found[1]}" if found and found[1] else "for the CPU"
    return EnvironmentRow("PyTorch", "ok", f"{_version('torch')}, built {built}")


def _gpus() -> Iterator[EnvironmentRow]:
    program = shutil.which("nvidia-smi")
    if program is None:
        yield EnvironmentRow("GPU", "note", "no driver of NVIDIA (nvidia-smi); trainings use the CPU")
        return
    try:
        out = Processes().run(
            [program, *_GPU_QUERY],
            cwd=Path(sys.prefix),
            timeout_s=_GPU_S,
            clean=frozenset({0}),
            env=_environ(),
        )
    except ToolFailed as cause:
        yield EnvironmentRow("GPU", "note", f"nvidia-smi failed: {cause}; trainings use the CPU")
        return
    yield from map(_gpu, out.decode("utf-8", "replace").splitlines())


def _gpu(line: str) -> EnvironmentRow:
    name, driver, memory, capability = ([part.strip() for part in line.split(",")] + [""] * 4)[:4]
    if _GB10 in name:
        return EnvironmentRow(
            "GPU",
            "ok",
            f"{name} (DGX Spark): its memory is that of the machine; driver {driver}, compute {capability}",
        )
    return EnvironmentRow("GPU", "ok", f"{name}, {memory}, driver {driver}, compute {capability}")


def _runtime() -> EnvironmentRow:
    try:
        found = detect_runtime()
    except ModelError as missing:
        return EnvironmentRow("onnxruntime", "missing", str(missing))
    return EnvironmentRow("onnxruntime", "ok", f"{found.version}, {found.provider}")


def _four_bit() -> EnvironmentRow:
    if find_spec("bitsandbytes") is None:
        return EnvironmentRow(
            "QLoRA", "note", "bases in four bits need bitsandbytes; pip install 'wardround[qlora]'"
        )
    return EnvironmentRow("QLoRA", "ok", f"bitsandbytes {_version('bitsandbytes')}")


def _environ() -> dict[str, str]:
    """Return the variables that say where libraries and GPUs are."""
    return {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
