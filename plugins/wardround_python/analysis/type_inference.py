"""The certain type of a value: text, bytes, a number, a list, a result of a library's client."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from wardround.languages.python.literals import is_false, is_none
from wardround.languages.python.module import FunctionNode, PythonModule, last_name, nodes_run_by
from wardround.languages.python.tree import walk
from wardround_python.analysis.call_resolution import CallResolver

TEXT, BYTES, NUMBER = "text", "bytes", "a number"
_DEEPEST = 5
_TEXTS = """
    str repr input format ascii chr hex json.dumps os.getenv os.environ.get os.path.join os.path.basename
    os.path.dirname os.getcwd platform.system platform.machine secrets.token_hex secrets.token_urlsafe
    html.escape
    getpass.getpass textwrap.dedent urllib.parse.quote urllib.parse.urlencode yaml.dump inspect.getsource
    """
_BYTES = """
    bytes bytearray os.urandom secrets.token_bytes struct.pack pickle.dumps zlib.compress gzip.compress
    zlib.decompress gzip.decompress bz2.compress base64.b64encode base64.b64decode base64.b85encode
    base64.urlsafe_b64encode base64.urlsafe_b64decode base64.b32encode base64.b32decode orjson.dumps os.read
    base64.standard_b64encode base64.standard_b64decode binascii.hexlify binascii.unhexlify hmac.digest
    """
_NUMBERS = """
    int float len ord time.time time.monotonic os.getpid math.ceil math.floor decimal.Decimal
    """
_DATETIMES = """
    datetime.datetime.now datetime.datetime.utcnow datetime.datetime.fromisoformat datetime.datetime.strptime
    datetime.datetime.fromtimestamp django.utils.timezone.now
    """
_PATHS = """
    pathlib.Path pathlib.PurePath pathlib.Path.cwd pathlib.Path.home
    """
_CALLS: Mapping[str, str] = {
    name: kind
    for kind, names in (
        (TEXT, _TEXTS),
        (BYTES, _BYTES),
        (NUMBER, _NUMBERS),
        ("a list", "list sorted"),
        ("a set", "set frozenset"),
        ("a class", "type"),
        ("a tuple", "tuple"),
        ("a mapping", "dict collections.Counter collections.defaultdict"),
        ("an iterator", "map filter zip reversed enumerate iter"),
        ("a UUID", "uuid.UUID uuid.uuid1 uuid.uuid4 uuid.uuid5"),
        ("a datetime", _DATETIMES),
        ("a date", "datetime.date.today datetime.date.fromisoformat"),
        ("a Path", _PATHS),
    )
    for name in names.split()
}
_METHODS: Mapping[str, str] = {
    "encode": BYTES, "digest": BYTES, "read_bytes": BYTES, "to_bytes": BYTES, "recv": BYTES, "tobytes": BYTES,
    "decode": TEXT, "hexdigest": TEXT, "isoformat": TEXT, "strftime": TEXT, "read_text": TEXT,
    "as_posix": TEXT,
    "total_seconds": NUMBER, "timestamp": NUMBER, "weekday": NUMBER, "isoweekday": NUMBER,
    "bit_length": NUMBER,
    "splitlines": "a list", "rsplit": "a list", "partition": "a tuple", "rpartition": "a tuple",
}  # fmt: skip
"""Methods that return this type on any receiver."""
_PARTS = frozenset({"args", "form", "GET", "POST", "query_params", "cookies", "COOKIES", "headers"})
"""The parts of a request that hold text, by the names of the frameworks."""
_WITH_DEFAULT = frozenset({"os.getenv", "os.environ.get"})
_VIEWS = frozenset({"keys", "values", "items"})
_SAME = frozenset(
    """
    strip lstrip rstrip lower upper title capitalize casefold replace removeprefix removesuffix zfill ljust
    rjust center
    """.split()  # noqa: SIM905
)
"""Methods of text and of bytes that return the type of their receiver."""
_ANNOTATED = {
    "str": TEXT, "bytes": BYTES, "int": NUMBER, "float": NUMBER, "UUID": "a UUID", "datetime": "a datetime",
    "Path": "a Path", "date": "a date", "Decimal": NUMBER, "list": "a list", "dict": "a mapping",
    "set": "a set",
}  # fmt: skip
_CLIENTS = frozenset({"redis.Redis", "redis.StrictRedis", "redis.from_url", "redis.Redis.from_url",
    "redis.asyncio.Redis", "redis.asyncio.from_url", "redis.asyncio.Redis.from_url",
    "redis.StrictRedis.from_url"})  # fmt: skip
_ONE_VALUE = frozenset({"get", "hget", "getset", "getdel", "getex", "lpop", "rpop", "lindex", "spop", "echo"})
_MANY_VALUES = frozenset(
    {"smembers", "lrange", "hgetall", "hkeys", "hvals", "zrange", "mget", "hmget", "sinter"}
)
_OUTPUT = frozenset({"subprocess.check_output"})
_RUNS = frozenset({"subprocess.run"})
_AS_TEXT = frozenset({"text", "universal_newlines", "encoding", "errors"})
_ANSWERS = frozenset({f"{package}.{verb}" for package in ("requests", "httpx") for verb in
    ("get", "post", "put", "patch", "delete", "head", "request")})  # fmt: skip
_OF_ANSWER = {"content": BYTES, "text": TEXT, "status_code": NUMBER}
_OF_RUN = {"stdout": BYTES, "stderr": BYTES, "returncode": NUMBER}


_Given = ast.expr | ast.arg | None


class ValueKinds:
    """The types of the values of one module; empty if the text alone does not determine them."""

    def __init__(self, module: PythonModule, callees: CallResolver) -> None:
        self._module = module
        self._callees = callees
        self._known: dict[ast.expr, str] = {}
        self._bound: dict[ast.AST, Mapping[str, Sequence[_Given]]] = {}

    @classmethod
    def shared(cls, module: PythonModule, callees: CallResolver) -> ValueKinds:
        """Return the types of a module, shared by all its checks."""
        result = module.notes.get(cls)
        if not isinstance(result, ValueKinds) or result._callees is not callees:
            result = module.notes[cls] = cls(module, callees)
        return result

    def of(self, node: ast.expr, deep: int = _DEEPEST) -> str:
        """Return the type of a value."""
        if node not in self._known:
            self._known[node] = ""  # during its own inference
            self._known[node] = self._kind(node, deep - 1) if deep else ""
        return self._known[node]

    def _kind(self, node: ast.expr, deep: int) -> str:
        if isinstance(node, ast.Constant):
            return _kind_of_constant(node.value)
        for kinds, name in _DISPLAYS:
            if isinstance(node, kinds):
                return name
        if isinstance(node, ast.IfExp):
            first, second = self.of(node.body, deep), self.of(node.orelse, deep)
            return first if first == second else ""
        if isinstance(node, ast.Await):
            return self.of(node.value, deep)
        if isinstance(node, ast.NamedExpr):
            return self.of(node.value, deep)
        if isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)) and (sent := self._of_request(node)):
            return sent
        if isinstance(node, ast.Call):
            return self._of_call(node, deep)
        if isinstance(node, ast.Subscript):
            return (
                TEXT
                if self._module.imported_name(node.value) in ("os.environ", "sys.argv")
                and not (isinstance(node.slice, ast.Slice))
                else ""
            )
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, deep)
        if isinstance(node, ast.Name):
            return self._of_name(node, deep)
        return ""

    def _of_call(self, call: ast.Call, deep: int) -> str:
        func = call.func
        name = self._module.dotted(func) or ""
        is_own = isinstance(func, ast.Name) and func.id in self._bound_names
        if name in _OUTPUT:
            return "" if any(k.arg in _AS_TEXT or k.arg is None for k in call.keywords) else BYTES
        if name in _CALLS and not is_own:
            default = call.args[1] if name in _WITH_DEFAULT and len(call.args) > 1 else None
            return _CALLS[name] if default is None or self.of(default, deep) == _CALLS[name] else ""
        if isinstance(func, ast.Attribute) and self._module.imported_name(func) is None:
            kind = self._of_method(call, func, deep)
            if kind is not None:
                return kind
        callee = self._callees.definition_of(call)
        node = callee.node if callee is not None else None
        if isinstance(node, FunctionNode) and not node.decorator_list:
            return _annotated(node.returns)
        return ""

    def _of_method(self, call: ast.Call, func: ast.Attribute, deep: int) -> str | None:
        """Return the type of a method's result, "" if it is unknown; None for other methods."""
        if func.attr in ("read", "communicate"):
            return self._of_stream(func, deep)
        if func.attr in _METHODS:
            return _METHODS[func.attr] if _is_plain_call(call, func.attr) else ""
        if func.attr in _SAME:
            receiver = self.of(func.value, deep)
            return receiver if receiver in (TEXT, BYTES) else ""
        if func.attr == "split" and self.of(func.value, deep) == TEXT:
            return "a list"
        if func.attr in _VIEWS and not call.args and self.of(func.value, deep) == "a mapping":
            return "a view"
        return BYTES if func.attr in _ONE_VALUE and self._is_raw_client(func.value, deep) else None

    def _of_stream(self, func: ast.Attribute, deep: int) -> str:
        """Return the type read from a file, a response or a child process, according to its mode."""
        value = self._creating_call(func.value, deep)
        if value is None:
            return ""
        name = self._module.dotted(value.func) or ""
        if func.attr == "communicate":
            as_text = any(k.arg in _AS_TEXT or k.arg is None for k in value.keywords)
            return BYTES if name == "subprocess.Popen" and not as_text else ""
        if name == "urllib.request.urlopen":
            return BYTES
        if name != "open" and not (isinstance(value.func, ast.Attribute) and value.func.attr == "open"):
            return ""
        arguments = value.args[1 if name == "open" else 0 :][:1] + [
            k.value for k in value.keywords if k.arg == "mode"
        ]
        mode = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else ""
        return BYTES if isinstance(mode, str) and "b" in mode else ""

    def _of_request(self, node: ast.Subscript | ast.Call | ast.Attribute) -> str:
        """Return the type of data from a client: text in the parts of a request, bytes as its body."""
        packages = self._module.packages
        called = node.func if isinstance(node, ast.Call) else node
        if isinstance(called, ast.Attribute) and _is_request(called.value):
            if called.attr == "body" and "django" in packages:
                return BYTES if called is node and "rest_framework" not in packages else ""
            if called.attr == "body" and packages & {"fastapi", "starlette"}:
                return BYTES if called is not node else ""
            if called.attr in ("data", "get_data") and "flask" in packages:
                return (
                    BYTES if (called.attr == "data") == (called is node) and not _has_keywords(node) else ""
                )
        if isinstance(node, ast.Call):
            is_get = isinstance(called, ast.Attribute) and called.attr == "get"
            part = called.value if is_get and isinstance(called, ast.Attribute) else None
            if len(node.args) > 1 and self.of(node.args[1]) != TEXT:
                return ""
        else:
            part = node.value if isinstance(node, ast.Subscript) else None
        is_sent = isinstance(part, ast.Attribute) and part.attr in _PARTS and _is_request(part.value)
        return TEXT if is_sent and not _has_keywords(node) else ""

    def holds_bytes(self, node: ast.expr) -> bool:
        """Return True if a value is a list, set or mapping of bytes, as Redis returns them."""
        if isinstance(node, ast.Await):
            return self.holds_bytes(node.value)
        if isinstance(node, ast.Name):
            value = self._assigned_values(node)
            only = value[0] if len(value) == 1 else None
            return isinstance(only, (ast.Call, ast.Await)) and self.holds_bytes(only)
        func = node.func if isinstance(node, ast.Call) else None
        is_many = isinstance(func, ast.Attribute) and func.attr in _MANY_VALUES
        return is_many and isinstance(func, ast.Attribute) and self._is_raw_client(func.value, _DEEPEST)

    def _is_raw_client(self, node: ast.expr, deep: int) -> bool:
        """Return True if a value is a client of Redis that does not decode its responses."""
        value = self._creating_call(node, deep)
        return (
            value is not None
            and (self._module.dotted(value.func) or "") in _CLIENTS
            and not any(
                k.arg is None or (k.arg == "decode_responses" and not is_false(k.value))
                for k in value.keywords
            )
        )

    def _creating_call(self, node: ast.expr, deep: int) -> ast.Call | None:
        """Return the only call that creates the value of a name, an attribute or a function's result."""
        if not deep:
            return None
        if isinstance(node, ast.Call):
            result = self._callees.definition_of(node)
            if (
                result is None
                or result.path != self._module.path
                or not isinstance(result.node, FunctionNode)
            ):
                return node
            answers = [
                inner.value for inner in nodes_run_by(result.node.body) if isinstance(inner, ast.Return)
            ]
            if len(answers) != 1 or answers[0] is None:
                return None
            return self._creating_call(answers[0], deep - 1)
        if isinstance(node, ast.Await):
            return self._creating_call(node.value, deep)
        values: Sequence[_Given] = []
        if isinstance(node, ast.Name):
            values = self._assigned_values(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            values = self._self_assignments.get(node.attr, [])
        only = values[0] if len(values) == 1 else None
        return (
            self._creating_call(only, deep - 1)
            if only is not None and not isinstance(only, ast.arg)
            else None
        )

    def _of_attribute(self, node: ast.Attribute, deep: int) -> str:
        if node.attr in _OF_ANSWER or node.attr in _OF_RUN:
            value = self._creating_call(node.value, deep)
            name = (self._module.dotted(value.func) or "") if value is not None else ""
            if name in _ANSWERS:
                return _OF_ANSWER.get(node.attr, "")
            if value is not None and name in _RUNS:
                as_text = any(k.arg in _AS_TEXT or k.arg is None for k in value.keywords)
                return "" if as_text and node.attr != "returncode" else _OF_RUN.get(node.attr, "")
        return ""

    def _of_name(self, node: ast.Name, deep: int) -> str:
        value = self._assigned_values(node)
        only = value[0] if len(value) == 1 else None
        if isinstance(only, ast.arg):
            return _annotated(only.annotation)
        return self.of(only, deep) if only is not None else ""

    def _assigned_values(self, node: ast.Name) -> Sequence[_Given]:
        """Return the values that the scope of a name assigns to it; None for an unknown one."""
        scope = self._module.function_of(node)
        while scope is not None:
            result = self._bound_in(scope).get(node.id)
            if result is not None:
                return result
            scope = self._module.function_of(scope)
        if node.id in self._module.imported:
            return [None]
        return self._bound_in(self._module.tree).get(node.id, [None])

    def _bound_in(self, scope: ast.AST) -> Mapping[str, Sequence[_Given]]:
        """Return the bindings of a function, including nested functions, or of the entire module."""
        if scope not in self._bound:
            result: dict[str, list[_Given]] = {}
            for node in walk(scope):
                if isinstance(node, ast.arg):
                    result.setdefault(node.arg, []).append(node)
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    result.setdefault(node.id, []).append(self._value_for(node))
            self._bound[scope] = result
        return self._bound[scope]

    def _value_for(self, target: ast.Name) -> ast.expr | None:
        """Return the value that a target is assigned."""
        parent = self._module.parents[target]
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            return parent.value
        if isinstance(parent, ast.withitem):
            return parent.context_expr
        if isinstance(parent, ast.Tuple) and isinstance(self._module.parents[parent], ast.Assign):
            value = self._module.parents[parent].value  # type: ignore[attr-defined]
            func = value.func if isinstance(value, ast.Call) else None
            return value if isinstance(func, ast.Attribute) and func.attr == "communicate" else None
        return None

    @cached_property
    def _bound_names(self) -> frozenset[str]:
        """Return the names that the module assigns or defines."""
        return frozenset(
            n.id if isinstance(n, ast.Name) else getattr(n, "name", getattr(n, "arg", ""))
            for n in self._module.nodes
            if (isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
            or isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.arg))
        )

    @cached_property
    def _self_assignments(self) -> Mapping[str, list[ast.expr | None]]:
        result: dict[str, list[ast.expr | None]] = {}
        for node in self._module.nodes:
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                parent = self._module.parents[node]
                is_plain = isinstance(parent, (ast.Assign, ast.AnnAssign))
                result.setdefault(node.attr, []).append(parent.value if is_plain else None)  # type: ignore[attr-defined]
        return result


