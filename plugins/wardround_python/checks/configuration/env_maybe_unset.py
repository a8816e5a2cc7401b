from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_python.check import PythonCheck
from wardround_python.checks.configuration.env_outside_settings import (
    CONVERTERS,
    SYSTEM_VARIABLE,
    find_environment_read,
    is_in_settings_function,
    may_read_environment,
)

# Functions that raise for None.
_REJECTS_NONE = frozenset(
    {
        "len", "open", "sorted", "bytes.fromhex", "os.path.join", "os.path.exists", "os.path.dirname",
        "os.path.abspath", "os.path.expanduser", "os.makedirs", "os.listdir", "pathlib.Path", "shutil.which",
        "base64.b64decode", "sqlalchemy.create_engine", "sqlalchemy.ext.asyncio.create_async_engine",
        "redis.from_url", "redis.Redis.from_url", "redis.asyncio.from_url", "cryptography.fernet.Fernet",
        "datetime.timedelta", "zoneinfo.ZoneInfo", "shlex.split",
    }
    | {f"{client}.{verb}" for client in ("requests", "httpx") for verb in ("get", "post", "put", "delete")}
)  # fmt: skip
_PLAIN_TYPES = frozenset({"str", "int", "float", "bool", "Path", "bytes"})
# Variables without which the program cannot work.
_REQUIRED = LazyPattern(
    r"SECRET|PASSWORD|PRIVATE_KEY|SIGNING|(API|ENCRYPTION|JWT)_KEY$|_TOKEN$|DATABASE_URL|_DSN$"
    r"|_TABLE(_NAME)?$|_BUCKET(_NAME)?$"
    r"|_QUEUE(_URL|_NAME)?$|_TOPIC(_ARN)?$|_ENDPOINT$|_STREAM(_NAME)?$"
)
_OPTIONAL = LazyPattern(
    r"SENTRY|OPTIONAL|DEBUG|TEST|PROXY|SLACK|SMTP|MAIL|REDIS|METRIC|STATSD|TRACING|OTEL|DEV_|GITHUB|HF_"
    r"|OAUTH|AUTH_\w+_(ID|SECRET)|CLIENT_(ID|SECRET)"
)
_TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)
_REPORTING = LazyPattern(
    r"(debug|info|warning|warn|error|exception|critical|print|echo|write|\w*(Error|Exception|Exit))"
)
_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CAUGHT = frozenset({"TypeError", "AttributeError", "Exception", "BaseException"})


_TESTING_FUNCTIONS = frozenset({"all", "any", "isinstance"})


