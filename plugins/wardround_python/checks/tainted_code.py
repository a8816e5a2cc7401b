"""PY304."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_python.taint.check import TaintedCheck
from wardround_python.taint.dangers import Danger


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
    DANGER = Danger.CODE
    MESSAGE = "data from the request is run as code"
    WORDS = ("eval(", "exec(", "import_module", "__import__", "runpy", "runsource", "timeit",
             "getattr(", "globals()",
             "sympify", "parse_expr", "numexpr", "CDLL", "LoadLibrary", "eval_js")  # fmt: skip
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import ast\ndef total(request):\n    return ast.literal_eval(request.GET['numbers'])\n",
        "NAMES = ('mean', 'median')\ndef pick(name):\n    for known in NAMES:\n        if known == name:\n"
        "            return eval('statistics.' + known)\n\ndef total(request):\n"
        "    return pick(request.GET['name'])\n",
        "import importlib\nDRIVERS = {'a': 'drivers.a'}\ndef load(request):\n"
        "    return importlib.import_module(DRIVERS[request.GET['driver']])\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
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
