"""The kernel interfaces that a run in a container engine may use, by the profile that the engine gets."""

from __future__ import annotations

import errno
import socket
from typing import Any

import msgspec
import pytest

from wardround.sandbox.seccomp_profile import seccomp_profile
from wardround.sandbox.syscall_filter import ABSENT, DENIED

PROFILE: dict[str, Any] = msgspec.json.decode(seccomp_profile())
_SET_LEASE, _GET_FLAGS = 1024, 1
_PUT_CHARACTER, _WINDOW_SIZE = 0x5412, 0x5413
_NEW_USER_NAMESPACE = 0x10000000
_ABOVE_32_BITS = 1 << 32


def error_of(call: str, *arguments: int) -> int:
    """Return the error number with which the profile denies a call; 0 if it permits it."""
    assert PROFILE["defaultAction"] == "SCMP_ACT_ALLOW"
    assert {rule["action"] for rule in PROFILE["syscalls"]} == {"SCMP_ACT_ERRNO"}
    rules = (rule for rule in PROFILE["syscalls"] if call in rule["names"])
    return next(
        (rule["errnoRet"] for rule in rules if all(_holds(arg, arguments) for arg in rule["args"])), 0
    )


def _holds(condition: dict[str, Any], arguments: tuple[int, ...]) -> bool:
    argument = arguments[int(condition["index"])]
    if condition["op"] == "SCMP_CMP_GE":
        return argument >= int(condition["value"])
    assert condition["op"] == "SCMP_CMP_MASKED_EQ"
    return argument & int(condition["value"]) == int(condition["valueTwo"])


@pytest.mark.parametrize("above", [0, _ABOVE_32_BITS])
def test_a_run_holds_no_lease_of_a_file(above: int) -> None:
    assert error_of("fcntl", 3, _SET_LEASE | above) == errno.EPERM
    assert error_of("fcntl", 3, _GET_FLAGS) == 0


def test_it_denies_what_the_filter_of_the_other_back_ends_denies() -> None:
    assert {error_of(call) for call in DENIED} == {errno.EPERM}
    assert {error_of(call) for call in ABSENT} == {errno.ENOSYS}
    assert error_of("clone", _NEW_USER_NAMESPACE | 17) == errno.EPERM
    assert error_of("clone", 17) == 0
    assert error_of("ioctl", 0, _PUT_CHARACTER | _ABOVE_32_BITS) == errno.EPERM
    assert error_of("ioctl", 0, _WINDOW_SIZE) == 0


def test_only_address_families_of_the_network_of_the_run_are_permitted() -> None:
    families = {int(family) for family in range(100) if not error_of("socket", family)}

    assert families == {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK}
    assert error_of("socketpair", socket.AF_UNIX | _ABOVE_32_BITS) == errno.EAFNOSUPPORT


def test_no_rule_compares_an_argument_twice() -> None:
    """An engine takes such conditions as alternatives."""
    for rule in PROFILE["syscalls"]:
        assert len({arg["index"] for arg in rule["args"]}) == len(rule["args"])
