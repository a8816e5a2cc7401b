"""PY003."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround_python.analysis.exception_handling import (
    BROAD,
    Guarded,
    catches,
    does,
    does_more_than_answer,
    explains,
    is_broad,
    is_nothing,
    is_unseen,
    sends,
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
# Errors of services: what they stand for is an outage, whatever was sent is lost.
_SERVICE_ERROR = LazyPattern(
    r"SQLAlchemyError|DatabaseError|OperationalError|RequestException|HTTPError|ClientError|RedisError|KafkaError"
    r"|SMTPException|StripeError|TwilioRestException|SlackApiError|PyMongoError|AMQPError|BotoCoreError|ApiError"
    r"|APIError|RpcError|GrpcError|ElasticsearchException|TransportError|InterfaceError"
)
# Errors of the disk or of a program that was run, but for those that also answer a question (no such file).
_NARROW_ERROR = LazyPattern(
    r"OSError|IOError|EnvironmentError|PermissionError|CalledProcessError|SubprocessError"
)
_FILE_DEED = LazyPattern(
    r"(write|save|dump|copy|move|store|extract|symlink)(_?\w+)?|rename|replace|(check_)?call|check_output"
    r"|(\w+_)?run(_\w+)?"
)
# Errors of a record that was read, and what is done with the good ones.
_DATA_ERROR = LazyPattern(
    r"ValueError|KeyError|TypeError|InvalidOperation|ValidationError|\w*(Decode|Parse)Error"
)
_KEEPS = LazyPattern(r"(save|store|insert|upsert|create|bulk_create|import|persist|execute|write)(_?\w+)?")
_MEANS_TO_SUPPRESS = LazyPattern(r"suppress|ignor|swallow|silen[ct]|catch|tolera", re.IGNORECASE)
# A comment that only talks to a tool explains nothing; a waiver of this very rule is an answer.
_MAY_BE_BROAD = LazyPattern(r"except\*?\s*(?::|[^:\n]*\b(?:Base)?Exception\b)")


class SwallowedException(PythonCheck):
    """Every exception is caught and nothing of it remains.

    A handler for all exceptions that only passes on hides typing errors and failed services alike: the
    program goes on with half its work undone and nobody can see why. Catch the exception that is
    expected, or log it; where silence is meant, say why in a comment.
    """

    ID = "PY003"
    NAME = "swallowed-exception"
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
            unseen = all(map(is_unseen, handler.body)) and does_more_than_answer(node)
            nothing = unseen or all(map(is_nothing, handler.body))
            lost = nothing and (
                is_broad(handler)
                or (catches(handler, _SERVICE_ERROR) and (does_more_than_answer(node) or sends(node.body)))
                or self._loses_a_deed(node, handler)
            )
            if (lost and not self._is_meant(node, handler)) or self._is_told_elsewhere(node, handler):
                self._report(handler)

    def visit_With(self, node: ast.With) -> None:
        self._look_at_with(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> None:
        self._look_at_with(node)

    def visit_Return(self, node: ast.Return) -> None:
        """A context manager that answers True to every error loses them all."""
        function = self.module.function_of(node) if is_true(node.value) else None
        if not isinstance(function, FunctionNode) or function.name not in ("__exit__", "__aexit__"):
            return
        told = {a.arg for a in function.args.args[2:4]}
        inside = list(nodes_run_by(function.body))
        others = any(isinstance(n, (ast.Return, ast.Raise)) and n is not node for n in inside)
        if (
            others
            or node not in function.body
            or any(isinstance(n, ast.Name) and n.id in told for n in inside)
        ):
            return
        around = "".join(self._lines(getattr(self.module.class_of(function), "lineno", 1), node.lineno + 1))
        if "#" not in around and not _MEANS_TO_SUPPRESS.search(around):
            self.report(self.module.span(node), "True for every error: whatever fails in the block is lost")

    def _look_at_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or not self._suppresses_all(call):
                continue
            near = [*self._lines(node.lineno - 1, node.body[0].lineno), *self._end_of(node, node.body)]
            meant = self._is_cleanup(node) or self._imports(node) or self._fails_later(node)
            if not meant and not self._tidies_up(node) and not explains(near):
                # Whoever writes this knows what it does; what is lost of a deed is more than an answer.
                severity = None if does_more_than_answer(node) else Severity.INFO
                message = f"{ast.unparse(call)} loses every error of this block"
                self.report(self.module.span(call), message, severity=severity)

    def _suppresses_all(self, call: ast.Call) -> bool:
        broad = any(isinstance(arg, ast.Name) and arg.id in BROAD for arg in call.args)
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
        if is_unseen(last):
            deed = "writes a line that only shows when somebody debugs"
        severity = Severity.INFO if isinstance(last, ast.Assign) or is_unseen(last) else None
        self.report(span, f"{caught} is caught and lost: the handler only {deed}", severity=severity)

    def _loses_a_deed(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Whether a narrow error means that a file was not written, a program not run, a record not kept."""
        only = handler.body[0] if len(handler.body) == 1 and not node.orelse else None
        leaves = isinstance(only, ast.Return) and (only.value is None or ast.unparse(only.value) == "None")
        if not leaves and not isinstance(only, (ast.Pass, ast.Continue)):
            return False
        if catches(handler, _NARROW_ERROR):
            return does(node.body, _FILE_DEED)
        loop = self.module.parents[node]
        if not isinstance(loop, (ast.For, ast.AsyncFor)) or not catches(handler, _DATA_ERROR):
            return False
        return isinstance(only, ast.Continue) and does(loop.body[loop.body.index(node) + 1 :], _KEEPS)

    def _is_told_elsewhere(self, node: ast.Try, handler: ast.ExceptHandler) -> bool:
        """Whether the other handlers of the module for the same errors, which were there, tell somebody."""
        if self._is_explained(node, handler) or self._is_cleanup(node) or self._fails_later(node):
            return False
        names = _names_of(handler)
        if not names or not self.source.is_added(handler.lineno) or not all(map(_says_no, handler.body)):
            return False
        others = [
            one
            for one in self.module.nodes
            if isinstance(one, ast.ExceptHandler)
            and not self.source.is_added(one.lineno)
            and names <= _names_of(one)
        ]
        return bool(others) and all(any(_tells(n) for n in nodes_run_by(one.body)) for one in others)

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
        return explains([*inside, *self._end_of(handler, handler.body), *above])

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

    def _is_cleanup(self, node: Guarded) -> bool:
        """Whether the body only tidies up, or the whole stands where an earlier failure is handled."""
        run = [n for n in nodes_run_by(node.body) if isinstance(n, ast.Call)]
        calls = [c for c in run if self.module.imported_name(c.func) != "os.path.join"]
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

    def _imports(self, node: Guarded) -> bool:
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
        answers = isinstance(handler.body[-1], ast.Return) and not does_more_than_answer(node)
        return answers and _PREDICATE.match(function.name) is not None

    def _tidies_up(self, node: ast.AST) -> bool:
        function = self.module.function_of(node)
        return isinstance(function, FunctionNode) and _CLEANUP_FUNCTION.fullmatch(function.name) is not None

    def _fails_later(self, node: Guarded) -> bool:
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


def _names_of(handler: ast.ExceptHandler) -> frozenset[str]:
    """The errors of libraries and of the project that are caught; none where one is Python's own."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = frozenset(last_name(one) for one in caught)
    return frozenset() if "" in names or any(hasattr(builtins, name) for name in names) else names


def _says_no(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Constant):
        return statement.value.value is False or statement.value.value is None
    return is_nothing(statement)


def _tells(node: ast.AST) -> bool:
    """Whether somebody hears of it: it is raised, or written where people look."""
    if isinstance(node, ast.Raise):
        return True
    return isinstance(node, ast.Call) and last_name(node.func) in (
        "exception",
        "error",
        "warning",
        "critical",
    )
