"""PY314: tainted regex."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedRegex(TaintedCheck):
    """Data from the request is matched in a way that can take exponential time.

    A repeated group that can split the same text in many ways, or a pattern chosen by the sender, takes
    exponential time on a crafted text; one request then blocks a worker. Rewrite the pattern so that each
    character can match in one position only, limit the length first, or apply ``re.escape`` to text that is
    not a pattern.
    """

    ID = "PY314"
    NAME = "tainted-regex"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "regex-denial-of-service"
    SINK = SinkKind.PATTERN | SinkKind.BACKTRACK
    MESSAGE = (
        "matching data from the request can take exponential time; rewrite the pattern or limit the length"
    )
    WORDS = ("regex=", "re.", "regex", "match(", "search(", "findall(", "finditer(", ".sub(")
    VALID = [
        code("""
            import re
            WORDS = re.compile(r'^[a-z]+(?:-[a-z]+)*$')
            def tags(request):
                return WORDS.match(request.GET['tags'])
        """),
        code(r"""
            import re
            WORDS = re.compile(r'^(\w+\s?)*$')
            def tags(request):
                text = request.GET['tags']
                if len(text) > 50:
                    return None
                return WORDS.match(text)
        """),
    ]
    INVALID = [
        code(r"""
            import re
            WORDS = re.compile(r'^(\w+\s?)*$')

            def check(text):
                return WORDS.match(«text»)

            def tags(request):
                return check(request.GET['tags'])
        """),
        code("""
            import re
            from flask import request

            def check():
                return re.fullmatch(r'([a-z]+)+', «request.args['name']»)
        """),
    ]
