"""The system call filter of a run as a seccomp profile that replaces that of a container engine.

An engine permits leases of files, whose holder makes everyone wait who opens the file on the host. System
calls that the engines deny by default stay denied.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from wardround.sandbox.syscall_filter import ABSENT, DENIED, LEASE_REQUESTS, NEW_NAMESPACE, TERMINAL_REQUESTS

_DENIED_BY_ENGINES = (
    "_sysctl", "clock_adjtime", "create_module", "get_kernel_syms", "get_mempolicy", "mbind",
    "migrate_pages", "move_pages", "nfsservctl", "personality", "query_module", "set_mempolicy",
    "stime", "sysfs", "umount", "uselib", "ustat", "vm86", "vm86old",
)  # fmt: skip
"""System calls that the default profile of docker denies or restricts without capabilities, and our own
filter does not.

Source: "Seccomp security profiles for Docker".
"""
_FAMILIES = frozenset(map(int, (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)))
_AFTER_FAMILIES = 46
"""The number after the last address family that Linux has."""
_LOW_HALF = 0xFFFFFFFF
"""The kernel reads 32 bits of most arguments, a profile compares 64."""


def seccomp_profile() -> bytes:
    """Return the profile as JSON, for the option ``--security-opt seccomp=FILE``."""
    rules = [
        _rule([*DENIED, *_DENIED_BY_ENGINES], errno.EPERM),
        _rule(ABSENT, errno.ENOSYS),
        *(
            _rule(["clone"], errno.EPERM, _masked_condition(0, 1 << bit, 1 << bit))
            for bit in _bits(NEW_NAMESPACE)
        ),
        *(
            _rule(["fcntl"], errno.EPERM, _masked_condition(1, _LOW_HALF, request))
            for request in LEASE_REQUESTS
        ),
        *(
            _rule(["ioctl"], errno.EPERM, _masked_condition(1, _LOW_HALF, request))
            for request in TERMINAL_REQUESTS
        ),
        *_families(),
    ]
    return msgspec.json.encode({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules})


def _families() -> Iterator[dict[str, Any]]:
    calls = ("socket", "socketpair")
    for family in sorted(set(range(_AFTER_FAMILIES)) - _FAMILIES):
        yield _rule(calls, errno.EAFNOSUPPORT, _masked_condition(0, _LOW_HALF, family))
    yield _rule(calls, errno.EAFNOSUPPORT, {"index": 0, "value": _AFTER_FAMILIES, "op": "SCMP_CMP_GE"})


def _rule(names: Sequence[str], error: int, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {"names": list(names), "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": list(conditions)}


def _masked_condition(index: int, mask: int, value: int) -> dict[str, Any]:
    return {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}


def _bits(mask: int) -> Iterable[int]:
    return (bit for bit in range(32) if mask >> bit & 1)
