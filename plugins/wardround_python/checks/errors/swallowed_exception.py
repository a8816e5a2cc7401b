from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.exception_handling import (
    BROAD,
    Guarded,
    calls_for_effect,
    catches_any,
    has_explaining_comment,
    has_outside_effects,
    is_broad,
    is_nothing,
    is_unseen,
    sends_and_tests,
)
from wardround_python.check import PythonCheck

_CLEANUP = frozenset(
    {
        "close", "aclose", "shutdown", "terminate", "kill", "unlink", "remove", "rmtree", "rmdir",
        "disconnect", "rollback", "release", "cancel", "stop", "join", "flush", "logout", "quit",
        "abort", "delete", "destroy", "cleanup", "detach", "dispose", "unregister", "reset_mock",
        "wait",
    }
)  # fmt: skip
_CLEANUP_FUNCTION = LazyPattern(
    r"__a?exit__|__del__|__repr__|__str__"
    r"|_*(a?close|shutdown|stop|cleanup|clean_up|teardown|tear_down|atexit|dispose)",
    re.IGNORECASE,
)
_PREDICATE = LazyPattern(
    r"_*(is[a-z]*|has|can|should|supports?|check|valid|validate|exists|ping|try|probe|safe)(_|$)"
    r"|\w*(able|_safe|_exists|_or_none)$"
)
# Errors of services: they signal an outage, and the sent data is lost.
_SERVICE_ERROR = LazyPattern(
    r"SQLAlchemyError|DatabaseError|OperationalError|RequestException|HTTPError|ClientError|RedisError|KafkaError"
    r"|SMTPException|StripeError|TwilioRestException|SlackApiError|PyMongoError|AMQPError|BotoCoreError|ApiError"
    r"|APIError|RpcError|GrpcError|ElasticsearchException|TransportError|InterfaceError"
)
# Errors of the disk or of a child process. FileNotFoundError is left out: handlers use it to test if a file
# exists.
_NARROW_ERROR = LazyPattern(
    r"OSError|IOError|EnvironmentError|PermissionError|CalledProcessError|SubprocessError"
)
_FILE_EFFECT = LazyPattern(
    r"(write|save|dump|copy|move|store|extract|symlink)(_?\w+)?|rename|replace|(check_)?call|check_output"
    r"|(\w+_)?run(_\w+)?"
)
# Errors of an input record, and the methods that store valid records.
_DATA_ERROR = LazyPattern(
    r"ValueError|KeyError|TypeError|InvalidOperation|ValidationError|\w*(Decode|Parse)Error"
)
_STORING_METHODS = LazyPattern(
    r"(save|store|insert|upsert|create|bulk_create|import|persist|execute|write)(_?\w+)?"
)
_SUPPRESSES_BY_NAME = LazyPattern(r"suppress|ignor|swallow|silen[ct]|catch|tolera", re.IGNORECASE)
# A directive to a tool is not an explanation; a suppression of this rule is one.
_MAY_BE_BROAD = LazyPattern(r"except\*?\s*(?::|[^:\n]*\b(?:Base)?Exception\b)")


