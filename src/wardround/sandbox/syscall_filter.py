"""The seccomp filter of a run: system calls that reach past the namespaces are denied.

Namespaces do not cover keyrings, vsock, terminals, performance counters and io_uring, and kernels had their
flaws in the rest. A denied call fails with EPERM, or with ENOSYS where libraries then use an older call.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
from collections.abc import Iterator

import msgspec

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _PROCESSOR, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets in ``struct seccomp_data``; of an argument, its lower half on a little-endian machine."""
_X32_BIT = 0x40000000
_NEW_NAMESPACE = 0x7E020000
"""Every flag of ``clone`` that makes a namespace."""
_TERMINAL_REQUESTS = (0x5412, 0x541C)
"""``TIOCSTI`` and ``TIOCLINUX`` put characters into the input of the terminal."""
_LEASE_REQUESTS = (1024,)
"""``F_SETLEASE``: everyone who opens the file then waits for the process with the lease, on the host too."""

# ptrace, process_vm_readv, process_vm_writev, pidfd_getfd, kcmp, add_key, request_key, keyctl, bpf,
# perf_event_open, userfaultfd, fanotify_init, open_by_handle_at, name_to_handle_at, unshare, setns, mount,
# umount2, pivot_root, chroot, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr,
# init_module, finit_module, delete_module, kexec_load, kexec_file_load, reboot, swapon, swapoff, acct,
# quotactl, quotactl_fd, syslog, iopl, ioperm, settimeofday, clock_settime, sethostname, setdomainname,
# vhangup, lookup_dcookie, memfd_create and memfd_secret (memory that belongs to no process)
_DENIED_X86_64 = (
    101, 310, 311, 438, 312, 248, 249, 250, 321, 298, 323, 300, 304, 303, 272, 308, 165, 166, 155, 161,
    428, 429, 430, 431, 432, 433, 442, 175, 313, 176, 246, 320, 169, 167, 168, 163, 179, 443, 103, 172,
    173, 164, 227, 170, 171, 153, 212, 319, 447,
)  # fmt: skip
_DENIED_AARCH64 = (
    117, 270, 271, 438, 272, 217, 218, 219, 280, 241, 282, 262, 265, 264, 97, 268, 40, 39, 41, 51, 428,
    429, 430, 431, 432, 433, 442, 105, 273, 106, 104, 294, 142, 224, 225, 89, 60, 443, 116, 170, 112,
    161, 162, 58, 18, 279, 447,
)  # fmt: skip
_ABSENT = (425, 426, 427, 435)
"""``io_uring_setup``, ``io_uring_enter``, ``io_uring_register`` and ``clone3``, whose flags a filter cannot
read; the same numbers on every architecture.
"""


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
        0xC000003E, _DENIED_X86_64, socket=41, socketpair=53, clone=56, ioctl=16, fcntl=72
    ),
    "aarch64": _Architecture(
        0xC00000B7, _DENIED_AARCH64, socket=198, socketpair=199, clone=220, ioctl=29, fcntl=25
    ),
}


_Instruction = tuple[int, int, int, int]
"""Operation, steps to skip if it holds, steps to skip if not, operand."""


def is_supported() -> bool:
    """Return True if there is a filter for the processor of this machine."""
    return platform.machine() in _ARCHITECTURES


def compiled(*, loopback: bool) -> bytes:
    """Return the filter as a program of the kernel's packet filter machine.

    Args:
        loopback: True to permit internet sockets, and those that list network interfaces.
    """
    return b"".join(
        struct.pack("<HBBI", *one) for one in _program(_ARCHITECTURES[platform.machine()], loopback)
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
    yield from _argument(machine.clone, _FIRST, list(_unless(_ANY_BIT, _NEW_NAMESPACE, errno.EPERM)))
    for call, denied in ((machine.ioctl, _TERMINAL_REQUESTS), (machine.fcntl, _LEASE_REQUESTS)):
        requests = [step for request in denied for step in _unless(_EQUAL, request, errno.EPERM)]
        yield from _argument(call, _SECOND, requests)
    for call in (machine.socket, machine.socketpair):
        yield from _argument(call, _FIRST, list(_families(loopback)))
    yield _RETURN, 0, 0, _ALLOW


def _unless(comparison: int, value: int, error: int) -> Iterator[_Instruction]:
    """Fail with an error if the loaded value matches."""
    yield comparison, 0, 1, value
    yield _RETURN, 0, 0, _ERRNO | error


def _argument(call: int, offset: int, steps: list[_Instruction]) -> Iterator[_Instruction]:
    """Inspect an argument of one system call; any other number is loaded again and continues."""
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
