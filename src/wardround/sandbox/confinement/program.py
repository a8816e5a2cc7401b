"""Three processes of a run: a monitor outside, the first process inside, and the command.

The monitor is a child of the caller and dies with it. The first process sets up the view, drops its
privileges and reaps children; when it ends, the kernel ends every other process of its namespace. Lines on
the connection to the
caller: ``first PID`` (its number outside), ``ready``, ``exit STATUS`` and ``used SECONDS KILOBYTES``; a line
from the caller begins the command.
"""

from __future__ import annotations

import errno
import marshal
import os
import select

from wardround.sandbox.confinement import kernel, rights
from wardround.sandbox.confinement.mounts import build_root

TYPE_CHECKING = False  # importing typing takes longer than the rest of the start
if TYPE_CHECKING:
    from typing import NoReturn

    from wardround.sandbox.confinement.plan import Plan

_USERS, _PROCESSES = 0x10000000, 0x20000000
_OTHER_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x40000000
"""Mounts, control groups, host name, interprocess communication, network: of the first process only, as its
root would become that of the monitor, too.
"""
_PARENT_DEATH_SIGNAL, _SIGKILL = 1, 9
_IGNORED_BY_PYTHON = (13, 25)
"""``SIGPIPE`` and ``SIGXFSZ``."""
_SIGINT = 2
_NOT_STARTED, _NOT_FOUND = 1, 127
_HOST_NAME = "sandbox"
_NULL = "/dev/null"


def main(plan_file: int) -> NoReturn:
    """Run the plan in an open file; standard input is the connection to the caller."""
    try:
        with os.fdopen(plan_file, "rb") as file:
            plan: Plan = marshal.load(file)  # noqa: S302  (written by the caller for this process)
        connection = _move_connection()
        _die_with_parent()
        if os.getppid() != plan["parent"]:  # it died before the line above
            os._exit(_NOT_STARTED)
        _enter_namespaces(plan["user"])
        _monitor(plan, connection)
    except OSError as cause:
        _fail(cause)


def _move_connection() -> int:
    """Move the connection away from standard input, which the command must not inherit."""
    connection = os.dup(0)
    null = os.open(_NULL, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return connection


def _die_with_parent() -> None:
    kernel.prctl("binding the run to its caller", _PARENT_DEATH_SIGNAL, _SIGKILL)


def _fail(cause: OSError) -> NoReturn:
    reason = cause.strerror or str(cause)
    _write_to(2, f"wardround-start: {reason}")
    os._exit(_NOT_STARTED)


def _write_to(file: int, line: str) -> None:
    try:
        os.write(file, f"{line}\n".encode("utf-8", "surrogateescape"))
    except OSError:  # nobody reads it
        return


def _enter_namespaces(user: str) -> None:
    own, group = os.geteuid(), os.getegid()
    try:
        kernel.unshare(_USERS)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {own} 1")
        _write("/proc/self/gid_map", f"{user} {group} 1")
        kernel.unshare(_PROCESSES)
    except OSError as cause:
        raise OSError(cause.errno, f"this system permits no user namespaces ({cause.strerror})") from cause


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _monitor(plan: Plan, connection: int) -> NoReturn:
    """Start the first process, wait until it or the caller ends, and report its resource usage."""
    alive, held = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(held)
        _run_first(plan, connection, alive)
    os.close(alive)
    rights.drop_capabilities()
    _release_output()
    ended = os.pidfd_open(first)
    poll = select.poll()
    poll.register(connection, 0)  # the end of the caller only; what it writes is for the first process
    poll.register(ended, select.POLLIN)
    if not any(file == ended for file, _ in poll.poll()):
        os._exit(_NOT_STARTED)  # the first process dies with this one
    used = os.wait4(first, 0)[2]
    _write_to(connection, f"used {used.ru_utime + used.ru_stime:.6f} {used.ru_maxrss}")
    os._exit(0)


def _release_output() -> None:
    null = os.open(_NULL, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)


def _run_first(plan: Plan, connection: int, alive: int) -> NoReturn:
    """Set up the view, start the command, and reap until it ends."""
    try:
        _write_to(connection, f"first {os.readlink('/proc/self')}")
        kernel.unshare(_OTHER_NAMESPACES)
        mask = os.umask(0o022)
        _forbid_user_namespaces()
        kernel.set_host_name(_HOST_NAME)
        kernel.switch_loopback_on()
        build_root(plan["steps"])
        os.chdir(plan["folder"])
        os.umask(mask)
        kernel.set_default_action(_SIGINT)  # a process of the run could send it
        rights.drop_capabilities()
        if plan["landlock"]:
            rights.restrict_files(plan["landlock"], plan["writable"])
        rights.filter_calls(plan["filter"])
        rights.close_process_access()
        _die_with_parent()
        if _is_closed(alive):  # the monitor died before the line above
            os._exit(_NOT_STARTED)
        os.close(alive)
        _supervise(plan, connection)
    except OSError as cause:
        _fail(cause)


def _forbid_user_namespaces() -> None:
    try:
        _write("/proc/sys/user/max_user_namespaces", "0")
    except OSError:  # read-only in a container; the filter denies the calls in any case
        return


def _is_closed(pipe: int) -> bool:
    poll = select.poll()
    poll.register(pipe, 0)
    return bool(poll.poll(0))


def _supervise(plan: Plan, connection: int) -> NoReturn:
    begin, release = os.pipe()
    command = os.fork()
    if command == 0:
        os.close(release)
        _execute(plan, begin)
    os.close(begin)
    for kind, most in plan["limits"]:
        kernel.set_limit(kind, most)
    _write_to(connection, "ready")
    if not os.read(connection, 1):  # the caller ended
        os._exit(_NOT_STARTED)
    os.write(release, b"\n")
    os.close(release)
    _release_output()
    while True:
        process, status = os.wait()
        if process == command:
            code = os.waitstatus_to_exitcode(status)
            _write_to(connection, f"exit {code if code >= 0 else 128 - code}")
            os._exit(0)


def _execute(plan: Plan, begin: int) -> NoReturn:
    """Wait for the caller, then become the command."""
    program = plan["command"][0]
    try:
        os.setsid()
        if not os.read(begin, 1):
            os._exit(_NOT_STARTED)
        for kind, most in plan["limits"]:
            kernel.set_limit(kind, most)
        for signal in _IGNORED_BY_PYTHON:
            kernel.set_default_action(signal)
        _become(plan["command"], plan["environment"])
    except (OSError, ValueError) as cause:  # an argument with a null character is a ValueError
        _write_to(2, f"wardround-start: {program}: {getattr(cause, 'strerror', None) or cause}")
        os._exit(_NOT_FOUND)


def _become(command: list[str], environment: dict[str, str]) -> NoReturn:
    """Execute a program of the run's own ``PATH``; Python's function would import modules, now invisible."""
    program = command[0]
    folders = [""] if "/" in program else [f"{folder}/" for folder in environment["PATH"].split(":")]
    denied: OSError | None = None
    for folder in folders:
        try:
            os.execve(folder + program, command, environment)  # noqa: S606
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as cause:
            denied = denied or cause
    raise denied or FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
