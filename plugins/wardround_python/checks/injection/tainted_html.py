from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind


class TaintedHtml(TaintedCheck):
    """Data from the request reaches an HTML page unescaped.

    A link that contains a script then runs it in the visitor's browser, in the visitor's session. Render a
    template, which escapes values, use ``format_html``, or escape the value.
    """

    ID = "PY307"
    NAME = "tainted-html"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "html-injection"
    SINK = SinkKind.HTML | SinkKind.PAGE
    MESSAGE = "data from the request reaches the page unescaped; escape it or render a template"
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
    VALID = [
        code("""
            from flask import request
            @app.get('/hello')
            def hello():
                page = request.args.get('page', 1, type=int)
                return f'page {page}'
        """),
        code("""
            from django.http import HttpResponse
            def echo(request):
                return HttpResponse('note: ' + request.GET['note'], content_type='text/plain')
        """),
    ]
    INVALID = [
        code("""
            from flask import request
            @app.get('/hello')
            def hello():
                page = '<p>{0}</p>'
                return «page.format(request.args['name'], 'x')»
        """),
        code("""
            from flask import request
            @app.get('/hello')
            def hello():
                name = request.args['name']
                return «name», 404
        """),
    ]

    def is_reported(self, hit: Hit) -> bool:
        """Return True unless a later statement shows that the response is not an HTML page."""
        call = self.module.parents.get(hit.node)
        retained = self.module.parents.get(call) if isinstance(call, ast.Call) else None
        target = retained.targets[0] if isinstance(retained, ast.Assign) else None
        function = self.module.function_of(hit.node)
        if not isinstance(target, ast.Name) or function is None:
            return True
        return not any(
            isinstance(node, ast.Assign) and _sets_other_type(node, target.id) for node in walk(function)
        )


def _sets_other_type(node: ast.Assign, name: str) -> bool:
    """Return True if a statement sets a content type other than HTML on the response of a name."""
    target = unparse(node.targets[0]).lower()
    kinds = {f"{name}.mimetype", f"{name}.content_type", f"{name}.headers['content-type']"}
    is_page = isinstance(node.value, ast.Constant) and "html" in str(node.value.value)
    return target in {kind.lower() for kind in kinds} and not is_page