class SwallowedException(PythonCheck):
    """A broad exception handler discards the error.

    A handler for all exceptions that does nothing hides bugs and failed services alike: the program
    continues with its work half done and nobody can see why. Catch the expected exception, or log it; if
    ignoring it is intended, give the reason in a comment.
    """

    ID = "PY003"
    NAME = "swallowed-exception"
    SEVERITY = Severity.INFO
    WORDS = ("suppress(", "except", "exit__")
    VALID = [
        code("""
            try:
                f()
            except KeyError:
                pass
        """),
        code("""
            try:
                f()
            except Exception:
                # The cache is only a help.
                pass
        """),
    ]
    INVALID = [
        code("""
            def put(self, key, text):
                try:
                    self.write(name + '.new', text)
                    os.replace(name + '.new', name)
                «except» OSError:
                    return None
        """),
        code("""
            def f(row):
                try:
                    reply = http.post(URL, json=row)
                    reply.raise_for_status()
                «except» RequestException:
                    pass
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return (
            "suppress(" in text
            or _MAY_BE_BROAD.search(text) is not None
            or _SERVICE_ERROR.search(text) is not None
            or _NARROW_ERROR.search(text) is not None
            or ("continue" in text and _DATA_ERROR.search(text) is not None)
            or "exit__" in text
        )

    def visit_Try(self, node: ast.Try) -> None:
        for handler in node.handlers:
            is_lost = self._is_lost(node, handler) and not self._is_intended(node, handler)
            if is_lost or self._is_reported_elsewhere(node, handler):
                self._report(handler)

    def _is_lost(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Return True if a handler does nothing visible about an error that matters."""
        has_effect = has_outside_effects(node)
        is_invisible = all(map(is_unseen, handler.body)) and has_effect
        if not is_invisible and not all(map(is_nothing, handler.body)):
            return False
        if is_broad(handler) or (
            catches_any(handler, _SERVICE_ERROR) and (has_effect or sends_and_tests(node.body))
        ):
            return True
        return self._loses_effect(node, handler)

    def visit_With(self, node: ast.With) -> None:
        self._check_with(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self._check_with(node)

    def visit_Return(self, node: ast.Return) -> None:
        """Report a context manager that returns True for every exception."""
        function = self.module.function_of(node) if is_true(node.value) else None
        if not isinstance(function, FunctionNode) or function.name not in ("__exit__", "__aexit__"):
            return
        if node not in function.body or _is_selective(function, node):
            return
        class_text = "".join(
            self._lines(getattr(self.module.class_of(function), "lineno", 1), node.lineno + 1)
        )
        if "#" not in class_text and not _SUPPRESSES_BY_NAME.search(class_text):
            self.report(
                self.module.span(node),
                "returning True suppresses every exception of the with block; return it for expected ones",
            )

    def _check_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or not self._suppresses_all(call):
                continue
            nearby_lines = [
                *self._lines(node.lineno - 1, node.body[0].lineno),
                *self._end_of(node, node.body),
            ]
            is_intended = self._is_cleanup(node) or self._contains_import(node) or self._fails_later(node)
            if not is_intended and not self._tidies_up(node) and not has_explaining_comment(nearby_lines):
                # Suppression is deliberate here; a lost side effect is worse than a lost result.
                severity = None if has_outside_effects(node) else Severity.INFO
                message = f"{unparse(call)} discards every error of this block; suppress the expected one"
                self.report(self.module.span(call), message, severity=severity)

    def _suppresses_all(self, call: ast.Call) -> bool:
        broad = any(isinstance(arg, ast.Name) and arg.id in BROAD for arg in call.args)
        return broad and self.module.imported_name(call.func) == "contextlib.suppress"

    def _lines(self, first: int, last: int) -> Sequence[str]:
        """Return the lines from first to before last, both 1-based."""
        return self.source.lines[max(first, 1) - 1 : last - 1]

    def _report(self, handler: ast.ExceptHandler) -> None:
        last = handler.body[-1]
        action = "passes" if isinstance(last, (ast.Pass, ast.Expr)) else "continues"
        if isinstance(last, ast.Assign):
            action = f"sets {unparse(last)}"
        if isinstance(last, (ast.Return, ast.Break)):
            action = unparse(last).replace("return", "returns", 1).replace("break", "breaks", 1)
        caught = unparse(handler.type) if handler.type else "every exception"
        span = self.module.keyword_span(handler, len("except"))
        if is_unseen(last):
            action = "logs at debug level"
        severity = Severity.INFO if isinstance(last, ast.Assign) or is_unseen(last) else None
        self.report(span, f"{caught} is caught and discarded: the handler only {action}", severity=severity)

    def _loses_effect(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Return True if a narrow error means a file not written, a program not run, a record not saved."""
        sole = handler.body[0] if len(handler.body) == 1 and not node.orelse else None
        if not isinstance(sole, (ast.Pass, ast.Continue)) and not _returns_none(sole):
            return False
        if catches_any(handler, _NARROW_ERROR):
            return calls_for_effect(node.body, _FILE_EFFECT)
        loop = self.module.parents[node]
        if not isinstance(loop, (ast.For, ast.AsyncFor)) or not catches_any(handler, _DATA_ERROR):
            return False
        following = loop.body[loop.body.index(node) + 1 :]
        return isinstance(sole, ast.Continue) and calls_for_effect(following, _STORING_METHODS)

    def _is_reported_elsewhere(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Return True if the older handlers of the module for the same errors report them."""
        if self._is_explained(node, handler) or self._is_cleanup(node) or self._fails_later(node):
            return False
        if not self.source.is_added(handler.lineno) or not all(map(_is_negative_result, handler.body)):
            return False
        others = self._older_handlers(_names_of(handler))
        return bool(others) and all(any(map(_reports_error, nodes_run_by(other.body))) for other in others)

    def _older_handlers(self, names: frozenset[str]) -> list[ast.ExceptHandler]:
        """Return the unchanged handlers of the module that catch all of some exceptions."""
        handlers = [n for n in self.module.nodes if isinstance(n, ast.ExceptHandler)] if names else []
        return [n for n in handlers if not self.source.is_added(n.lineno) and names <= _names_of(n)]

    def _is_intended(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        return (
            self._is_explained(node, handler)
            or self._is_cleanup(node)
            or self._contains_import(node)
            or self._serves_function(node, handler)
            or self._fails_later(node)
        )

    def _is_explained(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Return True if a comment in the handler, or directly above the ``try``, gives a reason."""
        inside = self._lines(handler.lineno, (handler.end_lineno or handler.lineno) + 1)
        above = [
            *self._lines(node.lineno - 1, node.lineno + 1),
            *self._lines(handler.lineno - 1, handler.lineno),
        ]
        return has_explaining_comment([*inside, *self._end_of(handler, handler.body), *above])

    def _end_of(
        self, node: ast.With | ast.AsyncWith | ast.ExceptHandler, body: Sequence[ast.stmt]
    ) -> list[str]:
        """Return the comments that follow a block and are indented as part of it."""
        last = body[-1].end_lineno or node.lineno
        comments = []
        for line in self.source.lines[last:]:
            if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) <= node.col_offset:
                break
            comments.append(line)
        return comments

    def _is_cleanup(self, node: Guarded) -> bool:
        """Return True if the body only cleans up, or the statement is part of handling an earlier failure."""
        if len(node.body) == 1 and any(map(_is_cleanup_name, self._called_names(node))):
            return True
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.ExceptHandler):
                return True
            if isinstance(parent, ast.Try) and child in parent.finalbody:
                return True
            child = parent
        return False

    def _called_names(self, node: Guarded) -> Iterator[str]:
        """Yield the names of the functions that a body calls or passes to a call."""
        for call in (n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)):
            if self.module.imported_name(call.func) != "os.path.join":
                yield call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                # A deferred call is referenced, not called: ``loop.call_soon_threadsafe(loop.stop)``.
                yield from (argument.attr for argument in call.args if isinstance(argument, ast.Attribute))

    def _contains_import(self, node: Guarded) -> bool:
        return any(
            isinstance(statement, (ast.Import, ast.ImportFrom)) for statement in nodes_run_by(node.body)
        )

    def _serves_function(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Return True if the function cleans up, or is a predicate and this is its negative result."""
        function = self.module.function_of(node)
        if not isinstance(function, FunctionNode):
            return False
        if self._tidies_up(node):
            return True
        is_result = isinstance(handler.body[-1], ast.Return) and not has_outside_effects(node)
        return is_result and _PREDICATE.match(function.name) is not None

    def _tidies_up(self, node: ast.AST) -> bool:
        function = self.module.function_of(node)
        return isinstance(function, FunctionNode) and _CLEANUP_FUNCTION.fullmatch(function.name) is not None

    def _fails_later(self, node: Guarded) -> bool:
        """Return True if a ``raise`` follows the ``try``, or the loop around it."""
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


def _names_of(handler: ast.ExceptHandler) -> frozenset[str]:
    """Return the caught exceptions of libraries and of the project; empty if one is a builtin."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = frozenset(last_name(item) for item in caught)
    return frozenset() if "" in names or any(hasattr(builtins, name) for name in names) else names


def _is_negative_result(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Constant):
        return statement.value.value is False or statement.value.value is None
    return is_nothing(statement)


def _reports_error(node: ast.AST) -> bool:
    """Return True if a node reports the error: a raise, or a log call."""
    if isinstance(node, ast.Raise):
        return True
    return isinstance(node, ast.Call) and last_name(node.func) in (
        "exception",
        "error",
        "warning",
        "critical",
    )


def _is_selective(function: FunctionNode, node: ast.Return) -> bool:
    """Return True if an ``__exit__`` has another exit or uses the exception."""
    exception_parameters = {a.arg for a in function.args.args[2:4]}
    inside = [n for n in nodes_run_by(function.body) if n is not node]
    return any(
        isinstance(n, (ast.Return, ast.Raise)) or (isinstance(n, ast.Name) and n.id in exception_parameters)
        for n in inside
    )


def _returns_none(statement: ast.stmt | None) -> bool:
    if not isinstance(statement, ast.Return):
        return False
    return statement.value is None or unparse(statement.value) == "None"


def _is_cleanup_name(name: str) -> bool:
    return name.lstrip("_").partition("_")[0] in _CLEANUP
