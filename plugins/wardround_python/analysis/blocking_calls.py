"""Calls that wait for something outside the process: a network, a child, a clock, a queue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import RepositoryView
from wardround.languages.python.module import FunctionNode, PythonModule, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround_python.analysis.call_resolution import CallResolver

_HTTP_VERBS = ("get", "post", "put", "patch", "delete", "head", "options", "request")
# Each blocks its thread until a clock, a process or a network responds.
WAITING_CALLS = frozenset(
    {f"requests.{verb}" for verb in _HTTP_VERBS}
    | {f"urllib3.{name}" for name in ("request",)}
    | {f"httpx.{verb}" for verb in (*_HTTP_VERBS, "stream")}
    | {f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "getoutput")}
    | {"time.sleep", "os.system", "urllib.request.urlopen", "urllib.request.urlretrieve"}
    | {"socket.create_connection", "smtplib.SMTP", "smtplib.SMTP_SSL", "concurrent.futures.wait"}
    | {f"django.core.mail.{name}" for name in ("send_mail", "send_mass_mail", "mail_admins", "mail_managers")}
)
# Waiting methods by type of object; all have an awaitable counterpart.
_VERBS = frozenset({*_HTTP_VERBS, "send", "stream"})
_SQL = frozenset({"execute", "scalars", "scalar", "commit", "flush", "refresh", "get"})
_REDIS = frozenset(
    {
        "get", "set", "setex", "incr", "hget", "hset", "hgetall", "lpush", "rpush", "lpop", "blpop",
        "publish", "delete", "expire", "ping", "exists", "sadd", "smembers",
    }
)  # fmt: skip
_FTP = frozenset({"connect", "login", "retrbinary", "storbinary", "nlst", "cwd"})
_MONGO = frozenset(
    {
        "find_one", "insert_one", "insert_many", "update_one", "update_many", "delete_one", "delete_many",
        "replace_one",
        "count_documents", "aggregate", "find_one_and_update",
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
    "django.core.mail.EmailMessage": frozenset({"send"}),
    "django.core.mail.EmailMultiAlternatives": frozenset({"send"}),
    "sqlalchemy.orm.Session": _SQL,
    "sqlalchemy.orm.session.Session": _SQL,
    "redis.Redis": _REDIS,
    "redis.StrictRedis": _REDIS,
    "redis.from_url": _REDIS,
    "redis.Redis.from_url": _REDIS,
    "boto3.client": _CLOUD,
    "paramiko.SSHClient": frozenset({"connect", "exec_command"}),
    "urllib3.PoolManager": frozenset({"request", "urlopen"}),
    "http.client.HTTPSConnection": frozenset({"request", "getresponse", "connect"}),
    "http.client.HTTPConnection": frozenset({"request", "getresponse", "connect"}),
    "ftplib.FTP": _FTP,
    "ftplib.FTP_TLS": _FTP,
    "kafka.KafkaProducer": frozenset({"flush"}),
    "psycopg2.connect": frozenset({"commit", "rollback"}),
    "psycopg.connect": frozenset({"execute", "commit", "rollback"}),
    "asyncio.run_coroutine_threadsafe": frozenset({"result"}),
    "pymongo.MongoClient": _MONGO,
    "stripe.StripeClient": frozenset(),
    "openai.OpenAI": frozenset({"create"}),
    "openai.AzureOpenAI": frozenset({"create"}),
    "anthropic.Anthropic": frozenset({"create"}),
}
_BELOW = frozenset({"pymongo.MongoClient", "openai.OpenAI", "openai.AzureOpenAI", "anthropic.Anthropic"})
"""Types whose attributes also wait: ``client.shop.orders.find_one()``."""
_POOL_NAME = LazyPattern(r"\w*(pool|executor|workers)", re.IGNORECASE)
_MOST_STEPS = 2
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_SAME_CALL = frozenset({"staticmethod", "classmethod", "override"})


class Wait(msgspec.Struct, frozen=True):
    """A call that waits.

    Attributes:
        description: the waiting call, as a message names it.
        kind: the type of the object, if it is a method of one.
        name: the dotted name of the function that waits itself, if one does.
    """

    description: str
    kind: str = ""
    name: str = ""


@lru_cache(maxsize=64)
def _module_of(path: str, text: str) -> PythonModule | None:
    try:
        return PythonModule(path, text)
    except _UNREADABLE:
        return None


class Waiting:
    """The waiting method calls of a module, by the types of its objects."""

    def __init__(self, module: PythonModule, project: RepositoryView | None = None) -> None:
        self._module = module
        self._project = project

    def of(self, node: ast.Call) -> Wait | None:
        """Return how a call waits by itself."""
        name = self._module.imported_name(node.func)
        if name in WAITING_CALLS:
            return Wait(f"{name}()", name=name or "")
        text = self.method_of(node)
        return None if text is None else Wait(text, text.partition("() of ")[2])

    def through(self, node: ast.Call, under_lock: bool = False, steps: int = _MOST_STEPS) -> Wait | None:
        """Return how the plain function of the project that a call reaches waits, in any module.

        Args:
            under_lock: leave out calls under a lock that the function takes itself.
        """
        if self._project is None or isinstance(self._module.parents[node], ast.Await):
            return None
        result = self._callees.definition_of(node)
        if result is None or not isinstance(result.node, ast.FunctionDef) or not _is_plain(result.node):
            return None
        waits = self._with_module(result.node, result.path)
        if waits is None:
            return None
        waiting, function = waits
        for call in _calls_of(function):
            if under_lock and any(isinstance(p, ast.With) for p in waiting.within(call, function)):
                continue
            wait = waiting.of(call) or (waiting.through(call, under_lock, steps - 1) if steps > 1 else None)
            if wait is not None:
                inner = (
                    wait.description.partition("(), which calls ")[2].removesuffix("(),")
                    or wait.description.partition("()")[0]
                )
                return Wait(f"{unparse(node.func)}(), which calls {inner}(),", wait.kind, wait.name)
        return None

    def within(self, node: ast.AST, function: FunctionNode) -> Iterator[ast.AST]:
        """Return the ancestors of a node within its function."""
        for parent in self._module.ancestors(node):
            if parent is function:
                return
            yield parent

    def _with_module(self, function: ast.FunctionDef, path: str) -> tuple[Waiting, ast.FunctionDef] | None:
        """A function with the module that defines it, which resolves its names."""
        if path == self._module.path:
            return self, function
        assert self._project is not None
        text = self._project.read(path)
        module = _module_of(path, text) if text is not None and _may_wait(text) else None
        if module is None:
            return None
        same = [n for n in module.nodes if isinstance(n, ast.FunctionDef) and n.name == function.name]
        return (Waiting(module, self._project), same[0]) if len(same) == 1 else None

    @cached_property
    def _callees(self) -> CallResolver:
        assert self._project is not None
        return CallResolver.shared(self._module, self._project)

    def method_of(self, node: ast.Call) -> str | None:
        """Return the waiting method of an object whose type the module shows."""
        func = node.func
        if not isinstance(func, ast.Attribute) or isinstance(self._module.parents[node], ast.Await):
            return None
        if func.attr == "result" and self._is_submitted(func.value):
            return f"{unparse(func)}() of concurrent.futures.Future"
        kind = self._kind_below(func.value)
        if func.attr not in WAITING_METHODS.get(kind, frozenset()):
            return None
        gives_up = any(k.arg == "block" for k in node.keywords) or any(
            isinstance(a, ast.Constant) and a.value is False for a in node.args
        )
        return None if gives_up else f"{unparse(func)}() of {kind}"

    def _kind_below(self, value: ast.expr) -> str:
        """Return the type of an object; for an attribute of an object that waits as a unit, its type."""
        kind = self._kind_named(value)
        below = value
        while not kind and isinstance(below, (ast.Attribute, ast.Subscript)):
            below = below.value
            kind = self._kind_named(below)
            kind = kind if kind in _BELOW else ""
        return kind

    def _kind_named(self, value: ast.expr) -> str:
        kinds = self._kinds.get(unparse(value), frozenset())
        return next(iter(kinds)) if len(kinds) == 1 else ""

    def _is_submitted(self, value: ast.expr) -> bool:
        """Return True if a value is the future of a call submitted to a pool of threads or processes."""
        if isinstance(value, ast.Name):
            assigned = self._module.assigned.get(value.id, []) or self._iterated_constructors(value.id)
            value = assigned[0] if len(assigned) == 1 else value
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id == "as_completed"
        ):
            return self._module.imported_name(value.func) == "concurrent.futures.as_completed"
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return False
        owner = unparse(value.func.value)
        if self._module.imported_name(value.func) == "asyncio.run_coroutine_threadsafe":
            return True
        kind = self._kind_named(value.func.value)
        is_pool = "concurrent.futures" in kind or (_POOL_NAME.fullmatch(owner.rpartition(".")[2]) is not None)
        return value.func.attr == "submit" and is_pool

    def _iterated_constructors(self, name: str) -> list[ast.expr]:
        """Return the constructors of the elements of a list that a loop iterates over under a name."""
        results: list[ast.expr] = []
        for node in self._module.nodes:
            if isinstance(node, (ast.For, ast.comprehension)) and unparse(node.target) == name:
                listed = node.iter
                if isinstance(listed, ast.Name):
                    value = self._module.assigned.get(listed.id, [])
                    listed = value[0] if len(value) == 1 else listed
                results.append(listed.elt if isinstance(listed, ast.ListComp) else listed)
        return results

    @cached_property
    def _kinds(self) -> dict[str, frozenset[str]]:
        """Map a name or attribute of self to its constructor or declared type, anywhere in the module."""
        result: dict[str, set[str]] = {}
        for node in self._module.nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                value = node.value.func if isinstance(node.value, ast.Call) else node.value
                for target in targets:
                    result.setdefault(unparse(target), set()).add(self._kind_of(value))
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                value = node.context_expr
                value = value.func if isinstance(value, ast.Call) else value
                result.setdefault(unparse(node.optional_vars), set()).add(self._kind_of(value))
            elif isinstance(node, ast.arg):
                kind = self._kind_of(node.annotation) if node.annotation is not None else "?"
                result.setdefault(node.arg, set()).add(kind)
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                result.setdefault(unparse(node.target), set()).add("?")
        for name, kinds in list(result.items()):
            passed_on = [k.removeprefix("=") for k in kinds if k.startswith("=")]
            for item in passed_on:
                result[name] = (kinds - {f"={item}"}) | (result.get(item, {"?"}) - {f"={name}"})
        return {name: frozenset(kinds) for name, kinds in result.items()}

    def _kind_of(self, made: ast.expr) -> str:
        """Return the dotted name of an import, ``=name`` for another name of the module, else ``?``."""
        return self._module.imported_name(made) or (f"={made.id}" if isinstance(made, ast.Name) else "?")


def _may_wait(text: str) -> bool:
    return any(root in text for root in WAITING_ROOTS)


def _is_plain(function: ast.FunctionDef) -> bool:
    """Return True if a call runs the function's body: not a generator, no decorator that changes it."""
    names = {unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list}
    return names <= _SAME_CALL and not any(
        isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes_run_by(function.body)
    )


def _calls_of(function: ast.FunctionDef) -> Iterator[ast.Call]:
    return (n for n in nodes_run_by(function.body) if isinstance(n, ast.Call))


WAITING_ROOTS = tuple(sorted({name.partition(".")[0] for name in (*WAITING_CALLS, *WAITING_METHODS)}))
