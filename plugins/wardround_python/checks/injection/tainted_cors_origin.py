"""PY313."""

from __future__ import annotations

from wardround.checks.cases import code
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
    SINK = SinkKind.ORIGIN
    MESSAGE = "every origin that asks may read answers with the visitor's cookies"
    WORDS = ("llow-Origin", "llow-origin")
    VALID = [
        code("""
            def add(request, response):
                origin = request.headers.get('Origin')
                if origin in ORIGINS:
                    response.headers['Access-Control-Allow-Origin'] = origin
                    response.headers['Access-Control-Allow-Credentials'] = 'true'
        """),
        code("""
            def add(request, response):
                response.headers['Access-Control-Allow-Origin'] = request.headers.get('Origin')
        """),
    ]
    INVALID = [
        code("""
            def add(request, response):
                origin = request.headers.get('Origin')
                response.headers['Access-Control-Allow-Origin'] = «origin»
                response.headers['Access-Control-Allow-Credentials'] = 'true'
        """),
        code("""
            def headers(request):
                return {
                    'Access-Control-Allow-Credentials': 'true',
                    'Access-Control-Allow-Origin': «request.headers['Origin']»,
                }
        """),
    ]

    def is_reported(self, hit: Hit) -> bool:
        """Without credentials there is nothing to read that anybody could not."""
        return "allow-credentials" in self.source.text.lower()
