"""Which calls of a module wait for something outside the process: a network, a child, a clock, a queue."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cached_property

from wardround_python.module import PythonModule

_HTTP_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request")
# Each keeps its thread until a clock, a process or a network answers.
WAITING_CALLS = frozenset(
    {f"requests.{verb}" for verb in _HTTP_VERBS}
    | {f"httpx.{verb}" for verb in (*_HTTP_VERBS, "stream")}
    | {f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "getoutput")}
    | {"time.sleep", "os.system", "urllib.request.urlopen", "urllib.request.urlretrieve"}
    | {"socket.create_connection", "smtplib.SMTP", "smtplib.SMTP_SSL"}
)
# What waits on objects of these kinds, by method; all of them have a counterpart to await.
_VERBS = frozenset({*_HTTP_VERBS, "send", "stream"})
_SQL = frozenset({"execute", "scalars", "scalar", "commit", "flush", "refresh", "get"})
_REDIS = frozenset(
    {
        "get", "set", "setex", "incr", "hget", "hset", "hgetall", "lpush", "rpush", "lpop", "blpop",
        "publish", "delete", "expire", "ping", "exists", "sadd", "smembers",
    }
)  # fmt: skip
_CLOUD = frozenset(
    {
        "put_object", "get_object", "head_object", "delete_object", "copy_object", "list_objects_v2",
        "upload_file", "upload_fileobj", "download_file", "download_fileobj", "send_message",
        "receive_message", "delete_message", "publish", "invoke", "put_item", "get_item",
        "query", "scan", "update_item", "send_email", "put_events", "get_secret_value",
    }
)  # fmt: skip
WAITING_METHODS: Mapping[str, frozenset[str]] = {
    "requests.Session": _VERBS,
    "requests.session": _VERBS,
    "httpx.Client": _VERBS,
    "subprocess.Popen": frozenset({"wait", "communicate"}),
    "queue.Queue": frozenset({"get", "join"}),
    "queue.SimpleQueue": frozenset({"get"}),
    "threading.Event": frozenset({"wait"}),
    "threading.Thread": frozenset({"join"}),
    "smtplib.SMTP": frozenset({"send_message", "sendmail", "login", "starttls", "connect"}),
    "smtplib.SMTP_SSL": frozenset({"send_message", "sendmail", "login", "connect"}),
    "sqlalchemy.orm.Session": _SQL,
    "sqlalchemy.orm.session.Session": _SQL,
    "redis.Redis": _REDIS,
    "redis.StrictRedis": _REDIS,
    "redis.from_url": _REDIS,
    "redis.Redis.from_url": _REDIS,
    "boto3.client": _CLOUD,
    "paramiko.SSHClient": frozenset({"connect", "exec_command"}),
}


class Waiting:
    """The calls of methods that wait, by what the module makes or declares its objects to be."""

    def __init__(self, module: PythonModule) -> None:
        self._module = module

    def method_of(self, node: ast.Call) -> str | None:
        """The method of an object whose kind the module tells that waits."""
        func = node.func
        if not isinstance(func, ast.Attribute) or isinstance(self._module.parents[node], ast.Await):
            return None
        kinds = self._kinds.get(ast.unparse(func.value), frozenset())
        kind = next(iter(kinds)) if len(kinds) == 1 else ""
        if func.attr not in WAITING_METHODS.get(kind, frozenset()):
            return None
        gives_up = any(k.arg == "block" for k in node.keywords) or any(
            isinstance(a, ast.Constant) and a.value is False for a in node.args
        )
        return None if gives_up else f"{ast.unparse(func)}() of {kind}"

    @cached_property
    def _kinds(self) -> dict[str, frozenset[str]]:
        """Name or attribute of self -> what it is made by or declared as, anywhere in the module."""
        found: dict[str, set[str]] = {}
        for node in self._module.nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                made = node.value.func if isinstance(node.value, ast.Call) else node.value
                for target in targets:
                    found.setdefault(ast.unparse(target), set()).add(self._kind_of(made))
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                made = node.context_expr
                made = made.func if isinstance(made, ast.Call) else made
                found.setdefault(ast.unparse(node.optional_vars), set()).add(self._kind_of(made))
            elif isinstance(node, ast.arg):
                kind = self._kind_of(node.annotation) if node.annotation is not None else "?"
                found.setdefault(node.arg, set()).add(kind)
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                found.setdefault(ast.unparse(node.target), set()).add("?")
        for name, kinds in list(found.items()):
            passed_on = [k.removeprefix("=") for k in kinds if k.startswith("=")]
            for one in passed_on:
                found[name] = (kinds - {f"={one}"}) | (found.get(one, {"?"}) - {f"={name}"})
        return {name: frozenset(kinds) for name, kinds in found.items()}

    def _kind_of(self, made: ast.expr) -> str:
        """A dotted name that an import gives, ``=name`` for another name of the module, else ``?``."""
        return self._module.imported_name(made) or (f"={made.id}" if isinstance(made, ast.Name) else "?")
