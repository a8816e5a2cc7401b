"""The parts of this machine that a training needs: processor, memory, disk, packages and GPUs."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import ToolFailed, UsageError
from wardround.tools.process import Processes
from wardround_lab.training.dependencies import require_extra
from wardround_lab.training.environment_check import MISSING, TrainingEnvironment
from wardround_lab.training.free_memory import free_memory

COMMAND = "wardround adapters environment"
_PROCESSOR = Path("/proc/cpuinfo")
_MODEL_NAME = re.compile(r"(?m)^model name\s{0,20}: (\S[^\n]{0,200})$")
_BFLOAT16 = "bf16"
_ENVIRONMENT = ("PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "XDG_CACHE_HOME")
_CHECK_S = 180
_CHECK = """
import sys
from pathlib import Path
import msgspec
from wardround_lab.training.environment_check import check_environment
sys.stdout.buffer.write(msgspec.json.encode(check_environment(Path(sys.argv[1]))))
"""

Verdict = Literal["ok", "note", "missing"]


class EnvironmentRow(msgspec.Struct, frozen=True):
    """A part of the machine.

    Attributes:
        verdict: ``missing`` if a training cannot start without it, ``note`` if a training on a GPU cannot.
    """

    part: str
    verdict: Verdict
    detail: str


def environment_rows(training: Path) -> list[EnvironmentRow]:
    """Return what is known without loading PyTorch.

    Args:
        training: the folder of the run directories.
    """
    return [_processor(), _memory(), _disk(training), _packages(), _four_bit()]


def checked_rows(training: Path) -> list[EnvironmentRow]:
    """Return what ``wardround adapters environment`` finds.

    It runs in a process of its own, since PyTorch takes seconds to load and memory of a GPU while it is.
    """
    argv = [sys.executable, "-W", "ignore", "-c", _CHECK, str(_existing(training))]
    environ = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    try:
        out = Processes().run(
            argv, cwd=Path(sys.prefix), timeout_s=_CHECK_S, clean=frozenset({0}), env=environ
        )
        found = msgspec.json.decode(out, type=TrainingEnvironment)
    except (ToolFailed, msgspec.MsgspecError) as cause:
        return [EnvironmentRow("Check", "missing", f"{cause}; run `{COMMAND}` in a terminal")]
    return _rows(found)


def _rows(found: TrainingEnvironment) -> list[EnvironmentRow]:
    return [
        EnvironmentRow("For a GPU", "note", text) if part == MISSING else EnvironmentRow(part, "ok", text)
        for part, text in found.parts()
    ]


def _processor() -> EnvironmentRow:
    text = _read(_PROCESSOR)
    named = _MODEL_NAME.search(text)
    cores = len(os.sched_getaffinity(0))
    half = "with" if _BFLOAT16 in text else "without"
    name = named[1] if named else platform.machine()
    return EnvironmentRow("processor", "ok", f"{name}, {cores} cores, {half} bfloat16")


def _memory() -> EnvironmentRow:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return EnvironmentRow("memory", "ok", f"{free_memory() / 1e9:.1f} of {total / 1e9:.1f} GB free")


def _disk(training: Path) -> EnvironmentRow:
    there = _existing(training)
    if not os.access(there, os.W_OK):
        return EnvironmentRow("disk", "missing", f"{there} cannot be written; choose another with --training")
    return EnvironmentRow("disk", "ok", f"{shutil.disk_usage(there).free / 1e9:.1f} GB free")


def _packages() -> EnvironmentRow:
    try:
        require_extra()
    except UsageError as missing:
        return EnvironmentRow("packages", "missing", f"a training {str(missing).removeprefix('this ')}")
    return EnvironmentRow("packages", "ok", f"all of the extra train, PyTorch {_version('torch')}")


def _four_bit() -> EnvironmentRow:
    if find_spec("bitsandbytes") is None:
        detail = "bases in four bits need bitsandbytes; pip install 'wardround[qlora]'"
        return EnvironmentRow("QLoRA", "note", detail)
    return EnvironmentRow("QLoRA", "ok", f"bitsandbytes {_version('bitsandbytes')}")


def _existing(folder: Path) -> Path:
    return next(above for above in (folder, *folder.parents) if above.exists())


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
