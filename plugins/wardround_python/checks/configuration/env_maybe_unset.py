"""PY019."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.python.tree import walk
from wardround.storage.regex_cache import bounded
from wardround_python.check import PythonCheck
from wardround_python.checks.configuration.env_outside_settings import (
    CONVERTERS,
    SYSTEM_VARIABLE,
    environment_read,
    in_settings_function,
    may_read_environment,
)

# They cannot do anything with None.
_TAKES_NO_NONE = frozenset(
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
# Without them the program cannot do what it is there for, whatever else may be left out.
_NEEDED = LazyPattern(
    r"SECRET|PASSWORD|PRIVATE_KEY|SIGNING|(API|ENCRYPTION|JWT)_KEY$|_TOKEN$|DATABASE_URL|_DSN$"
    r"|_TABLE(_NAME)?$|_BUCKET(_NAME)?$"
    r"|_QUEUE(_URL|_NAME)?$|_TOPIC(_ARN)?$|_ENDPOINT$|_STREAM(_NAME)?$"
)
_MAY_LACK = LazyPattern(
    r"SENTRY|OPTIONAL|DEBUG|TEST|PROXY|SLACK|SMTP|MAIL|REDIS|METRIC|STATSD|TRACING|OTEL|DEV_|GITHUB|HF_"
    r"|OAUTH|AUTH_\w+_(ID|SECRET)|CLIENT_(ID|SECRET)"
)
_TESTS = (ast.If, ast.While, ast.IfExp, ast.Assert)
_TALK = LazyPattern(
    r"(debug|info|warning|warn|error|exception|critical|print|echo|write|\w*(Error|Exception|Exit))"
)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CATCHES = frozenset({"TypeError", "AttributeError", "Exception", "BaseException"})


class EnvMaybeUnset(PythonCheck):
    """An environment variable is used as text although it may be unset.

    ``os.getenv`` and ``os.environ.get`` give None for a variable that is not set. What is done with it here
    then fails with an error that does not name the variable, or puts the word "None" into a text. Read it
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
        read = environment_read(self.module, node)
        if read is None or read.required or read.default is not None or SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if read.key in self._looked_after or not isinstance(node.args[0], ast.Constant):
            return
        harm = next(filter(None, map(self._harm, self._uses(node))), None) or self._needed_later(node)
        if harm is not None:
            self.report(self.module.span(node), f'environment variable "{read.key}" may be unset: {harm}')

    def _needed_later(self, read: ast.Call) -> str | None:
        """What fails later: a constant of the module that is a key, a table or the like, which nothing "
        "looks at.
        """
        parent = self.module.parents[read]
        target = parent.targets[0] if isinstance(parent, ast.Assign) else None
        if not isinstance(target, ast.Name) or self.module.parents[parent] is not self.module.tree:
            return None
        name = target.id
        key = read.args[0].value if isinstance(read.args[0], ast.Constant) else ""
        if not _NEEDED.search(str(key)) or _MAY_LACK.search(str(key)):
            return None
        project = self.source.project
        others = (
            project.read(path) or ""
            for path in project.files_with_word([name], ["*.py"])
            if path != self.source.path
        )
        texts = [self.source.text, *others]
        asks = bounded(
            rf"(?:\b(?:if|elif|and|or|not|assert|while|is|in)\b|bool\(|==|!=|isinstance\()[^\n]*\b{name}\b"
            rf"|\b{name}\b\s*(?:or|is|and|if|==|!=)\b"
        )
        uses = sum(len(re.findall(rf"\b{name}\b(?!\s*=[^=])", text)) for text in texts)
        if uses < 1 or any(asks.search(text) for text in texts):
            return None
        return "nothing notices at start-up, and the first use gets None"

    @cached_property
    def _looked_after(self) -> set[str]:
        """The variables that the module tests or sets somewhere."""
        tests = [n.test for n in self.module.nodes if isinstance(n, _TESTS)]
        tested = {n.value for t in tests for n in walk(t) if isinstance(n, ast.Constant)}
        sets = re.findall(
            r"""environ(?:\.setdefault\(\s*|\[)["'](\w+)["'](?:\]\s*=[^=]|,)""", self.source.text
        )
        return {str(one) for one in tested} | set(sets)

    def _uses(self, read: ast.Call) -> Iterator[ast.expr]:
        """The read itself, or each use of the one name it is given to; nothing if that is ever looked at."""
        parent = self.module.parents[read]
        if not isinstance(parent, ast.Assign):
            yield read
            return
        target = parent.targets[0]
        if not isinstance(target, ast.Name) or len(parent.targets) > 1:
            return
        named = self._named.get(target.id, [])
        loads = [n for n in named if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        if len(loads) == len(named) - 1 and not any(map(self._is_looked_at, loads)):
            yield from loads

    @cached_property
    def _named(self) -> dict[str, list[ast.AST]]:
        """Every place that uses a name or gives it a value, in any scope."""
        found: dict[str, list[ast.AST]] = {}
        for node in self.module.nodes:
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else None
            if name is not None:
                found.setdefault(name, []).append(node)
        return found

    def _is_looked_at(self, use: ast.expr) -> bool:
        """Whether a use asks if there is a value: in a test, or beside ``or``, ``and``, ``not``, ``is``."""
        child: ast.AST = use
        for parent in self.module.ancestors(use):
            if isinstance(parent, (ast.BoolOp, ast.UnaryOp)):
                return True
            if isinstance(parent, ast.Compare) and isinstance(
                parent.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
            ):
                return True
            if isinstance(parent, _TESTS) and parent.test is child:
                return True
            if isinstance(parent, ast.comprehension) and child in parent.ifs:
                return True
            if isinstance(parent, (ast.List, ast.Tuple, ast.Dict)) and isinstance(child, ast.Name):
                return True  # a list of what is needed, to be checked in one go
            if isinstance(parent, ast.Call) and self.module.dotted(parent.func) in (
                "all",
                "any",
                "isinstance",
            ):
                return True
            if isinstance(parent, ast.stmt):
                return False
            child = parent
        return False

    def _harm(self, use: ast.expr) -> str | None:
        """What happens where the value is None."""
        parent = self.module.parents[use]
        if declared := self._declared(use, parent):
            return f"{declared} is declared as text and takes None"
        if isinstance(parent, ast.FormattedValue) and not self._only_talks(parent):
            return 'the text then says "None"'
        if not self._raises(use, parent) or self._is_caught(use):
            return None
        return "this then fails with an error that does not name it"

    def _declared(self, use: ast.expr, parent: ast.AST) -> str | None:
        """The name, field or parameter with a plain type that a value goes to."""
        if isinstance(parent, ast.AnnAssign):
            return ast.unparse(parent.target) if _is_plain(parent.annotation) else None
        if not isinstance(parent, ast.keyword) or parent.arg is None:
            return None
        call = self.module.parents[parent]
        found = self.callees.definition_of(call) if isinstance(call, ast.Call) else None
        node = found.node if found is not None else None
        if isinstance(node, ast.ClassDef):
            kinds = [
                n.annotation
                for n in node.body
                if isinstance(n, ast.AnnAssign) and ast.unparse(n.target) == parent.arg
            ]
        elif node is not None:
            kinds = [
                a.annotation
                for a in (*node.args.args, *node.args.kwonlyargs)
                if a.arg == parent.arg and a.annotation
            ]
        else:
            kinds = []
        return f'"{parent.arg}"' if kinds and _is_plain(kinds[0]) else None

    def _raises(self, use: ast.expr, parent: ast.AST) -> bool:
        if isinstance(parent, (ast.Attribute, ast.Subscript)):
            return parent.value is use
        if isinstance(parent, ast.BinOp):
            return isinstance(parent.op, ast.Add) or parent.left is use
        if isinstance(parent, ast.Compare):
            contains = isinstance(parent.ops[0], (ast.In, ast.NotIn)) and use in parent.comparators
            return contains or isinstance(parent.ops[0], _ORDERS)
        if isinstance(parent, (ast.For, ast.comprehension)):
            return parent.iter is use
        if isinstance(parent, ast.Call) and use in parent.args[:1]:
            called = self.module.dotted(parent.func) or ""
            if called in CONVERTERS:
                late = not may_read_environment(self.source) and not in_settings_function(self.module, parent)
                return not late or not isinstance(use, ast.Call)
            return called in _TAKES_NO_NONE
        return False

    def _only_talks(self, node: ast.AST) -> bool:
        """Whether a text is only logged, printed or raised."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Call):
                func = parent.func
                name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                return _TALK.fullmatch(name) is not None
            if isinstance(parent, ast.stmt):
                return isinstance(parent, (ast.Raise, ast.Assert))
        return False

    def _is_caught(self, node: ast.AST) -> bool:
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body:
                for handler in parent.handlers:
                    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                    if any(kind is None or self.module.dotted(kind) in _CATCHES for kind in kinds):
                        return True
            child = parent
        return False


def _is_plain(annotation: ast.expr) -> bool:
    named = annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)
    return named in _PLAIN_TYPES
