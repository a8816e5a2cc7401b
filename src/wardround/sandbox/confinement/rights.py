"""The rights that a run gives up: capabilities, new privileges, files by Landlock, calls by a filter."""

from __future__ import annotations

import ctypes
import os
import struct

from wardround.sandbox.confinement import kernel

TYPE_CHECKING = False  # importing typing takes longer than the rest of the start
if TYPE_CHECKING:
    from collections.abc import Sequence

_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
_BOUNDING_DROP, _AMBIENT, _AMBIENT_CLEAR, _NO_NEW_PRIVS, _SECCOMP, _FILTER_MODE = 24, 47, 4, 38, 22, 2
_MOST_CAPABILITIES = 64
_DUMPABLE = 4

_SYS_CREATE_RULESET, _SYS_ADD_RULE, _SYS_RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _BENEATH_PATH = 1, 1
_LEAST_VERSION = 2
"""The first version of Landlock that can permit a rename between folders."""
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_MAKE_DEVICES = 1 << 6 | 1 << 11
_TRUNCATE, _DEVICE_REQUESTS = 1 << 14, 1 << 15
_RIGHTS_BY_VERSION = ((5, (1 << 16) - 1), (3, (1 << 15) - 1), (2, (1 << 14) - 1))
_SCOPES_BY_VERSION = ((6, 3),)
"""Abstract sockets and signals of processes outside."""
_READ = _EXECUTE | _READ_FILE | _READ_FOLDER
_WRITE = _WRITE_FILE | _TRUNCATE
_EVERYTHING = ((1 << 16) - 1) & ~_MAKE_DEVICES


def drop_capabilities() -> None:
    """Give up every capability, and the ability to gain one."""
    kernel.prctl("forbidding new privileges", _NO_NEW_PRIVS, 1)
    for number in range(_MOST_CAPABILITIES):
        try:
            kernel.prctl("dropping a capability", _BOUNDING_DROP, number)
        except OSError:  # the kernel has fewer
            break
    kernel.prctl("dropping capabilities", _AMBIENT, _AMBIENT_CLEAR)
    header = struct.pack("<Ii", _CAPABILITY_VERSION, 0)
    kernel.system_call("dropping capabilities", _SYS_CAPSET[os.uname().machine], header, bytes(24))


def close_process_access() -> None:
    """Close the memory, the program and the open files of this process to others of the same user.

    Its program is a file of the machine outside the view. A program that this one executes is open again.
    """
    kernel.prctl("closing the first process", _DUMPABLE, 0)


def landlock_version() -> int:
    """Return the version of Landlock's interface in this kernel; 0 if it has no supported one."""
    try:
        found = kernel.system_call("Landlock", _SYS_CREATE_RULESET, None, 0, _VERSION_FLAG)
    except OSError:
        return 0
    return found if found >= _LEAST_VERSION else 0


def restrict_files(version: int, writable: Sequence[str]) -> None:
    """Permit reading of every file that is visible, and writing below some folders.

    Args:
        version: version of the Landlock interface.
        writable: folders in which a run makes, changes and removes files.
    """
    handled = _access_for_version(_RIGHTS_BY_VERSION, version)
    scoped = _access_for_version(_SCOPES_BY_VERSION, version)
    fields = [handled, 0, scoped] if scoped else [handled]
    attributes = struct.pack(f"<{len(fields)}Q", *fields)
    rules = kernel.system_call("Landlock", _SYS_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for path, rights in (
            ("/", _READ),
            ("/proc", _READ | _WRITE),
            ("/dev", _READ | _WRITE | _DEVICE_REQUESTS),
            *((path, _EVERYTHING) for path in writable),
        ):
            _permit(rules, path, rights & handled)
        kernel.system_call("Landlock", _SYS_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _access_for_version(values: Sequence[tuple[int, int]], version: int) -> int:
    return next((value for least, value in values if version >= least), 0)


def _permit(rules: int, path: str, rights: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        beneath = struct.pack("<Qi", rights, folder)
        kernel.system_call(f"Landlock, {path}", _SYS_ADD_RULE, rules, _BENEATH_PATH, beneath, 0)
    finally:
        os.close(folder)


def filter_calls(program: bytes) -> None:
    """Deny system calls, by a program of the kernel's packet filter machine."""
    buffer = ctypes.create_string_buffer(program, len(program))
    instructions = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    header = ctypes.create_string_buffer(instructions, len(instructions))
    kernel.prctl("filtering system calls", _SECCOMP, _FILTER_MODE, ctypes.addressof(header))
