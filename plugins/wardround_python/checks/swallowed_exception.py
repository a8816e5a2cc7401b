"""PY003."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Severity
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.module import FunctionNode, nodes_run_by

_BROAD = frozenset({"Exception", "BaseException"})
_CLEANUP = frozenset(
    {
        "close", "aclose", "shutdown", "terminate", "kill", "unlink", "remove", "rmtree", "rmdir",
        "disconnect", "rollback", "release", "cancel", "stop", "join", "flush", "logout", "quit",
        "abort", "delete", "destroy", "cleanup", "detach", "dispose", "unregister", "reset_mock",
        "wait",
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
# What changes something outside: where it fails, more is lost than an answer.
_DEED = LatePattern(
    r"_*(save|store|insert|update|delete|send|publish|commit|write|create|post|put|push|notify|charge|pay|refund"
    r"|upload|deliver|enqueue|record|add|append|persist|submit|emit|dispatch|execute|apply|import_|sync)(_\w+)?"
)
# Errors of services: what they stand for is an outage, whatever was sent is lost.
_SERVICE_ERROR = LatePattern(
    r"SQLAlchemyError|DatabaseError|OperationalError|RequestException|HTTPError|ClientError|RedisError|KafkaError"
    r"|SMTPException|StripeError|TwilioRestException|SlackApiError|PyMongoError|AMQPError|BotoCoreError|ApiError"
    r"|APIError|RpcError|GrpcError|ElasticsearchException|TransportError|InterfaceError"
)
# A comment that only talks to a tool explains nothing; a waiver of this very rule is an answer.
_MAY_BE_BROAD = LatePattern(r"except\*?\s*(?::|[^:\n]*\b(?:Base)?Exception\b)")
_TOOL_COMMENT = LatePattern(r"#\s*(pragma|type|pylint|nosec|noqa|pyright|mypy|ruff)\b[^#]*", re.IGNORECASE)
_WAIVER = LatePattern(
    r"#\s*(noqa\b[^#]*\b(S110|S112|BLE001)\b|nosec\b|pylint:\s*disable=[^#]*(broad|W0703|W0718))"
)


_Guarded = ast.Try | ast.With | ast.AsyncWith


class SwallowedException(PythonCheck):
    """Every exception is caught and nothing of it remains.

    A handler for all exceptions that only passes on hides typing errors and failed services alike: the
    program goes on with half its work undone and nobody can see why. Catch the exception that is
    expected, or log it; where silence is meant, say why in a comment.
    """

    ID = "PY003"
    NAME = "swallowed-exception"
    WORDS = ("suppress(", "except")
    TRIED_ON = (
        "twenty-three trees of 1.2 million lines, tests left out: 69; of the 18 that came with "
        "suppress(), fallbacks and nought, 15 right; the others were not read; what loses no deed is a note"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "try:\n    f()\nexcept KeyError:\n    pass\n",
        "try:\n    f()\nexcept Exception:\n    # The cache is only a help.\n    pass\n",
        "try:\n    f()\nexcept Exception:\n    pass  # the cache is only a help\n",
        "try:\n    f()\nexcept Exception:\n    log.exception('f failed')\n",
        "def g():\n    try:\n        f()\n    except Exception as error:\n        return error\n",
        "from contextlib import suppress\nwith suppress(OSError):\n    f()\n",
        "from contextlib import suppress\nwith suppress(Exception):\n    link.close()\n",
        "from contextlib import suppress\n# The cache is only a help.\nwith suppress(Exception):\n    f()\n",
        "try:\n    return_code = fetch()\nexcept HTTPError:\n    pass\n",
        "from mine import suppress\nwith suppress(Exception):\n    f()\n",
        "def is_valid(text):\n    try:\n        found.add(text)\n        return parse(text)\n"
        "    except ValueError:\n        return False\n",
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
            "def total():\n    try:\n        return sum(fetch())\n    except Exception:\n"
            "        return Decimal('0')\n",
            line=4,
            column=5,
        ),
        Invalid("try:\n    data = fetch()\nexcept Exception:\n    data = []\n", line=3, column=1),
        Invalid(
            "def f(row):\n    try:\n        session.add(row)\n        session.commit()\n"
            "    except SQLAlchemyError:\n        pass\n",
            line=5,
            column=5,
        ),
        Invalid(
            "import contextlib\ndef g():\n    with contextlib.suppress(Exception):\n        f()\n",
            line=3,
            column=10,
        ),
        Invalid(
            "def is_valid(text):\n    try:\n        table.save(parse(text))\n        return True\n"
            "    except Exception:\n        return False\n",
            line=5,
            column=5,
        ),
        Invalid(
            "def g():\n    try:\n        return f()\n    except:\n        return None\n", line=4, column=5
        ),
        Invalid("try:\n    f()\nexcept (OSError, Exception) as error:\n    ...\n", line=3, column=1),
        Invalid(
            "def f(row):\n    try:\n        table.save(row)\n    except Exception as error:\n"
            "        logger.debug('not saved: %s', error)\n",
            line=4,
            column=5,
        ),
        Invalid(
            "def f(card):\n    try:\n        bank.charge(card)\n    except Exception:\n        return True\n",
            line=4,
            column=5,
        ),
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
        text = source.text
        return (
            "suppress(" in text
            or _MAY_BE_BROAD.search(text) is not None
            or _SERVICE_ERROR.search(text) is not None
        )

    def visit_Try(self, node: ast.Try) -> None:
        for handler in node.handlers:
            unseen = all(map(_is_unseen, handler.body)) and _does_more_than_answer(node)
            nothing = unseen or all(map(_is_nothing, handler.body))
            lost = nothing and (
                _is_broad(handler) or (_is_of_service(handler) and _does_more_than_answer(node))
            )
            if lost and not self._is_meant(node, handler):
                self._report(handler)

    def visit_With(self, node: ast.With) -> None:
        self._look_at_with(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self._look_at_with(node)

    def _look_at_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or not self._suppresses_all(call):
                continue
            near = [*self._lines(node.lineno - 1, node.body[0].lineno), *self._end_of(node, node.body)]
            meant = self._is_cleanup(node) or self._imports(node) or self._fails_later(node)
            if not meant and not self._tidies_up(node) and not _explains(near):
                # Whoever writes this knows what it does; what is lost of a deed is more than an answer.
                severity = None if _does_more_than_answer(node) else Severity.INFO
                message = f"{ast.unparse(call)} loses every error of this block"
                self.report(self.module.span(call), message, severity=severity)

    def _suppresses_all(self, call: ast.Call) -> bool:
        broad = any(isinstance(arg, ast.Name) and arg.id in _BROAD for arg in call.args)
        return broad and self.module.imported_name(call.func) == "contextlib.suppress"

    def _lines(self, first: int, last: int) -> Sequence[str]:
        """The lines from one to before another, both counted from 1."""
        return self.source.lines[max(first, 1) - 1 : last - 1]

    def _report(self, handler: ast.ExceptHandler) -> None:
        last = handler.body[-1]
        deed = "passes" if isinstance(last, (ast.Pass, ast.Expr)) else "continues"
        if isinstance(last, ast.Assign):
            deed = f"says {ast.unparse(last)}"
        if isinstance(last, (ast.Return, ast.Break)):
            deed = ast.unparse(last).replace("return", "returns", 1).replace("break", "breaks", 1)
        caught = ast.unparse(handler.type) if handler.type else "every exception"
        span = self.module.keyword_span(handler, len("except"))
        if _is_unseen(last):
            deed = "writes a line that only shows when somebody debugs"
        severity = Severity.INFO if isinstance(last, ast.Assign) or _is_unseen(last) else None
        self.report(span, f"{caught} is caught and lost: the handler only {deed}", severity=severity)

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
        inside = self._lines(handler.lineno, (handler.end_lineno or handler.lineno) + 1)
        above = [
            *self._lines(node.lineno - 1, node.lineno + 1),
            *self._lines(handler.lineno - 1, handler.lineno),
        ]
        return _explains([*inside, *self._end_of(handler, handler.body), *above])

    def _end_of(
        self, node: ast.With | ast.AsyncWith | ast.ExceptHandler, body: Sequence[ast.stmt]
    ) -> list[str]:
        """The comments that follow a block and are indented as a part of it."""
        last = body[-1].end_lineno or node.lineno
        comments = []
        for line in self.source.lines[last:]:
            if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) <= node.col_offset:
                break
            comments.append(line)
        return comments

    def _is_cleanup(self, node: _Guarded) -> bool:
        """Whether the body only tidies up, or the whole stands where an earlier failure is handled."""
        calls = [n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)]
        names = [
            c.func.attr if isinstance(c.func, ast.Attribute) else getattr(c.func, "id", "") for c in calls
        ]
        # What is to be called later is named, not called: ``loop.call_soon_threadsafe(loop.stop)``.
        names += [a.attr for c in calls for a in c.args if isinstance(a, ast.Attribute)]
        if len(node.body) == 1 and any(name.lstrip("_").partition("_")[0] in _CLEANUP for name in names):
            return True
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.ExceptHandler):
                return True
            if isinstance(parent, ast.Try) and child in parent.finalbody:
                return True
            child = parent
        return False

    def _imports(self, node: _Guarded) -> bool:
        return any(
            isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in nodes_run_by(node.body)
        )

    def _serves_function(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Whether the function tidies up, or answers yes or no and this is its no."""
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode):
            return False
        if self._tidies_up(node):
            return True
        answers = isinstance(handler.body[-1], ast.Return) and not _does_more_than_answer(node)
        return answers and _PREDICATE.match(function.name) is not None

    def _tidies_up(self, node: ast.AST) -> bool:
        function = self.module.function_of(node)
        return isinstance(function, FunctionNode) and _CLEANUP_FUNCTION.fullmatch(function.name) is not None

    def _fails_later(self, node: _Guarded) -> bool:
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


