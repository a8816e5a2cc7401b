"""The units of time in which functions of well-known libraries take their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import unparse

_SECONDS_FIRST = frozenset(
    """
    time.sleep asyncio.sleep asyncio.timeout asyncio.timeout_at anyio.sleep anyio.move_on_after
    anyio.fail_after trio.sleep trio.move_on_after trio.fail_after gevent.sleep eventlet.sleep
    signal.alarm
    socket.setdefaulttimeout threading.Timer async_timeout.timeout curio.sleep signal.setitimer
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
_SECONDS_SECOND = frozenset({"asyncio.wait_for", "signal.setitimer"})
_TIMEOUT_LIBRARIES = frozenset(
    """
    requests httpx urllib subprocess asyncio socket aiohttp http smtplib ftplib imaplib poplib telnetlib
    concurrent multiprocessing threading queue ssl select anyio niquests boto3 paramiko psycopg
    """.split()  # noqa: SIM905
)
_TIMEOUT_METHODS = frozenset(
    """
    get post put patch delete head options request send urlopen run check_output check_call call communicate
    wait wait_for join acquire result create_connection urlretrieve fetch as_completed stream Client
    AsyncClient Timeout
    """.split()  # noqa: SIM905
)
"""Methods whose ``timeout`` is in seconds in the standard library and similar ones."""
_OTHER_UNIT = frozenset(
    """
    playwright zmq PyQt5 PyQt6 PySide2 PySide6 kafka confluent_kafka pyppeteer ctypes grpc usb serial pyvisa
    cv2 couchbase cassandra pymongo oracledb cx_Oracle appium
    """.split()  # noqa: SIM905
)
"""Packages that take milliseconds under the same names."""
_DURATIONS = {
    "days": "day", "hours": "h", "minutes": "min", "seconds": "s", "milliseconds": "ms", "microseconds": "us",
}  # fmt: skip
_KEYWORDS = {"countdown": "s", "max_age": "s", "px": "ms", "ex": "s", "soft_time_limit": "s"}
_KEYWORD_OWNERS = {
    "countdown": frozenset({"apply_async", "retry", "signature"}),
    "soft_time_limit": frozenset({"task", "shared_task", "apply_async"}),
    "max_age": frozenset({"set_cookie", "set_signed_cookie", "add_middleware", "loads"}),
    "ex": frozenset({"set", "getex"}),
    "px": frozenset({"set", "getex"}),
}
_PARTS = frozenset({"total", "connect", "sock_read", "sock_connect", "read", "pool", "write"})
_CACHES = ("redis", "cache", "valkey", "client", "conn", "pipe", "r")
_CLOCKS = frozenset({"time.time", "time.monotonic", "time.perf_counter"})


def timed_arguments(
    call: ast.Call, name: str, packages: frozenset[str]
) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield the arguments of a call whose unit is known: each with the unit, and with its source.

    Args:
        name: the called name, through the imports; as it is written without an import.
        packages: those the module imports.
    """
    last = name.rpartition(".")[2]
    if name in _SECONDS_FIRST and call.args:
        yield call.args[0], "s", name
    if name in _SECONDS_SECOND and len(call.args) > 1:
        yield call.args[1], "s", name
    if last in ("timedelta", "relativedelta"):
        for keyword in call.keywords:
            if keyword.arg in _DURATIONS:
                yield keyword.value, _DURATIONS[keyword.arg], f"{keyword.arg} of {last}"
        return
    yield from _of_methods(call, last)
    if last in ("ClientTimeout", "Timeout") and packages & {"aiohttp", "httpx"}:
        for keyword in call.keywords:
            if keyword.arg in _PARTS:
                yield keyword.value, "s", f"{keyword.arg} of {last}"
    is_known = bool(packages & _TIMEOUT_LIBRARIES) and not packages & _OTHER_UNIT
    for keyword in call.keywords:
        if keyword.arg == "timeout" and last in _TIMEOUT_METHODS and is_known:
            yield keyword.value, "s", f"timeout of {last}"
        elif keyword.arg in _KEYWORDS and last in _KEYWORD_OWNERS[keyword.arg]:
            yield keyword.value, _KEYWORDS[keyword.arg], f"{keyword.arg} of {last}"


def _of_methods(call: ast.Call, last: str) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield the positional arguments of caches and sockets."""
    if not isinstance(call.func, ast.Attribute):
        return
    owner = unparse(call.func.value).rpartition(".")[2].lower().strip("_")
    is_cache = any(owner == item or (len(item) > 1 and owner.endswith(item)) for item in _CACHES)
    if (last == "settimeout" and len(call.args) == 1) or (last == "call_later" and len(call.args) > 1):
        yield call.args[0], "s", last
    elif is_cache and last in ("set", "add", "get_or_set", "touch", "set_many"):
        for keyword in call.keywords:
            if keyword.arg == "timeout" and "cache" in owner:
                yield keyword.value, "s", f"timeout of {last}"
    elif is_cache and last in ("expire", "setex", "pexpire", "psetex") and len(call.args) > 1:
        yield call.args[1], "ms" if last.startswith("p") else "s", last


def counted(node: ast.BinOp | ast.Compare, clocks: frozenset[str]) -> Iterator[ast.expr]:
    """Yield the operands that are added to or compared with seconds of the clock.

    Args:
        clocks: the texts of the calls in the module that return seconds.
    """
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, (ast.Add, ast.Sub)) and unparse(node.left) in clocks:
            yield node.right
        return
    sides = [node.left, *node.comparators]
    if len(sides) != 2 or not isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        return
    for side, other in (sides, sides[::-1]):
        if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Sub) and unparse(side.left) in clocks:
            yield other


def is_clock(name: str | None) -> bool:
    """Return True if a function returns the time in seconds."""
    return name in _CLOCKS
