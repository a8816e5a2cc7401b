"""PY002."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Plane
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.checks.env_outside_settings import (
    CONVERTERS,
    SYSTEM_VARIABLE,
    EnvironmentRead,
    environment_read,
    in_settings_function,
    may_read_environment,
    reads_environment,
)

_SWITCH_NAME = LatePattern(
    r"(^|_)(DEBUG|ENABLE[DS]?|USE|IS|ALLOW|VERBOSE|FEATURE|SHOULD)(_|$)",
    re.IGNORECASE,
)
_VALUE_ERRORS = frozenset({"ValueError", "TypeError", "KeyError", "Exception", "json.JSONDecodeError"})


class EnvWithoutValidation(PythonCheck):
    """An environment variable is converted where a bad value shows too late, or not at all.

    ``int(os.environ[...])`` in a function turns a typing error in a deployment file into an exception in
    the middle of a request; ``bool(os.getenv(...))`` is true for "false" and "0". Convert in the settings
    module, at start-up, and compare switches with the words that mean yes.
    """

    ID = "PY002"
    NAME = "env-without-validation"
    PLANE = Plane.CONTRACT
    VALID: ClassVar[Sequence[str | Valid]] = [
        'import os\nPORT = int(os.environ.get("PORT", "80"))\n',
        'import os\nHAS_KEY = bool(os.environ.get("API_KEY"))\n',
        'import os\nDEBUG = os.environ.get("DEBUG", "").lower() in {"1", "true"}\n',
        'import os\nDEBUG = bool(int(os.environ.get("DEBUG", "0")))\n',
        'import os\nDEBUG = bool(os.environ.get("DEBUG") == "1")\n',
        'import os\ndef port():\n    try:\n        return int(os.environ["PORT"])\n'
        '    except ValueError:\n        raise SystemExit("PORT must be a number") from None\n',
        'import os\ndef load_config():\n    return int(os.environ["PORT"])\n',
        'import os\ndef width():\n    return int(os.environ.get("COLUMNS", "80"))\n',
        'import os\nQUIET = bool(os.environ.get("APP_SKIP_BANNER"))\n',
        Valid('import os\ndef port():\n    return int(os.environ["PORT"])\n', path="app/settings/base.py"),
        Valid('import os\ndef port():\n    return int(os.environ["PORT"])\n', path="tests/test_port.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid('import os\ndef port():\n    return int(os.environ["PORT"])\n', line=3, column=12),
        Invalid('import os\ndef wait():\n    return float(os.getenv("WAIT_S", "3"))\n', line=3, column=12),
        Invalid(
            'import json, os\ndef limits():\n    return json.loads(os.environ.get("LIMITS", "{}"))\n',
            line=3,
            column=12,
        ),
        Invalid('import os\nDEBUG = bool(os.getenv("APP_DEBUG"))\n', line=2, column=9),
        Invalid(
            'import os\nCACHE = bool(os.environ.get("CACHE", False))\n', path="settings.py", line=2, column=9
        ),
        Invalid(
            'import os\ndef cached():\n    return bool(os.environ.get("CACHE", "0"))\n', line=3, column=12
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return reads_environment(source)

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.args) != 1 or node.keywords:
            return
        converter = self.module.dotted(node.func)
        if converter != "bool" and converter not in CONVERTERS:
            return
        read = environment_read(self.module, node.args[0])
        if read is None or SYSTEM_VARIABLE.fullmatch(read.key):
            return
        if converter == "bool":
            self._look_at_switch(node, read)
        elif not self._is_checked(node):
            bad = "an unset or malformed" if read.required else "a malformed"
            self.report(
                self.module.span(node),
                f'{converter}() of environment variable "{read.key}": {bad} value fails only when this runs',
            )

    def _look_at_switch(self, node: ast.Call, read: EnvironmentRead) -> None:
        default = read.default.value if isinstance(read.default, ast.Constant) else None
        says_no = default is False or str(default).lower() in {"0", "false", "no", "off"}
        if says_no or default is True or _SWITCH_NAME.search(read.key):
            self.report(
                self.module.span(node),
                f'bool() of environment variable "{read.key}" is true for "false" and "0"',
            )

    def _is_checked(self, node: ast.Call) -> bool:
        """Whether the conversion happens at start-up or a bad value is caught."""
        if may_read_environment(self.source) or in_settings_function(self.module, node):
            return True
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Try) and child in parent.body and self._catches_bad_value(parent):
                return True
            child = parent
        return False

    def _catches_bad_value(self, node: ast.Try) -> bool:
        for handler in node.handlers:
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            if any(kind is None or self.module.dotted(kind) in _VALUE_ERRORS for kind in kinds):
                return True
        return False