def _explains(lines: Sequence[str]) -> bool:
    return any("#" in _TOOL_COMMENT.sub("", line) or _WAIVER.search(line) for line in lines)


def _does_more_than_answer(node: _Guarded) -> bool:
    """Whether the body also changes something outside, for whose failure "no" is no answer."""
    calls = [s.value for s in nodes_run_by(node.body) if isinstance(s, ast.Expr)]
    called = [call.value if isinstance(call, ast.Await) else call for call in calls]
    return any(
        isinstance(c, ast.Call) and _DEED.fullmatch(getattr(c.func, "attr", getattr(c.func, "id", "")))
        for c in called
    )


def _is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _BROAD) for kind in kinds)


def _is_of_service(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = [kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "") for kind in kinds]
    return any(_SERVICE_ERROR.fullmatch(name) for name in names)


def _is_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Pass, ast.Continue, ast.Break)):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) and statement.value.value is ...
    if isinstance(statement, ast.Assign):
        answers_no = isinstance(statement.value, ast.Constant) and statement.value.value is False
        return _is_empty(statement.value) and not answers_no and isinstance(statement.targets[0], ast.Name)
    return isinstance(statement, ast.Return) and (
        _is_empty(statement.value) or _is_zero(statement.value) or _says_yes(statement.value)
    )


def _says_yes(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def _is_unseen(statement: ast.stmt) -> bool:
    """Whether a statement writes to the log what no log shows unless somebody debugs."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(func, ast.Attribute) and func.attr == "debug" and "log" in ast.unparse(func.value).lower()
    )


def _is_zero(value: ast.expr | None) -> bool:
    """Whether a value is nought, as a number or made into one: ``Decimal("0")``."""
    if isinstance(value, ast.Call) and len(value.args) == 1:
        value = value.args[0]
    return isinstance(value, ast.Constant) and str(value.value) in ("0", "0.0", "0.00")


def _is_empty(value: ast.expr | None) -> bool:
    if value is None:
        return True
    if isinstance(value, ast.Constant):
        return value.value is None or value.value is False or value.value == ""
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    return isinstance(value, ast.Dict) and not value.keys
