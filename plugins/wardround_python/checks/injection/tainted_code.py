from __future__ import annotations

import ast

from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.request_objects import parameters
from wardround_python.dataflow.request_parameters import is_route
from wardround_python.syntax.assignments import assigned_values_of
from wardround_python.syntax.calls import called_method

_REQUEST = ("request.", "self.request.", "await request.", "flask.request.")


class TaintedCode(TaintedCheck):
    """Data from the request is run as Python, or chooses the module that is imported.

    The sender's code runs with the privileges of this process. Select from a table of functions by name, or
    parse literals with ``ast.literal_eval``.
    """

    ID = "PY304"
    NAME = "tainted-code"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "code-injection"
    SINK = SinkKind.CODE
    MESSAGE = "data from the request is run as code; select from a table of allowed names"
    WORDS = ("eval(", "exec(", "import_module", "__import__", "runpy", "runsource", "timeit",
             "getattr(", "globals()",
             "sympify", "parse_expr", "numexpr", "CDLL", "LoadLibrary", "eval_js")  # fmt: skip
    VALID = [
        code("""
            import forms
            @app.post('/<kind>')
            def save(kind):
                return getattr(forms, f'{kind}Form')(request.form)
        """),
        code("""
            import ast
            def total(request):
                return ast.literal_eval(request.GET['numbers'])
        """),
    ]
    INVALID = [
        code("""
            from fastapi import FastAPI
            app = FastAPI()
            @app.get('/apply/{name}')
            def apply(name: str):
                function = globals()[«name»]
                return function()
        """),
        code("""
            from flask import request
            def act(space):
                body = request.get_json()
                method = getattr(space, «body['action']»)
                return method()
        """),
    ]

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Report ``function = globals()[name]``; the data flow analysis covers a direct call."""
        parent = self.module.parents[node]
        if _is_namespace(node.value) and not (isinstance(parent, ast.Call) and parent.func is node):
            self._check(node.slice)

    def visit_Call(self, node: ast.Call) -> None:
        """Report ``globals().get(name)`` and ``method = getattr(store, name)`` that are called later."""
        match node:
            case ast.Call(func=ast.Attribute(value=namespace, attr="get"), args=[name, *_]):
                if _is_namespace(namespace):
                    self._check(name)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
                if self._is_called_later(node):
                    self._check(name)

    def _is_called_later(self, node: ast.Call) -> bool:
        """Return True if a value is assigned to a name that the same function calls."""
        parent, function = self.module.parents[node], self.module.function_of(node)
        target = parent.targets[0] if isinstance(parent, ast.Assign) else None
        return isinstance(target, ast.Name) and function is not None and _calls_function(function, target.id)

    def _check(self, name: ast.expr) -> None:
        function = self.module.function_of(name)
        if not isinstance(function, FunctionNode):
            return
        is_asked = isinstance(name, ast.Name) and is_route(function) and name.id in _names(function)
        if is_asked or self._is_of_request(name):
            self.report(self.module.span(name), self.MESSAGE)

    def _is_of_request(self, node: ast.expr) -> bool:
        """Return True if an expression reads the request, or a value read from it: ``body["action"]``."""
        if unparse(node).startswith(_REQUEST):
            return True
        is_get = isinstance(node, ast.Call) and called_method(node) == "get"
        if not is_get and not isinstance(node, ast.Subscript):
            return False
        root = next((inner for inner in walk(node) if isinstance(inner, ast.Name)), None)
        if root is None:
            return False
        scope = self.module.function_of(node) or self.module.tree
        return any(unparse(value).startswith(_REQUEST) for value in assigned_values_of(walk(scope), root.id))


def _calls_function(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        for node in walk(function)
    )


def _is_namespace(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id in ("globals", "locals", "vars") and not node.args


def _names(function: FunctionNode) -> set[str]:
    return {parameter.arg for parameter in parameters(function)}
