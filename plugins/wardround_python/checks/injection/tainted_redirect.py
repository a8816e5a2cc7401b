from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedRedirect(TaintedCheck):
    """Data from the request chooses the target of a redirect.

    A link to your site then leads to any other site, which is used to phish passwords. Validate the target
    with ``url_has_allowed_host_and_scheme``, or select it from a table.
    """

    ID = "PY308"
    NAME = "tainted-redirect"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "open-redirect"
    SINK = SinkKind.REDIRECT
    MESSAGE = (
        "data from the request chooses the target of the redirect; validate it or select it from a table"
    )
    WORDS = (
        "get_success_url",
        "get_next_page",
        "redirect",
        "Redirect",
        "HTTPFound",
        "HTTPSeeOther",
        "Location",
        ".location = ",
    )
    VALID = [
        code("""
            from urllib.parse import urlsplit
            from flask import redirect, request
            def go():
                target = request.args.get('next', '/')
                parts = urlsplit(target)
                if parts.scheme or parts.netloc:
                    target = '/'
                return redirect(target)
        """),
        code("""
            from django.shortcuts import redirect
            from django.utils.http import url_has_allowed_host_and_scheme
            def back(request):
                target = request.GET.get('next', '/')
                if not url_has_allowed_host_and_scheme(target, allowed_hosts=None):
                    target = '/'
                return redirect(target)
        """),
    ]
    INVALID = [
        code("""
            from flask import Response, request

            def leave():
                answer = Response(status=302)
                answer.location = «request.args['next']»
                return answer
        """),
        code("""
            from flask import Response, request

            def leave():
                return Response('', 302, {'Location': «request.args['next']»})
        """),
    ]
