"""PY304."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.request_objects import parameters
from wardround_python.dataflow.sources import is_route

_REQUEST = ("request.", "self.request.", "await request.", "flask.request.")


class TaintedCode(TaintedCheck):
    """Data from the request is run as Python, or names the module that is imported.

    The sender's code runs with the rights of this process. Choose from a table of functions by name, or read
    literals with ``ast.literal_eval``.
    """

    ID = "PY304"
    NAME = "tainted-code"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "code-injection"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding; "
        "widened, over twenty-eight trees of 1.3 million lines: none"
    )
    DANGER = SinkKind.CODE
    MESSAGE = "data from the request is run as code"
    WORDS = ("eval(", "exec(", "import_module", "__import__", "runpy", "runsource", "timeit",
             "getattr(", "globals()",
             "sympify", "parse_expr", "numexpr", "CDLL", "LoadLibrary", "eval_js")  # fmt: skip
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import forms\n@app.post('/<kind>')\ndef save(kind):\n"
        "    return getattr(forms, f'{kind}Form')(request.form)\n",
        "import ast\ndef total(request):\n    return ast.literal_eval(request.GET['numbers'])\n",
        "NAMES = ('mean', 'median')\ndef pick(name):\n    for known in NAMES:\n        if known == name:\n"
        "            return eval('statistics.' + known)\n\ndef total(request):\n"
        "    return pick(request.GET['name'])\n",
        "import importlib\nDRIVERS = {'a': 'drivers.a'}\ndef load(request):\n"
        "    return importlib.import_module(DRIVERS[request.GET['driver']])\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/apply/{name}')\ndef apply(name: str):\n"
            "    function = globals()[name]\n    return function()\n",
            line=5,
            column=26,
        ),
        Invalid(
            "from flask import request\ndef act(space):\n    body = request.get_json()\n"
            "    method = getattr(space, body['action'])\n    return method()\n",
            line=4,
            column=29,
        ),
        Invalid(
            "def view(request, page):\n    handler = globals().get(request.GET['page'])\n"
            "    return handler(page)\n",
            line=2,
            column=29,
        ),
        Invalid(
            "import handlers\ndef run(request):\n    return getattr(handlers, request.GET['do'])()\n",
            line=3,
            column=30,
        ),
        Invalid(
            "def run(request):\n    if request.POST['kind'] == 'sum':\n        text = request.POST['text']\n"
            "        return eval(text)\n",
            line=4,
            column=21,
        ),
        Invalid(
            "import json\n\ndef run(request):\n    source = json.loads(request.body).get('source')\n"
            "    code = compile(source, '<rule>', 'exec')\n    exec(code, {})\n",
            line=6,
            column=10,
        ),
        Invalid(
            "import importlib\nfrom flask import request\n\ndef load():\n"
            "    return importlib.import_module('plugins.' + request.args['name'])\n",
            line=5,
            column=36,
        ),
        Invalid(
            "def total(request):\n    expression = request.GET.get('sum', '0')\n"
            "    return eval(expression)\n",
            line=3,
            column=17,
        ),
    ]

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """``function = globals()[name]``; where it is called at once the walk knows of it."""
        parent = self.module.parents[node]
        if _is_namespace(node.value) and not (isinstance(parent, ast.Call) and parent.func is node):
            self._look_at(node.slice)

    def visit_Call(self, node: ast.Call) -> None:
        """``globals().get(name)``; ``method = getattr(store, name)``, called afterwards."""
        func = node.func
        if node.args and isinstance(func, ast.Attribute) and func.attr == "get" and _is_namespace(func.value):
            self._look_at(node.args[0])
        elif isinstance(func, ast.Name) and func.id == "getattr" and len(node.args) > 1:
            parent, function = self.module.parents[node], self.module.function_of(node)
            target = parent.targets[0] if isinstance(parent, ast.Assign) else None
            if isinstance(target, ast.Name) and function is not None and _calls(function, target.id):
                self._look_at(node.args[1])

    def _look_at(self, name: ast.expr) -> None:
        function = self.module.function_of(name)
        if not isinstance(function, FunctionNode):
            return
        is_asked = isinstance(name, ast.Name) and is_route(function) and name.id in _names(function)
        if is_asked or self._is_of_request(name):
            self.report(self.module.span(name), self.MESSAGE)

    def _is_of_request(self, node: ast.expr) -> bool:
        """Whether an expression reads the request, or something that was read from it: ``body["action"]``."""
        if ast.unparse(node).startswith(_REQUEST):
            return True
        read = isinstance(node, ast.Subscript) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
        )
        root = next((one for one in walk(node) if isinstance(one, ast.Name)), None) if read else None
        return root is not None and any(
            isinstance(one, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == root.id for t in one.targets)
            and ast.unparse(one.value).startswith(_REQUEST)
            for one in walk(self.module.function_of(node) or self.module.tree)
        )


def _calls(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name
        for one in walk(function)
    )


def _is_namespace(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id in ("globals", "locals", "vars") and not node.args


def _names(function: FunctionNode) -> set[str]:
    return {one.arg for one in parameters(function)}
