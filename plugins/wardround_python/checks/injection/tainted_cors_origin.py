from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind


class TaintedCorsOrigin(TaintedCheck):
    """Any requesting origin may read responses with the visitor's cookies.

    The Origin header is returned as the allowed origin while credentials are allowed, so every site a visitor
    opens can read their data. Allow only origins of a fixed list.
    """

    ID = "PY313"
    NAME = "tainted-cors-origin"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "permissive-cors"
    SINK = SinkKind.ORIGIN
    MESSAGE = (
        "every requesting origin can read responses with the visitor's cookies; allow a fixed list of origins"
    )
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
        """Return True if credentials are allowed; without them the response is public."""
        return "allow-credentials" in self.source.text.lower()
