"""PY003."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.module import FunctionNode, nodes_run_by

_BROAD = frozenset({"Exception", "BaseException"})
_CLEANUP = frozenset(
    {
        "close", "aclose", "shutdown", "terminate", "kill", "unlink", "remove", "rmtree", "rmdir",
        "disconnect", "rollback", "release", "cancel", "stop", "join", "flush", "logout", "quit",
        "abort", "delete", "destroy", "cleanup", "detach", "dispose", "unregister", "reset_mock",
        "wait_closed",
    }
)  # fmt: skip
_CLEANUP_FUNCTION = LatePattern(
    r"__a?exit__|__del__|__repr__|__str__"
    r"|_*(a?close|shutdown|stop|cleanup|clean_up|teardown|tear_down|atexit|dispose)",
    re.IGNORECASE,
)
_PREDICATE = LatePattern(
    r"_*(is[a-z]*|has|can|should|supports?|check|valid|validate|exists|ping|try|probe|safe)(_|$)"
    r"|\w*(able|_safe|_exists|_or_none)$"
)
# A comment that only talks to a tool explains nothing; a waiver of this very rule is an answer.
_MAY_BE_BROAD = LatePattern(r"except\*?\s*(?::|[^:\n]*\b(?:Base)?Exception\b)")
_TOOL_COMMENT = LatePattern(r"#\s*(pragma|type|pylint|nosec|noqa|pyright|mypy|ruff)\b[^#]*", re.IGNORECASE)
_WAIVER = LatePattern(
    r"#\s*(noqa\b[^#]*\b(S110|S112|BLE001)\b|nosec\b|pylint:\s*disable=[^#]*(broad|W0703|W0718))"
)


class SwallowedException(PythonCheck):
    """Every exception is caught and nothing of it remains.

    A handler for all exceptions that only passes on hides typing errors and failed services alike: the
    program goes on with half its work undone and nobody can see why. Catch the exception that is
    expected, or log it; where silence is meant, say why in a comment.
    """

    ID = "PY003"
    NAME = "swallowed-exception"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "try:\n    f()\nexcept KeyError:\n    pass\n",
        "try:\n    f()\nexcept Exception:\n    # The cache is only a help.\n    pass\n",
        "try:\n    f()\nexcept Exception:\n    pass  # the cache is only a help\n",
        "try:\n    f()\nexcept Exception:\n    log.exception('f failed')\n",
        "def g():\n    try:\n        f()\n    except Exception as error:\n        return error\n",
        "try:\n    import fast\nexcept Exception:\n    fast = None\n",
        "try:\n    import fast\nexcept Exception:\n    pass\n",
        "def close(self):\n    try:\n        self.end()\n    except Exception:\n        pass\n",
        "try:\n    connection.close()\nexcept Exception:\n    pass\n",
        "def is_number(text):\n    try:\n        float(text)\n    except Exception:\n"
        "        return False\n    return True\n",
        "def g():\n    for n in range(3):\n        try:\n            return f()\n        except Exception:\n"
        "            continue\n    raise RuntimeError('f failed three times')\n",
        "try:\n    f()\nexcept Exception:\n    try:\n        g()\n    except Exception:\n"
        "        pass\n    raise\n",
        Valid(
            "def test_f():\n    try:\n        f()\n    except Exception:\n        pass\n",
            path="tests/test_f.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("try:\n    f()\nexcept Exception:\n    pass\n", line=3, column=1),
        Invalid(
            "def g():\n    try:\n        return f()\n    except:\n        return None\n", line=4, column=5
        ),
        Invalid("try:\n    f()\nexcept (OSError, Exception) as error:\n    ...\n", line=3, column=1),
        Invalid(
            "for row in rows:\n    try:\n        save(row)\n    except Exception:  # noqa: E722\n"
            "        continue\n",
            line=4,
            column=5,
        ),
        Invalid(
            "def totals():\n    try:\n        return fetch()\n    except BaseException:  # pragma: no cover\n"
            "        return {}\n",
            line=4,
            column=5,
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return _MAY_BE_BROAD.search(source.text) is not None

    def visit_Try(self, node: ast.Try) -> None:
        for handler in node.handlers:
            lost = _is_broad(handler) and all(_is_nothing(statement) for statement in handler.body)
            if lost and not self._is_meant(node, handler):
                self._report(handler)

    def _report(self, handler: ast.ExceptHandler) -> None:
        last = handler.body[-1]
        deed = "passes" if isinstance(last, (ast.Pass, ast.Expr)) else "continues"
        if isinstance(last, (ast.Return, ast.Break)):
            deed = ast.unparse(last).replace("return", "returns", 1).replace("break", "breaks", 1)
        caught = ast.unparse(handler.type) if handler.type else "every exception"
        span = self.module.keyword_span(handler, len("except"))
        self.report(span, f"{caught} is caught and lost: the handler only {deed}")

    def _is_meant(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        return (
            self._is_explained(node, handler)
            or self._is_cleanup(node)
            or self._imports(node)
            or self._serves_function(node, handler)
            or self._fails_later(node)
        )

    def _is_explained(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Whether a comment in the handler, or right above the ``try``, gives a reason."""
        lines = self.source.lines
        last = handler.end_lineno or handler.lineno
        while last < len(lines) and lines[last].lstrip().startswith("#"):
            if len(lines[last]) - len(lines[last].lstrip()) <= handler.col_offset:
                break
            last += 1
        near = [*lines[handler.lineno - 1 : last], *lines[max(node.lineno - 2, 0) : node.lineno]]
        if handler.lineno >= 2:
            near.append(lines[handler.lineno - 2])
        return any("#" in _TOOL_COMMENT.sub("", line) or _WAIVER.search(line) for line in near)

    def _is_cleanup(self, node: ast.Try) -> bool:
        """Whether the body only tidies up, or the whole stands where an earlier failure is handled."""
        calls = [n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)]
        names = [
            c.func.attr if isinstance(c.func, ast.Attribute) else getattr(c.func, "id", "") for c in calls
        ]
        if len(node.body) == 1 and any(name.lstrip("_") in _CLEANUP for name in names):
            return True
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.ExceptHandler):
                return True
            if isinstance(parent, ast.Try) and child in parent.finalbody:
                return True
            child = parent
        return False

    def _imports(self, node: ast.Try) -> bool:
        return any(
            isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in nodes_run_by(node.body)
        )

    def _serves_function(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Whether the function tidies up, or answers yes or no and this is its no."""
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode):
            return False
        if _CLEANUP_FUNCTION.fullmatch(function.name):
            return True
        answers = isinstance(handler.body[-1], ast.Return)
        return answers and _PREDICATE.match(function.name) is not None

    def _fails_later(self, node: ast.Try) -> bool:
        """Whether a ``raise`` stands after the ``try``, or after the loop around it."""
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            body = getattr(parent, "body", [])
            if isinstance(body, list) and child in body:
                after = body[body.index(child) + 1 :] + getattr(parent, "orelse", [])
                if any(isinstance(statement, ast.Raise) for statement in after):
                    return True
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return False
            child = parent
        return False


def _is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _BROAD) for kind in kinds)


def _is_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Pass, ast.Continue, ast.Break)):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) and statement.value.value is ...
    return isinstance(statement, ast.Return) and _is_empty(statement.value)


def _is_empty(value: ast.expr | None) -> bool:
    if value is None:
        return True
    if isinstance(value, ast.Constant):
        return value.value is None or value.value is False or value.value == ""
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    return isinstance(value, ast.Dict) and not value.keys
