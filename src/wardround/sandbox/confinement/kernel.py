"""System calls that Python has no function for."""

from __future__ import annotations

import ctypes
import os

AT_RECURSIVE = 0x8000
_SYS_MOUNT_SETATTR = 442
_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_HERE = -100
"""``AT_FDCWD``: a path that is not absolute starts at the working directory."""
_UP, _GET_FLAGS, _SET_FLAGS = 1, 0x8913, 0x8914
_AF_INET, _SOCK_DGRAM = 2, 2
_FLAGS_OFFSET, _INTERFACE_BYTES = 16, 40
"""The layout of ``struct ifreq``: the name of an interface, then its flags."""

_library = ctypes.CDLL(None, use_errno=True)


def check_result(action: str, result: int) -> int:
    """Return the result of a system call.

    Raises:
        OSError: it failed; the message names the action.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{action}: {os.strerror(number)}")
    return result


def system_call(
    action: str, number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None
) -> int:
    """Make a system call by its number.

    Raises:
        OSError: it failed.
    """
    passed = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    return check_result(action, int(_library.syscall(ctypes.c_long(number), *passed)))


def prctl(action: str, option: int, *arguments: int) -> None:
    """Change an attribute of this process.

    Raises:
        OSError: the kernel rejected it.
    """
    padded = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:4]]
    check_result(action, int(_library.prctl(option, *padded)))


def unshare(flags: int) -> None:
    """Move this process, or its next child, into new namespaces."""
    check_result("new namespaces", int(_library.unshare(flags)))


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount a file system."""
    arguments = [os.fsencode(part) for part in (source, target, kind)]
    result = _library.mount(*arguments, ctypes.c_ulong(flags), os.fsencode(data))
    check_result(f"mounting {target}", int(result))


def unmount(path: str) -> None:
    """Detach a mount and everything below it."""
    check_result(f"unmounting {path}", int(_library.umount2(os.fsencode(path), 2)))


def set_mount_attributes(path: str, attributes: int, flags: int = 0) -> None:
    """Add attributes to a mount; with ``AT_RECURSIVE``, also to those below it."""
    values = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    buffer = ctypes.create_string_buffer(bytes(values), ctypes.sizeof(values))
    action = f"mounting {path} with restrictions"
    system_call(action, _SYS_MOUNT_SETATTR, _HERE, os.fsencode(path), flags, buffer, len(buffer))


def pivot_root(new: str, old: str) -> None:
    """Make a folder the root, and mount the former root on another one."""
    number = _SYS_PIVOT_ROOT[os.uname().machine]
    system_call("changing the root", number, os.fsencode(new), os.fsencode(old))


def set_host_name(name: str) -> None:
    """Name the machine, in the namespace of this process."""
    text = name.encode()
    check_result("naming the machine", int(_library.sethostname(text, ctypes.c_size_t(len(text)))))


def switch_loopback_on() -> None:
    """Bring up the loopback interface of the network namespace."""
    socket = check_result("opening a socket", int(_library.socket(_AF_INET, _SOCK_DGRAM, 0)))
    try:
        request = ctypes.create_string_buffer(b"lo", _INTERFACE_BYTES)
        _request_interface(socket, _GET_FLAGS, request)
        flags = ctypes.c_uint16.from_buffer(request, _FLAGS_OFFSET)
        flags.value |= _UP
        _request_interface(socket, _SET_FLAGS, request)
    finally:
        os.close(socket)


def _request_interface(socket: int, request: int, buffer: ctypes.Array[ctypes.c_char]) -> None:
    result = _library.ioctl(socket, ctypes.c_ulong(request), buffer)
    check_result("switching the loopback interface on", int(result))


def set_default_action(signal: int) -> None:
    """Let a signal have its default action; Python ignores some."""
    _library.signal(signal, ctypes.c_void_p(0))


def set_limit(kind: int, most: int) -> None:
    """Set the soft and the hard limit of this process and its children."""
    values = (ctypes.c_uint64 * 2)(most, most)
    check_result("setting a limit", int(_library.prlimit(0, kind, values, None)))
