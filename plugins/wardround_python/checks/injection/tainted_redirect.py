"""PY308."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedRedirect(TaintedCheck):
    """Data from the request chooses where the visitor is sent.

    A link to your site then leads to anybody else's, which is how people are talked into typing their
    password there. Check the target with ``url_has_allowed_host_and_scheme``, or choose it from a table.
    """

    ID = "PY308"
    NAME = "tainted-redirect"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "open-redirect"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding; "
        "widened, over twenty-eight trees of 1.3 million lines: none"
    )
    DANGER = SinkKind.REDIRECT
    MESSAGE = "data from the request chooses where the visitor is sent"
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
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from urllib.parse import urlsplit\nfrom flask import redirect, request\ndef go():\n"
        "    target = request.args.get('next', '/')\n    parts = urlsplit(target)\n"
        "    if parts.scheme or parts.netloc:\n        target = '/'\n    return redirect(target)\n",
        "from django.shortcuts import redirect\n"
        "from django.utils.http import url_has_allowed_host_and_scheme\n"
        "def back(request):\n    target = request.GET.get('next', '/')\n"
        "    if not url_has_allowed_host_and_scheme(target, allowed_hosts=None):\n        target = '/'\n"
        "    return redirect(target)\n",
        "from flask import redirect, request\ndef go():\n"
        "    return redirect(f'/users/{request.args[\"id\"]}')\n",
        "from flask import redirect, request, url_for\ndef go():\n"
        "    return redirect(url_for('user', name=request.args['name']))\n",
        "from urllib.parse import urlsplit\nfrom flask import redirect, request\ndef go():\n"
        "    target = request.args['next']\n    parts = urlsplit(target)\n"
        "    if parts.netloc != 'example.com':\n"
        "        target = '/'\n    return redirect(target)\n",
        "PARTNERS = {'shop': 'https://shop.example/'}\nfrom flask import redirect\n@app.get('/go/<name>')\n"
        "def go(name):\n    return redirect(PARTNERS[name])\n",
        "from django.shortcuts import redirect\n"
        "from django.utils.http import url_has_allowed_host_and_scheme\n"
        "def _back(request):\n    target = request.GET.get('next', '')\n"
        "    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts=None)\n"
        "    return target if is_ours else '/'\n\ndef go(request):\n    return redirect(_back(request))\n",
        "from flask import redirect, request\ndef go():\n    target = request.args['next']\n"
        "    is_strange = target not in ('/a', '/b')\n    if is_strange:\n        return redirect('/')\n"
        "    return redirect(target)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from flask import Response, request\n\ndef leave():\n    answer = Response(status=302)\n"
            "    answer.location = request.args['next']\n    return answer\n",
            line=5,
            column=23,
        ),
        Invalid(
            "from flask import Response, request\n\ndef leave():\n"
            "    return Response('', 302, {'Location': request.args['next']})\n",
            line=4,
            column=43,
        ),
        Invalid(
            "from flask import request\n\n@app.get('/leave')\ndef leave():\n"
            "    return '', 302, {'Location': request.args['next']}\n",
            line=5,
            column=34,
        ),
        Invalid(
            "from flask import redirect, request\n\ndef back():\n"
            "    return redirect(request.args.get('next') or '/')\n",
            line=4,
            column=21,
        ),
        Invalid(
            "from django.http import HttpResponseRedirect\nfrom django.views import View\n"
            "\nclass Back(View):\n"
            "    def target(self):\n        return self.request.GET.get('next') or '/'\n\n"
            "    def get(self, request):\n        return HttpResponseRedirect(self.target())\n",
            line=9,
            column=37,
        ),
        Invalid(
            "from flask import redirect, request\n\ndef back():\n    target = request.args['next']\n"
            "    if target.startswith('/'):\n        return redirect(target)\n    return redirect('/')\n",
            line=6,
            column=25,
        ),
        Invalid(
            "from flask import redirect, request\nfrom app.urls import is_safe_url\n\ndef back():\n"
            "    target = request.args['next']\n    is_ours = is_safe_url(target)\n"
            "    target = request.args['after']\n    return redirect(target if is_ours else '/')\n",
            line=8,
            column=21,
        ),
    ]
