"""The filter decides by processor, number and arguments of a call; both processors are interpreted here."""

from __future__ import annotations

import errno
import platform
import socket
import struct

import pytest

from wardround.sandbox import syscall_filter

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {
        "read": 0,
        "socket": 41,
        "socketpair": 53,
        "clone": 56,
        "ioctl": 16,
        "fcntl": 72,
        "ptrace": 101,
        "unshare": 272,
    },
    "aarch64": {
        "read": 63,
        "socket": 198,
        "socketpair": 199,
        "clone": 220,
        "ioctl": 29,
        "fcntl": 25,
        "ptrace": 117,
        "unshare": 97,
    },
}
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
machines = pytest.mark.parametrize("machine", sorted(AUDIT))


def decision(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """Interpret the program for one system call, as the kernel does."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    call = struct.pack("<IIQ6Q", number, audit, 0, *padded)
    steps = list(struct.iter_unpack("<HBBI", program))
    at, loaded = 0, 0
    while True:
        operation, if_so, if_not, operand = steps[at]
        at += 1
        if operation == 0x06:
            return int(operand)
        if operation == 0x20:
            (loaded,) = struct.unpack_from("<I", call, operand)
            continue
        holds = {0x15: loaded == operand, 0x35: loaded >= operand, 0x45: bool(loaded & operand)}[operation]
        at += if_so if holds else if_not


def decided(
    monkeypatch: pytest.MonkeyPatch, machine: str, name: str, *arguments: int, loopback: bool = False
) -> int:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    program = syscall_filter.compile_filter(loopback=loopback)
    return decision(program, AUDIT[machine], NUMBERS[machine][name], *arguments)


@machines
def test_ordinary_calls_are_permitted(monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    assert decided(monkeypatch, machine, "read") == ALLOW
    assert decided(monkeypatch, machine, "clone", 0x01200011) == ALLOW
    assert decided(monkeypatch, machine, "clone", 0x003D0F00) == ALLOW
    assert decided(monkeypatch, machine, "ioctl", 1, 0x5401) == ALLOW


@machines
@pytest.mark.parametrize("name", ["ptrace", "unshare"])
def test_dangerous_calls_are_denied(monkeypatch: pytest.MonkeyPatch, machine: str, name: str) -> None:
    assert decided(monkeypatch, machine, name) == ERRNO | errno.EPERM


@machines
@pytest.mark.parametrize(
    "flag", [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]
)
def test_no_process_is_made_in_a_new_namespace(
    monkeypatch: pytest.MonkeyPatch, machine: str, flag: int
) -> None:
    assert decided(monkeypatch, machine, "clone", flag | 17) == ERRNO | errno.EPERM


@machines
def test_nothing_is_typed_into_the_terminal(monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    assert decided(monkeypatch, machine, "ioctl", 0, 0x5412) == ERRNO | errno.EPERM
    assert decided(monkeypatch, machine, "ioctl", 0, 0x541C) == ERRNO | errno.EPERM


@machines
def test_no_lease_is_taken_and_locks_are(monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    assert decided(monkeypatch, machine, "fcntl", 3, 1024, 0) == ERRNO | errno.EPERM
    assert decided(monkeypatch, machine, "fcntl", 3, 6) == ALLOW


@machines
def test_address_families_are_limited(monkeypatch: pytest.MonkeyPatch, machine: str) -> None:
    unsupported = ERRNO | errno.EAFNOSUPPORT

    assert decided(monkeypatch, machine, "socket", socket.AF_UNIX) == ALLOW
    assert decided(monkeypatch, machine, "socketpair", socket.AF_UNIX) == ALLOW
    assert decided(monkeypatch, machine, "socket", socket.AF_INET) == unsupported
    assert decided(monkeypatch, machine, "socket", socket.AF_INET, loopback=True) == ALLOW
    for family in (16, 17, 38, 40, 44):
        assert decided(monkeypatch, machine, "socket", family) == unsupported
    for family in (17, 38, 40, 44):
        assert decided(monkeypatch, machine, "socket", family, loopback=True) == unsupported


def test_another_interface_of_the_kernel_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    program = syscall_filter.compile_filter(loopback=False)

    assert decision(program, 0x40000003, 20) == KILL
    assert decision(program, AUDIT["x86_64"], 0x40000000 | 39) == ERRNO | errno.ENOSYS


def test_other_processors_have_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    assert not syscall_filter.is_supported()