class EnvMaybeUnset(PythonCheck):
    """An environment variable that may be unset is used as a string.

    ``os.getenv`` and ``os.environ.get`` return None for a variable that is not set. Its use here then
    fails with an error that does not name the variable, or puts the text "None" into a string. Read it
    with ``os.environ[...]``, give a default, or check it at start-up.
    """

    ID = "PY019"
    NAME = "env-maybe-unset"
    WORDS = ("getenv(", "environ.get(", "os.environ", "import environ")
    SEVERITY = Severity.INFO
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "env-without-validation"
    VALID = [
        code("""
            import os
            URL = os.environ["APP_URL"] + "/v1"
        """),
        code("""
            import os
            URL = os.getenv("APP_URL", "http://a") + "/v1"
        """),
    ]
    INVALID = [
        code("""
            import os
            URL = «os.getenv("APP_URL")» + "/v1"
        """),
        code("""
            import os
            def names():
                return «os.environ.get("APP_NAMES")».split(",")
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        read = find_environment_read(self.module, node)
        if read is None or read.required or read.default is not None or SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if read.key in self._checked_keys or not isinstance(node.args[0], ast.Constant):
            return
        effect = next(filter(None, map(self._effect_of_none, self._uses(node))), None) or self._needed_later(
            node
        )
        if effect is not None:
            self.report(self.module.span(node), f'environment variable "{read.key}" may be unset: {effect}')

    def _needed_later(self, read: ast.Call) -> str | None:
        """Describe the later failure of a required module constant that nothing checks."""
        parent = self.module.parents[read]
        target = parent.targets[0] if isinstance(parent, ast.Assign) else None
        if not isinstance(target, ast.Name) or self.module.parents[parent] is not self.module.tree:
            return None
        key = str(read.args[0].value) if isinstance(read.args[0], ast.Constant) else ""
        if not _REQUIRED.search(key) or _OPTIONAL.search(key):
            return None
        is_unchecked = self._is_used_unchecked(target.id)
        return "start-up does not check it, and its first use gets None" if is_unchecked else None

    def _is_used_unchecked(self, name: str) -> bool:
        """Return True if the project uses a constant and never tests it."""
        project = self.source.project
        paths = (path for path in project.files_with_word([name], ["*.py"]) if path != self.source.path)
        texts = [self.source.text, *(project.read(path) or "" for path in paths)]
        checks_name = bounded_pattern(
            rf"(?:\b(?:if|elif|and|or|not|assert|while|is|in)\b|bool\(|==|!=|isinstance\()[^\n]*\b{name}\b"
            rf"|\b{name}\b\s*(?:or|is|and|if|==|!=)\b"
        )
        is_used = any(re.search(rf"\b{name}\b(?!\s*=[^=])", text) for text in texts)
        return is_used and not any(checks_name.search(text) for text in texts)

    @cached_property
    def _checked_keys(self) -> set[str]:
        """Variables that the module tests or sets somewhere."""
        tests = [n.test for n in self.module.nodes if isinstance(n, _TESTS)]
        tested = {n.value for t in tests for n in walk(t) if isinstance(n, ast.Constant)}
        sets = re.findall(
            r"""environ(?:\.setdefault\(\s*|\[)["'](\w+)["'](?:\]\s*=[^=]|,)""", self.source.text
        )
        return {str(item) for item in tested} | set(sets)

    def _uses(self, read: ast.Call) -> Iterator[ast.expr]:
        """Yield the read itself, or each use of the name it is assigned to unless that name is checked."""
        parent = self.module.parents[read]
        if not isinstance(parent, ast.Assign):
            yield read
            return
        target = parent.targets[0]
        if not isinstance(target, ast.Name) or len(parent.targets) > 1:
            return
        named = self._nodes_by_name.get(target.id, [])
        loads = [n for n in named if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        if len(loads) == len(named) - 1 and not any(map(self._is_checked, loads)):
            yield from loads

    @cached_property
    def _nodes_by_name(self) -> dict[str, list[ast.AST]]:
        """Name -> the nodes that use or bind it, in any scope."""
        found: dict[str, list[ast.AST]] = {}
        for node in self.module.nodes:
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else None
            if name is not None:
                found.setdefault(name, []).append(node)
        return found

    def _is_checked(self, use: ast.expr) -> bool:
        """Return True if a use checks for a value: in a test, or with ``or``, ``and``, ``not``, ``is``."""
        child: ast.AST = use
        for parent in self.module.ancestors(use):
            if _tests_child(parent, child):
                return True
            if isinstance(parent, ast.Call) and self.module.qualified_name(parent.func) in _TESTING_FUNCTIONS:
                return True
            if isinstance(parent, ast.stmt):
                return False
            child = parent
        return False

    def _effect_of_none(self, use: ast.expr) -> str | None:
        """Describe the effect of None."""
        parent = self.module.parents[use]
        if declared := self._declared_target(use, parent):
            return f"{declared} has a non-optional type and gets None"
        if isinstance(parent, ast.FormattedValue) and not self._is_only_reported(parent):
            return 'the string then contains "None"'
        if not self._raises_when_unset(use, parent) or self._is_caught(use):
            return None
        return "this then raises an error that does not name it"

    def _declared_target(self, use: ast.expr, parent: ast.AST) -> str | None:
        """Return the name, field or parameter with a plain type that a value is assigned to."""
        if isinstance(parent, ast.AnnAssign):
            return unparse(parent.target) if _is_plain(parent.annotation) else None
        if not isinstance(parent, ast.keyword) or parent.arg is None:
            return None
        call = self.module.parents[parent]
        definition = self.callees.definition_of(call) if isinstance(call, ast.Call) else None
        annotation = None if definition is None else _annotation_of(definition.node, parent.arg)
        return f'"{parent.arg}"' if annotation is not None and _is_plain(annotation) else None

    def _raises_when_unset(self, use: ast.expr, parent: ast.AST) -> bool:
        if isinstance(parent, (ast.Attribute, ast.Subscript)):
            return parent.value is use
        if isinstance(parent, ast.BinOp):
            return isinstance(parent.op, ast.Add) or parent.left is use
        if isinstance(parent, ast.Compare):
            contains = isinstance(parent.ops[0], (ast.In, ast.NotIn)) and use in parent.comparators
            return contains or isinstance(parent.ops[0], _ORDERINGS)
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is use
        return isinstance(parent, ast.Call) and use in parent.args[:1] and self._rejects_none(parent, use)

    def _rejects_none(self, call: ast.Call, use: ast.expr) -> bool:
        """Return True for a function that raises for None; PY002 reports late conversions of a read."""
        called = self.module.qualified_name(call.func) or ""
        if called not in CONVERTERS:
            return called in _REJECTS_NONE
        if not isinstance(use, ast.Call) or may_read_environment(self.source):
            return True
        return is_in_settings_function(self.module, call)

    def _is_only_reported(self, node: ast.AST) -> bool:
        """Return True if a string is only logged, printed or raised."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Call):
                func = parent.func
                name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                return _REPORTING.fullmatch(name) is not None
            if isinstance(parent, ast.stmt):
                return isinstance(parent, (ast.Raise, ast.Assert))
        return False

    def _is_caught(self, node: ast.AST) -> bool:
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body:
                for handler in parent.handlers:
                    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                    if any(kind is None or self.module.qualified_name(kind) in _CAUGHT for kind in kinds):
                        return True
            child = parent
        return False


def _is_plain(annotation: ast.expr) -> bool:
    named = annotation.value if isinstance(annotation, ast.Constant) else unparse(annotation)
    return named in _PLAIN_TYPES


def _tests_child(parent: ast.AST, child: ast.AST) -> bool:
    """Return True if a condition checks a part of the expression."""
    if isinstance(parent, ast.Compare):
        return isinstance(parent.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
    if isinstance(parent, _TESTS):
        return parent.test is child
    if isinstance(parent, ast.comprehension):
        return child in parent.ifs
    if isinstance(parent, (ast.List, ast.Tuple, ast.Dict)):
        return isinstance(child, ast.Name)  # a list of required values, checked together
    return isinstance(parent, (ast.BoolOp, ast.UnaryOp))


def _annotation_of(node: FunctionNode | ast.ClassDef, name: str) -> ast.expr | None:
    """Return the annotation of a field of a class or of a parameter of a function."""
    if isinstance(node, ast.ClassDef):
        fields = (n for n in node.body if isinstance(n, ast.AnnAssign))
        return next((n.annotation for n in fields if unparse(n.target) == name), None)
    parameters = (*node.args.args, *node.args.kwonlyargs)
    return next((a.annotation for a in parameters if a.arg == name and a.annotation), None)
