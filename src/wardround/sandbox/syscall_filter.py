"""The seccomp filter of a run: system calls that reach past the namespaces are denied.

Namespaces do not cover keyrings, vsock, terminals, performance counters and io_uring, and kernels had their
flaws in the rest. A denied call fails with EPERM, or with ENOSYS where libraries then use an older call.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
from collections.abc import Iterator, Mapping

import msgspec

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _PROCESSOR, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in ``struct seccomp_data``; of an argument, its lower half on a little-endian machine."""
_X32_BIT = 0x40000000
NEW_NAMESPACE = 0x7E020000
"""Every flag of ``clone`` that creates a namespace."""
TERMINAL_REQUESTS = (0x5412, 0x541C)
"""``TIOCSTI`` and ``TIOCLINUX`` put characters into the input of the terminal."""
LEASE_REQUESTS = (1024,)
"""``F_SETLEASE``: everyone who opens the file then waits for the process with the lease, on the host too."""

DENIED: Mapping[str, tuple[int, int | None]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "fanotify_init": (300, 262), "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116), "iopl": (172, None),
    "ioperm": (173, None), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
    "lookup_dcookie": (212, 18), "memfd_create": (319, 279), "memfd_secret": (447, 447),
}  # fmt: skip
"""The denied system calls, with their numbers on x86-64 and 64-bit ARM; None where there is none.

``memfd_create`` and ``memfd_secret`` make memory that belongs to no process.
"""
ABSENT = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3")
"""System calls that fail as on a kernel without them; a filter cannot read the flags of ``clone3``."""
_ABSENT = (425, 426, 427, 435)
"""Their numbers, the same on every architecture."""


class _Architecture(msgspec.Struct, frozen=True):
    """The numbers of system calls on one kind of processor."""

    audit: int
    denied: tuple[int, ...]
    socket: int
    socketpair: int
    clone: int
    ioctl: int
    fcntl: int


_ARCHITECTURES = {
    "x86_64": _Architecture(
        0xC000003E,
        tuple(number for number, _ in DENIED.values()),
        socket=41,
        socketpair=53,
        clone=56,
        ioctl=16,
        fcntl=72,
    ),
    "aarch64": _Architecture(
        0xC00000B7,
        tuple(number for _, number in DENIED.values() if number is not None),
        socket=198,
        socketpair=199,
        clone=220,
        ioctl=29,
        fcntl=25,
    ),
}


_Instruction = tuple[int, int, int, int]
"""Operation, steps to skip if it holds, steps to skip if not, operand."""


def is_supported() -> bool:
    """Return True if there is a filter for the processor of this machine."""
    return platform.machine() in _ARCHITECTURES


def compile_filter(*, loopback: bool) -> bytes:
    """Return the filter as a program of the kernel's packet filter machine.

    Args:
        loopback: True to permit internet sockets, and those that list network interfaces.
    """
    return b"".join(
        struct.pack("<HBBI", *instruction)
        for instruction in _program(_ARCHITECTURES[platform.machine()], loopback)
    )


def _program(machine: _Architecture, loopback: bool) -> Iterator[_Instruction]:
    yield _LOAD, 0, 0, _PROCESSOR
    yield _EQUAL, 1, 0, machine.audit
    yield _RETURN, 0, 0, _KILL
    yield _LOAD, 0, 0, _NUMBER
    yield from _unless(_AT_LEAST, _X32_BIT, errno.ENOSYS)
    for number in machine.denied:
        yield from _unless(_EQUAL, number, errno.EPERM)
    for number in _ABSENT:
        yield from _unless(_EQUAL, number, errno.ENOSYS)
    yield from _inspect_argument(machine.clone, _FIRST, list(_unless(_ANY_BIT, NEW_NAMESPACE, errno.EPERM)))
    for call, denied in ((machine.ioctl, TERMINAL_REQUESTS), (machine.fcntl, LEASE_REQUESTS)):
        requests = [step for request in denied for step in _unless(_EQUAL, request, errno.EPERM)]
        yield from _inspect_argument(call, _SECOND, requests)
    for call in (machine.socket, machine.socketpair):
        yield from _inspect_argument(call, _FIRST, list(_families(loopback)))
    yield _RETURN, 0, 0, _ALLOW


def _unless(comparison: int, value: int, error: int) -> Iterator[_Instruction]:
    """Fail with an error if the loaded value matches."""
    yield comparison, 0, 1, value
    yield _RETURN, 0, 0, _ERRNO | error


def _inspect_argument(call: int, offset: int, steps: list[_Instruction]) -> Iterator[_Instruction]:
    """Inspect an argument of one system call; for any other number load it again and continue."""
    yield _EQUAL, 0, len(steps) + 2, call
    yield _LOAD, 0, 0, offset
    yield from steps
    yield _RETURN, 0, 0, _ALLOW


def _families(loopback: bool) -> Iterator[_Instruction]:
    """Permit the address families that the network namespace confines, and no other."""
    permitted = [socket.AF_UNIX]
    if loopback:
        permitted += [socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK]
    for family in permitted:
        yield _EQUAL, 0, 1, int(family)
        yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT
