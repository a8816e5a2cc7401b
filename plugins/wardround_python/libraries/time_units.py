"""The units of time in which functions of well-known libraries take their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from wardround.languages.python.tree import unparse
from wardround_python.syntax.calls import keyword_values

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
        name: the called name, resolved through the imports; verbatim without an import.
        packages: those the module imports.
    """
    last = name.rpartition(".")[2]
    if name in _SECONDS_FIRST and call.args:
        yield call.args[0], "s", name
    if name in _SECONDS_SECOND and len(call.args) > 1:
        yield call.args[1], "s", name
    if last in ("timedelta", "relativedelta"):
        units: Mapping[str, str] = _DURATIONS
    else:
        yield from _method_arguments(call, last)
        units = _keyword_units(last, packages)
    for keyword in call.keywords:
        unit = units.get(keyword.arg or "")
        if unit is not None:
            yield keyword.value, unit, f"{keyword.arg} of {last}"


def _keyword_units(method: str, packages: frozenset[str]) -> dict[str, str]:
    """Return the units of the keywords of a function or method."""
    units = {name: _KEYWORDS[name] for name, owners in _KEYWORD_OWNERS.items() if method in owners}
    if method in ("ClientTimeout", "Timeout") and packages & {"aiohttp", "httpx"}:
        units |= dict.fromkeys(_PARTS, "s")
    is_known = bool(packages & _TIMEOUT_LIBRARIES) and not packages & _OTHER_UNIT
    if method in _TIMEOUT_METHODS and is_known:
        units["timeout"] = "s"
    return units


def _method_arguments(call: ast.Call, last: str) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield the positional arguments of caches and sockets."""
    if not isinstance(call.func, ast.Attribute):
        return
    owner = unparse(call.func.value).rpartition(".")[2].lower().strip("_")
    is_delay = (last == "settimeout" and len(call.args) == 1) or (last == "call_later" and len(call.args) > 1)
    if is_delay:
        yield call.args[0], "s", last
    elif any(owner == name or (len(name) > 1 and owner.endswith(name)) for name in _CACHES):
        yield from _cache_arguments(call, owner, last)


def _cache_arguments(call: ast.Call, owner: str, last: str) -> Iterator[tuple[ast.expr, str, str]]:
    match last:
        case "set" | "add" | "get_or_set" | "touch" | "set_many" if "cache" in owner:
            yield from ((value, "s", f"timeout of {last}") for value in keyword_values(call, "timeout"))
        case "expire" | "setex" if len(call.args) > 1:
            yield call.args[1], "s", last
        case "pexpire" | "psetex" if len(call.args) > 1:
            yield call.args[1], "ms", last


def seconds_operands(node: ast.BinOp | ast.Compare, clocks: frozenset[str]) -> Iterator[ast.expr]:
    """Yield the operands that are added to or compared with seconds of the clock.

    Args:
        clocks: the source texts of the calls in the module that return seconds.
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
