"""A private file system for a run, built of the steps of ``wardround.sandbox.layout``."""

from __future__ import annotations

import os
import stat

from wardround.sandbox.confinement import kernel

TYPE_CHECKING = False  # importing typing takes longer than the rest of the start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_NO_SET_ID, _NO_DEVICES, _NO_EXEC, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
"""Flags of ``mount``."""
_READ_ONLY_ATTRIBUTE, _NO_SET_ID_ATTRIBUTE, _NO_DEVICES_ATTRIBUTE = 1, 2, 4
_INERT = _NO_SET_ID_ATTRIBUTE | _NO_DEVICES_ATTRIBUTE
_BASE = "/tmp"  # noqa: S108  (a folder that every system has; it is covered in this mount namespace only)
_OLD, _NEW = "/old", "/new"
_MOST_NODES = 400_000
"""Files of a file system in memory; each takes a kilobyte of the kernel that belongs to no process."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_DEVICE_LINKS = {
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "fd": "/proc/self/fd",
    "core": "/proc/kcore",
    "ptmx": "pts/ptmx",
}


def build_root(steps: Iterable[tuple[str, ...]]) -> None:
    """Replace the root of this process by one that the steps create.

    Raises:
        OSError: a step failed; its message names the path.
    """
    resolved = [_resolve_step(step) for step in steps]
    _enter_base()
    for kind, *operands in filter(None, resolved):
        _ACTIONS[kind](*operands)
    os.chdir(_NEW)
    kernel.pivot_root(".", ".")
    kernel.unmount(".")
    os.chdir("/")
    kernel.set_mount_attributes("/", _READ_ONLY_ATTRIBUTE | _INERT)


def _resolve_step(step: tuple[str, ...]) -> tuple[str, ...]:
    """Return a step with the real path of its source, as links lead elsewhere once the root has changed."""
    kind, *operands = step
    if kind not in ("bind", "ro-bind", "ro-bind-try"):
        return step
    source, target = operands
    if os.path.exists(source):
        return (kind, os.path.realpath(source), target)
    if kind == "ro-bind-try":
        return ()
    raise FileNotFoundError(f"{source} does not exist")


def _enter_base() -> None:
    """Make an in-memory folder the root, with the machine's root in ``/old`` and an empty one in ``/new``."""
    kernel.mount("none", "/", "", _PRIVATE | _RECURSIVE)
    _mount_memory(_BASE, "")
    for folder in (_OLD, _NEW):
        os.mkdir(_BASE + folder)
    kernel.mount(_BASE + _NEW, _BASE + _NEW, "", _BIND | _RECURSIVE)
    kernel.pivot_root(_BASE, _BASE + _OLD)
    os.chdir("/")


def _mount_memory(path: str, size: str) -> None:
    options = f"mode=0755,nr_inodes={_MOST_NODES}" + (f",size={size}" if size else "")
    kernel.mount("tmpfs", path, "tmpfs", _NO_SET_ID | _NO_DEVICES, options)


def _tmpfs(path: str, size: str) -> None:
    _mount_memory(_folder(path), size)


def _folder(path: str) -> str:
    os.makedirs(_NEW + path, 0o755, exist_ok=True)
    return _NEW + path


def _file(path: str) -> str:
    _folder(os.path.dirname(path))
    os.close(os.open(_NEW + path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
    return _NEW + path


def _bind_path(source: str, path: str, attributes: int) -> None:
    """Show a file or folder of the machine."""
    outside = _OLD + source
    target = _folder(path) if stat.S_ISDIR(os.stat(outside).st_mode) else _make_file(path)
    kernel.mount(outside, target, "", _BIND | _RECURSIVE)
    kernel.set_mount_attributes(target, attributes, kernel.AT_RECURSIVE)


def _make_file(path: str) -> str:
    return _NEW + path if os.path.exists(_NEW + path) else _file(path)


def _bind(source: str, path: str) -> None:
    _bind_path(source, path, _INERT)


def _bind_read_only(source: str, path: str) -> None:
    _bind_path(source, path, _READ_ONLY_ATTRIBUTE | _INERT)


def _link(target: str, path: str) -> None:
    _folder(os.path.dirname(path))
    os.symlink(target, _NEW + path)


def _proc(path: str) -> None:
    kernel.mount("proc", _folder(path), "proc", _NO_SET_ID | _NO_DEVICES | _NO_EXEC)


def _devices(path: str) -> None:
    """Create a folder of devices without stored data, with terminals of its own."""
    _tmpfs(path, "")
    for name in _DEVICES:
        kernel.mount(f"{_OLD}/dev/{name}", _file(f"{path}/{name}"), "", _BIND)
        kernel.set_mount_attributes(f"{_NEW}{path}/{name}", _NO_SET_ID_ATTRIBUTE)
    for name, target in _DEVICE_LINKS.items():
        _link(target, f"{path}/{name}")
    _folder(f"{path}/shm")
    terminals = _folder(f"{path}/pts")
    options = "newinstance,ptmxmode=0666,mode=620"
    kernel.mount("devpts", terminals, "devpts", _NO_SET_ID | _NO_EXEC, options)


def _data(path: str, text: str) -> None:
    """Create a read-only file with a text."""
    target = _file(path)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


def _close(path: str) -> None:
    kernel.set_mount_attributes(_NEW + path, _READ_ONLY_ATTRIBUTE)


_ACTIONS: Mapping[str, Callable[..., object]] = {
    "bind": _bind,
    "ro-bind": _bind_read_only,
    "ro-bind-try": _bind_read_only,
    "symlink": _link,
    "dir": _folder,
    "tmpfs": _tmpfs,
    "proc": _proc,
    "dev": _devices,
    "data": _data,
    "remount-ro": _close,
}