_DISPLAYS: tuple[tuple[type[ast.expr] | tuple[type[ast.expr], ...], str], ...] = (
    (ast.JoinedStr, TEXT),
    ((ast.List, ast.ListComp), "a list"),
    (ast.Tuple, "a tuple"),
    ((ast.Set, ast.SetComp), "a set"),
    ((ast.Dict, ast.DictComp), "a mapping"),
    (ast.GeneratorExp, "an iterator"),
)


def _is_request(node: ast.expr) -> bool:
    return last_name(node) in ("request", "req")


def _has_keywords(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and bool(node.keywords)


def _is_plain_call(call: ast.Call, name: str) -> bool:
    """Return True if a method is called as that of text or bytes is: others are also called ``encode``."""
    if name in ("encode", "decode"):
        return all(
            isinstance(argument, ast.Constant) and isinstance(argument.value, str) for argument in call.args
        )
    return len(call.args) == 1 if name == "recv" else True


def _kind_of_constant(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    return (
        TEXT
        if isinstance(value, str)
        else BYTES
        if isinstance(value, bytes)
        else (NUMBER if isinstance(value, (int, float)) else "")
    )


def _annotated(annotation: ast.expr | None) -> str:
    """Return the type an annotation names, apart from None."""
    if isinstance(annotation, ast.BinOp) and is_none(annotation.right):
        annotation = annotation.left
    annotation = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return _ANNOTATED.get(last_name(annotation), "")
