from __future__ import annotations

import ast
import re

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.null_guards import is_caught
from wardround_python.check import PythonCheck
from wardround_python.checks.configuration.env_outside_settings import (
    CONVERTERS,
    SYSTEM_VARIABLE,
    EnvironmentRead,
    find_environment_read,
    is_in_settings_function,
    may_read_environment,
    reads_environment,
)

_SWITCH_NAME = LazyPattern(
    r"(^|_)(DEBUG|ENABLE[DS]?|USE|IS|ALLOW|VERBOSE|FEATURE|SHOULD)(_|$)",
    re.IGNORECASE,
)
# Boolean parameters of libraries.
_SWITCHES = frozenset(
    {"debug", "autoescape", "use_ssl", "use_tls", "echo", "autocommit", "enabled", "secure"}
)
# Most steps from a value to its source: a name, a string method, a default.
_MAX_STEPS = 4
_VALUE_ERRORS = frozenset({"ValueError", "TypeError", "KeyError", "Exception", "json.JSONDecodeError"})


class EnvWithoutValidation(PythonCheck):
    """An environment variable is converted where an invalid value surfaces too late, or never.

    ``int(os.environ[...])`` in a function turns a typo in a deployment file into an exception in the
    middle of a request; ``bool(os.getenv(...))`` is true for "false" and "0". Convert in the settings
    module, at start-up, and compare switches with the accepted words.
    """

    ID = "PY002"
    NAME = "env-without-validation"
    WORDS = ("environ", "getenv")
    PLANE = Plane.CONTRACT
    VALID = [
        code("""
            import os
            HOSTS = [h for h in os.getenv("HOSTS", "").split(",") if h]
        """),
        code("""
            import os
            HOSTS = os.getenv("HOSTS", "").split()
        """),
    ]
    INVALID = [
        code("""
            import os
            HOSTS = «os.getenv("HOSTS", "").split(",")»
        """),
        code("""
            import os
            def port():
                return «int(os.environ["PORT"])»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return reads_environment(source)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Report a boolean parameter that receives the variable's text."""
        read = find_environment_read(self.module, node.value)
        if read is not None and node.arg in _SWITCHES and not SYSTEM_VARIABLE.fullmatch(read.key):
            message = f'environment variable "{read.key}" is a string: "false" and "0" enable {node.arg}'
            self.report(self.module.span(node.value), message)

    def visit_Call(self, node: ast.Call) -> None:
        self._check_default(node)
        self._check_split(node)
        if len(node.args) == 1 and not node.keywords:
            self._check_conversion(node, self.module.qualified_name(node.func))

    def _check_conversion(self, node: ast.Call, converter: str | None) -> None:
        if converter != "bool" and converter not in CONVERTERS:
            return
        read = find_environment_read(self.module, self._source_of(node.args[0]))
        if read is None or SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if converter == "bool":
            self._check_switch(node, read)
        elif not self._is_checked(node) and not self._is_in_serverless_handler(node):
            bad = "an unset or malformed" if read.required else "a malformed"
            self.report(
                self.module.span(node),
                f'{converter}() of environment variable "{read.key}": {bad} value raises when this runs',
            )

    def _is_in_serverless_handler(self, node: ast.AST) -> bool:
        """Return True if the node is in a function that a platform calls and configures: it fails at once."""
        function = self.module.function_of(node)
        return isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
            [parameter.arg for parameter in function.args.args] == ["event", "context"]
        )

    def _source_of(self, value: ast.expr) -> ast.expr:
        """Return the expression a value derives from: the read of ``raw`` for ``raw.strip() or "5"``."""
        for _ in range(_MAX_STEPS):
            if isinstance(value, ast.BoolOp):
                value = value.values[0]
            elif isinstance(value, ast.Name) and len(self.module.assigned.get(value.id, ())) == 1:
                value = self.module.assigned[value.id][0]
            elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                if value.func.attr not in ("strip", "rstrip", "lstrip", "lower", "upper", "replace"):
                    break
                value = value.func.value
            else:
                break
        return value

    def _check_switch(self, node: ast.Call, read: EnvironmentRead) -> None:
        default = read.default.value if isinstance(read.default, ast.Constant) else None
        is_off = default is False or str(default).lower() in {"0", "false", "no", "off"}
        if is_off or default is True or _SWITCH_NAME.search(read.key):
            self.report(
                self.module.span(node),
                f'bool() of environment variable "{read.key}" is true for "false" and "0"',
            )

    def _check_default(self, node: ast.Call) -> None:
        """Report a boolean default of a read whose value is text."""
        default = node.args[1] if len(node.args) > 1 else None
        if not isinstance(default, ast.Constant) or not isinstance(default.value, bool):
            return
        read = find_environment_read(self.module, node)
        user = self.module.parents[node]
        if read is None or isinstance(user, (ast.Call, ast.Compare, ast.Attribute, ast.keyword)):
            return
        target = user.targets[0] if isinstance(user, ast.Assign) else None
        if not isinstance(target, ast.Name) or not self._is_converted(target.id):
            message = f'environment variable "{read.key}" is a string when set: "false" and "0" are true'
            self.report(self.module.span(node), message)

    def _is_converted(self, name: str) -> bool:
        """Return True if the module assigns a name again, compares it or passes it to a call."""
        if len(self.module.assigned[name]) > 1:
            return True
        uses = [n for n in self.module.nodes if isinstance(n, ast.Name) and n.id == name]
        return any(isinstance(self.module.parents[n], (ast.Compare, ast.Attribute, ast.Call)) for n in uses)

    def _check_split(self, node: ast.Call) -> None:
        """Report the split of an empty string, a list with one empty string."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr != "split" or len(node.args) != 1:
            return
        if self._has_empty_default(func.value) and not _is_filtered(self.module.parents[node]):
            message = "if the variable is unset, this list has one empty string; filter out empty parts"
            self.report(self.module.span(node), message, severity=Severity.INFO)

    def _has_empty_default(self, read: ast.expr) -> bool:
        if not isinstance(read, ast.Call) or len(read.args) != 2:
            return False
        default = read.args[1]
        is_read = self.module.imported_name(read.func) in ("os.environ.get", "os.getenv")
        return is_read and isinstance(default, ast.Constant) and default.value == ""

    def _is_checked(self, node: ast.Call) -> bool:
        """Return True if the conversion happens at start-up or an invalid value is caught."""
        if self._is_property(node):
            return is_caught(self.module, node, _VALUE_ERRORS)
        if may_read_environment(self.source) or is_in_settings_function(self.module, node):
            return True
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body and self._catches_bad_value(parent):
                return True
            child = parent
        return False

    def _is_property(self, node: ast.Call) -> bool:
        """Return True if it runs at each access of a property."""
        function = self.module.function_of(node)
        names = {
            unparse(decorator).rpartition(".")[2] for decorator in getattr(function, "decorator_list", ())
        }
        return bool(names & {"property", "cached_property"})

    def _catches_bad_value(self, node: ast.Try) -> bool:
        for handler in node.handlers:
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            if any(kind is None or self.module.qualified_name(kind) in _VALUE_ERRORS for kind in kinds):
                return True
        return False


def _is_filtered(user: ast.AST) -> bool:
    if isinstance(user, ast.Call):
        return getattr(user.func, "id", "") == "filter"
    return isinstance(user, ast.comprehension)
