from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_ANSWERS = LazyPattern(
    r"(?i)(response|jsonify|json|abort|HTTPException|HTTPError|make_response|html|write|finish|ServerError)$"
)
_BROAD = LazyPattern(
    r"^(Exception|BaseException|OSError|IOError|RuntimeError|KeyError|AttributeError|TypeError|"
    r"([\w.]*\.)?(SQLAlchemyError|DatabaseError|OperationalError|ProgrammingError|IntegrityError|InterfaceError|Error|"
    r"ClientError|PyMongoError|RequestException))$"
)
_HANDLING = LazyPattern(
    r"(?i)(errorhandler|exception_handler)\((500|(\w+\.)?Exception|(\w+\.)?InternalServerError)\b"
)
_WEB = (
    "Response",
    "jsonify",
    "HTTPException",
    "abort(",
    ".route(",
    "router.",
    "@app.",
    "RequestHandler",
    "APIView",
)
_TEXTS = frozenset({"str", "repr", "format"})
_OPEN_PLACES = LazyPattern(r"(?i)(^|[/_.])(tests?|testing|examples?|docs?|scripts?|cli|benchmarks?)([/_.]|$)")


class ExposedException(PythonCheck):
    """The text of an unexpected error is sent in the response.

    It names tables, paths, hosts and versions, which help an attacker. Log the error, and respond with a
    fixed message and a reference number.
    """

    ID = "PY361"
    NAME = "exposed-exception"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "information-exposure"
    WORDS = ("except", "errorhandler", "exception_handler", "os.environ")
    VALID = [
        code("""
            def view(request):
                try:
                    return go()
                except Refused as error:
                    return JsonResponse({'error': str(error)}, status=422)
        """),
        code("""
            def view(request):
                try:
                    return go()
                except Exception as error:
                    log.error('failed: %s', error)
                    return JsonResponse({'error': 'internal'}, status=500)
        """),
    ]
    INVALID = [
        code("""
            def view(request):
                try:
                    return go()
                except Exception as error:
                    return JsonResponse({'error': «str(error)»}, status=500)
        """),
        code("""
            @router.get('/a')
            def view():
                try:
                    return go()
                except Exception as error:
                    raise HTTPException(500, detail=«f'failed: {error!r}'») from error
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        is_web = any(word in source.text for word in _WEB)
        return is_web and super().wants(source) and not _OPEN_PLACES.search(source.path)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        caught = unparse(node.type) if node.type is not None else "Exception"
        kinds = [part.strip() for part in caught.strip("()").split(",")]
        function = self.module.function_of(node)
        if node.name is None or not any(map(_BROAD.search, kinds)) or isinstance(function, ast.Lambda):
            return
        if function is not None and self._handles_requests(function):
            self._check(node.body, node.name)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_function(node)

    def _check_function(self, node: FunctionNode) -> None:
        """Report a handler of all errors, and a view that returns all settings."""
        if not node.decorator_list:
            return
        decorators = [unparse(decorator) for decorator in node.decorator_list]
        if any(map(_HANDLING.search, decorators)) and node.args.args:
            self._check(node.body, node.args.args[-1].arg)
        if "environ" in self.source.text and self._handles_requests(node):
            for inner in walk(node):
                if isinstance(inner, ast.Call) and self._exposes_environment(inner):
                    self.report(
                        self.module.span(inner),
                        "all environment variables are sent in the response, "
                        "including secrets; send single values",
                    )

    def _exposes_environment(self, node: ast.Call) -> bool:
        return unparse(node) in _ENVIRONMENT_COPIES and self._is_in_response(node)

    def _check(self, body: Sequence[ast.stmt], name: str) -> None:
        for statement in body:
            for node in walk(statement):
                if (
                    self._is_exception_text(node, name)
                    and isinstance(node, ast.expr)
                    and self._is_in_response(node)
                ):
                    self.report(
                        self.module.span(node),
                        "the response contains the text of an internal error; "
                        "log it and send a fixed message",
                    )
                    return

    def _is_exception_text(self, node: ast.AST, name: str) -> bool:
        if isinstance(node, ast.FormattedValue):
            return isinstance(node.value, ast.Name) and node.value.id == name
        if isinstance(node, ast.Attribute):
            return unparse(node) in {f"{name}.args", f"{name}.original_exception", f"{name}.orig"}
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _TEXTS
            and bool(node.args)
            and unparse(node.args[0]).partition(".")[0] == name
        )

    def _handles_requests(self, function: FunctionNode) -> bool:
        if any(argument.arg in {"request", "req"} for argument in function.args.args):
            return True
        return any(map(_is_route, function.decorator_list)) or self._is_method_of_view(function)

    def _is_method_of_view(self, function: FunctionNode) -> bool:
        """Return True for a method named by a verb of HTTP, of a class that handles requests."""
        cls = self.module.class_of(function)
        bases = " ".join(map(unparse, cls.bases)) if cls is not None else ""
        return function.name in _ROUTES and any(word in bases for word in ("View", "Handler", "Resource"))

    def _is_in_response(self, node: ast.expr) -> bool:
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Call) and child is not parent.func:
                is_sent = self._sends_arguments(parent)
                if is_sent is not None:
                    return is_sent
            if isinstance(parent, ast.Assign):
                return self._is_sent_later(parent)
            if isinstance(parent, ast.stmt):
                return isinstance(parent, ast.Return) and not self._is_refusal(parent)
            child = parent
        return False

    def _sends_arguments(self, call: ast.Call) -> bool | None:
        """Return True for a response, False for a log or an error; None if the result contains them."""
        name = last_name(call.func)
        if name in _LOGS:
            return False
        if name.endswith(("Error", "Exception")) and not name.startswith("HTTP"):
            return False
        return True if _ANSWERS.search(name) and not self._is_refusal(call) else None

    def _is_refusal(self, node: ast.AST) -> bool:
        """Return True for a response to an invalid request, whose text is for the sender."""
        return any(
            isinstance(inner, ast.Constant) and type(inner.value) is int and 400 <= inner.value < 500
            for inner in walk(node)
        ) or "HTTP_4" in unparse(node)

    def _is_sent_later(self, node: ast.Assign) -> bool:
        name = last_name(node.targets[0])
        return any(
            any(isinstance(inner, ast.Name) and inner.id == name for inner in walk(later))
            and not self._is_refusal(later)
            for later in self._following_returns(node)
        )

    def _following_returns(self, node: ast.stmt) -> Iterator[ast.Return]:
        parent = self.module.parents[node]
        body = getattr(parent, "body", [])
        later = body[body.index(node) + 1 :] if node in body else []
        yield from (item for item in later if isinstance(item, ast.Return) and item.value is not None)


def _is_route(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _ROUTES
        case _:
            return False


_ENVIRONMENT_COPIES = frozenset({"dict(os.environ)", "os.environ.copy()"})
_LOGS = frozenset({"error", "exception", "warning", "critical", "debug", "info", "print", "log"})
_ROUTES = frozenset({"route", "get", "post", "put", "patch", "delete", "api_route", "head"})
