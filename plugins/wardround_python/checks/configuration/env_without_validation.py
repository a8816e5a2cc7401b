"""PY002."""

from __future__ import annotations

import ast
import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround_python.analysis.null_guards import is_caught
from wardround_python.check import PythonCheck
from wardround_python.checks.configuration.env_outside_settings import (
    CONVERTERS,
    SYSTEM_VARIABLE,
    EnvironmentRead,
    environment_read,
    in_settings_function,
    may_read_environment,
    reads_environment,
)

_SWITCH_NAME = LazyPattern(
    r"(^|_)(DEBUG|ENABLE[DS]?|USE|IS|ALLOW|VERBOSE|FEATURE|SHOULD)(_|$)",
    re.IGNORECASE,
)
# Parameters that are either on or off, in the libraries that have them.
_SWITCHES = frozenset(
    {"debug", "autoescape", "use_ssl", "use_tls", "echo", "autocommit", "enabled", "secure"}
)
# A value is followed so far: through a name, what strips it and a default.
_MOST_STEPS = 4
_VALUE_ERRORS = frozenset({"ValueError", "TypeError", "KeyError", "Exception", "json.JSONDecodeError"})


class EnvWithoutValidation(PythonCheck):
    """An environment variable is converted where a bad value shows too late, or not at all.

    ``int(os.environ[...])`` in a function turns a typing error in a deployment file into an exception in
    the middle of a request; ``bool(os.getenv(...))`` is true for "false" and "0". Convert in the settings
    module, at start-up, and compare switches with the words that mean yes.
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
        """A switch by its name that is given what the variable says, as text."""
        read = environment_read(self.module, node.value)
        if read is not None and node.arg in _SWITCHES and not SYSTEM_VARIABLE.fullmatch(read.key):
            message = f'environment variable "{read.key}" is text: "false" and "0" switch {node.arg} on'
            self.report(self.module.span(node.value), message)

    def visit_Call(self, node: ast.Call) -> None:
        self._look_at_default(node)
        self._look_at_list(node)
        if len(node.args) != 1 or node.keywords:
            return
        converter = self.module.dotted(node.func)
        if converter != "bool" and converter not in CONVERTERS:
            return
        read = environment_read(self.module, self._source_of(node.args[0]))
        if read is None or SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if converter == "bool":
            self._look_at_switch(node, read)
        elif not self._is_checked(node) and not self._is_entry(node):
            bad = "an unset or malformed" if read.required else "a malformed"
            self.report(
                self.module.span(node),
                f'{converter}() of environment variable "{read.key}": {bad} value fails only when this runs',
            )

    def _is_entry(self, node: ast.AST) -> bool:
        """Whether a platform calls the function and sets its environment: it fails at once then."""
        function = self.module.function_of(node)
        return isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
            [one.arg for one in function.args.args] == ["event", "context"]
        )

    def _source_of(self, value: ast.expr) -> ast.expr:
        """What a value is made from: ``raw.strip() or "5"`` from what ``raw`` was read from."""
        for _ in range(_MOST_STEPS):
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

    def _look_at_switch(self, node: ast.Call, read: EnvironmentRead) -> None:
        default = read.default.value if isinstance(read.default, ast.Constant) else None
        says_no = default is False or str(default).lower() in {"0", "false", "no", "off"}
        if says_no or default is True or _SWITCH_NAME.search(read.key):
            self.report(
                self.module.span(node),
                f'bool() of environment variable "{read.key}" is true for "false" and "0"',
            )

    def _look_at_default(self, node: ast.Call) -> None:
        """A default that is True or False says that a switch is read, but what is read is text."""
        default = node.args[1] if len(node.args) > 1 else None
        if not isinstance(default, ast.Constant) or not isinstance(default.value, bool):
            return
        read = environment_read(self.module, node)
        user = self.module.parents[node]
        if read is None or isinstance(user, (ast.Call, ast.Compare, ast.Attribute, ast.keyword)):
            return
        name = (
            user.targets[0].id
            if isinstance(user, ast.Assign) and isinstance(user.targets[0], ast.Name)
            else ""
        )
        if name and len(self.module.assigned[name]) > 1:
            return  # made into a switch below
        uses = [n for n in self.module.nodes if isinstance(n, ast.Name) and n.id == name and name]
        parents = [self.module.parents[use] for use in uses]
        if not any(isinstance(parent, (ast.Compare, ast.Attribute, ast.Call)) for parent in parents):
            message = f'environment variable "{read.key}" is text when set: "false" and "0" count as true'
            self.report(self.module.span(node), message)

    def _look_at_list(self, node: ast.Call) -> None:
        """The empty text is split into a list of one empty text."""
        func, parent = node.func, self.module.parents[node]
        if not isinstance(func, ast.Attribute) or func.attr != "split" or len(node.args) != 1:
            return
        read = func.value
        if (
            not isinstance(read, ast.Call)
            or len(read.args) != 2
            or not isinstance(read.args[1], ast.Constant)
        ):
            return
        sifted = isinstance(parent, ast.comprehension) or (
            isinstance(parent, ast.Call) and getattr(parent.func, "id", "") == "filter"
        )
        is_read = self.module.imported_name(read.func) in ("os.environ.get", "os.getenv")
        if is_read and read.args[1].value == "" and not sifted:
            told = "where the variable is unset this is a list of one empty text, not an empty list"
            self.report(self.module.span(node), told, severity=Severity.INFO)

    def _is_checked(self, node: ast.Call) -> bool:
        """Whether the conversion happens at start-up or a bad value is caught."""
        if self._is_property(node):
            return is_caught(self.module, node, _VALUE_ERRORS)
        if may_read_environment(self.source) or in_settings_function(self.module, node):
            return True
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body and self._catches_bad_value(parent):
                return True
            child = parent
        return False

    def _is_property(self, node: ast.Call) -> bool:
        """Whether it is worked out each time an attribute is asked for, whatever class that is of."""
        function = self.module.function_of(node)
        names = {ast.unparse(one).rpartition(".")[2] for one in getattr(function, "decorator_list", ())}
        return bool(names & {"property", "cached_property"})

    def _catches_bad_value(self, node: ast.Try) -> bool:
        for handler in node.handlers:
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            if any(kind is None or self.module.dotted(kind) in _VALUE_ERRORS for kind in kinds):
                return True
        return False
