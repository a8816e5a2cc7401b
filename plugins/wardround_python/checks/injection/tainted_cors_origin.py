"""PY313."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind


class TaintedCorsOrigin(TaintedCheck):
    """Any origin that asks is allowed to read answers with the visitor's cookies.

    The origin header is sent back as the allowed one while credentials are allowed, so every site a visitor
    opens can read what they see here. Answer only origins of a fixed list.
    """

    ID = "PY313"
    NAME = "tainted-cors-origin"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "permissive-cors"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "one, wrong (sets intersected); narrowed, none since"
    )
    DANGER = SinkKind.ORIGIN
    MESSAGE = "every origin that asks may read answers with the visitor's cookies"
    WORDS = ("llow-Origin", "llow-origin")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "def add(request, response):\n    origin = request.headers.get('Origin')\n    if origin in ORIGINS:\n"
        "        response.headers['Access-Control-Allow-Origin'] = origin\n"
        "        response.headers['Access-Control-Allow-Credentials'] = 'true'\n",
        "def add(request, response):\n"
        "    response.headers['Access-Control-Allow-Origin'] = request.headers.get('Origin')\n",
        "def add(request, response):\n"
        "    response.headers['Access-Control-Allow-Origin'] = 'https://example.com'\n"
        "    response.headers['Access-Control-Allow-Credentials'] = 'true'\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def add(request, response):\n    origin = request.headers.get('Origin')\n"
            "    response.headers['Access-Control-Allow-Origin'] = origin\n"
            "    response.headers['Access-Control-Allow-Credentials'] = 'true'\n",
            line=3,
            column=55,
        ),
        Invalid(
            "def headers(request):\n    return {\n        'Access-Control-Allow-Credentials': 'true',\n"
            "        'Access-Control-Allow-Origin': request.headers['Origin'],\n    }\n",
            line=4,
            column=40,
        ),
        Invalid(
            "from flask import request\n\ndef add(response):\n"
            "    response.headers.add('Access-Control-Allow-Origin', request.headers['Origin'])\n"
            "    response.headers.add('Access-Control-Allow-Credentials', 'true')\n    return response\n",
            line=4,
            column=57,
        ),
    ]

    def counts(self, hit: Hit) -> bool:
        """Without credentials there is nothing to read that anybody could not."""
        return "allow-credentials" in self.source.text.lower()
