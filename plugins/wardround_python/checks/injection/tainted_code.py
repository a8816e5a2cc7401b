"""PY304: tainted code."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.request_objects import parameters
from wardround_python.dataflow.request_parameters import is_route

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
        func = node.func
        if node.args and isinstance(func, ast.Attribute) and func.attr == "get" and _is_namespace(func.value):
            self._check(node.args[0])
        elif isinstance(func, ast.Name) and func.id == "getattr" and len(node.args) > 1:
            parent, function = self.module.parents[node], self.module.function_of(node)
            target = parent.targets[0] if isinstance(parent, ast.Assign) else None
            if isinstance(target, ast.Name) and function is not None and _calls(function, target.id):
                self._check(node.args[1])

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
        read = isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        )
        root = next((inner for inner in walk(node) if isinstance(inner, ast.Name)), None) if read else None
        return root is not None and any(
            isinstance(child, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == root.id for t in child.targets)
            and unparse(child.value).startswith(_REQUEST)
            for child in walk(self.module.function_of(node) or self.module.tree)
        )


def _calls(function: ast.AST, name: str) -> bool:
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
