"""PY307."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround.languages.python.tree import walk
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind


class TaintedHtml(TaintedCheck):
    """Data from the request goes into a page unescaped.

    A link with a script in it then runs that script in the visitor's browser, logged in as the visitor.
    Render a template, which escapes, or ``format_html``, or escape the value.
    """

    ID = "PY307"
    NAME = "tainted-html"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "html-injection"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding; "
        "widened, over twenty-eight trees of 1.3 million lines: none"
    )
    DANGER = SinkKind.HTML | SinkKind.PAGE
    MESSAGE = "data from the request goes into a page unescaped"
    WORDS = (
        "mark_safe",
        "Markup",
        "HttpResponse",
        "HTMLResponse",
        "Response(",
        "flask",
        "bottle",
        "quart",
        "format_html",
        "self.write(",
        "self.wfile.write(",
        "self.finish(",
        "html(",
        "SafeString",
        "SafeText",
        "attach_alternative",
        "html_message",
        "html=",
        "twiml=",
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from flask import request\n@app.get('/hello')\ndef hello():\n"
        "    page = request.args.get('page', 1, type=int)\n    return f'page {page}'\n",
        "from django.http import HttpResponse\ndef echo(request):\n"
        "    return HttpResponse('note: ' + request.GET['note'], content_type='text/plain')\n",
        "from django.utils.html import format_html\ndef badge(request):\n"
        "    return format_html('<b>{}</b>', request.GET['label'])\n",
        "from flask import request\nfrom markupsafe import escape\n@app.get('/hello')\ndef hello():\n"
        "    return f\"<p>Hello {escape(request.args['name'])}</p>\"\n",
        "from flask import request\n@app.get('/hello')\ndef hello():\n"
        "    return '<p>{0}</p>'.format('x', request.args['name'])\n",
        "from flask import request\n@app.get('/hello')\ndef hello():\n"
        "    return request.args['name'], 200, {'Content-Type': 'text/plain'}\n",
        "from flask import make_response, request\n@app.get('/hello')\ndef hello():\n"
        "    name = request.args['name']\n    answer = make_response(name)\n"
        "    answer.mimetype = 'text/plain'\n    return answer\n",
        "from flask import request\n@app.post('/echo')\ndef echo():\n"
        "    return {'name': request.json['name']}\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from flask import request\n@app.get('/hello')\ndef hello():\n"
            "    page = '<p>{0}</p>'\n    return page.format(request.args['name'], 'x')\n",
            line=5,
            column=12,
        ),
        Invalid(
            "from flask import request\n@app.get('/hello')\ndef hello():\n"
            "    name = request.args['name']\n    return name, 404\n",
            line=5,
            column=12,
        ),
        Invalid(
            "from flask import make_response, request\n@app.get('/hello')\ndef hello():\n"
            "    return make_response('Hello ' + request.args['name'])\n",
            line=4,
            column=26,
        ),
        Invalid(
            "from http.server import BaseHTTPRequestHandler\nclass Hello(BaseHTTPRequestHandler):\n"
            "    def do_GET(self):\n        self.wfile.write(f'<p>{self.path}</p>'.encode())\n",
            line=4,
            column=26,
        ),
        Invalid(
            "from flask import request\n\n@app.get('/hello')\ndef hello():\n"
            "    name = request.args.get('name', '')\n    return f'<p>Hello {name}</p>'\n",
            line=6,
            column=12,
        ),
        Invalid(
            "from django.http import HttpResponse\n\ndef found(request):\n"
            "    return HttpResponse('Nothing found for ' + request.GET['q'])\n",
            line=4,
            column=25,
        ),
        Invalid(
            "from django.utils.safestring import mark_safe\n\ndef badge(label):\n"
            "    return mark_safe('<b>' + label + '</b>')\n\ndef page(request):\n"
            "    return badge(request.GET.get('label') or 'member')\n",
            line=4,
            column=22,
        ),
    ]

    def counts(self, hit: Hit) -> bool:
        """Only where nothing that follows says that the answer is no page."""
        call = self.module.parents.get(hit.node)
        kept = self.module.parents.get(call) if isinstance(call, ast.Call) else None
        target = kept.targets[0] if isinstance(kept, ast.Assign) else None
        function = self.module.function_of(hit.node)
        if not isinstance(target, ast.Name) or function is None:
            return True
        return not any(isinstance(one, ast.Assign) and _types(one, target.id) for one in walk(function))


def _types(node: ast.Assign, name: str) -> bool:
    """Whether a statement gives the answer of a name another type of content than that of a page."""
    target = ast.unparse(node.targets[0]).lower()
    kinds = {f"{name}.mimetype", f"{name}.content_type", f"{name}.headers['content-type']"}
    is_page = isinstance(node.value, ast.Constant) and "html" in str(node.value.value)
    return target in {one.lower() for one in kinds} and not is_page
