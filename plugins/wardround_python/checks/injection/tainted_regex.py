"""PY314."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedRegex(TaintedCheck):
    """Data from the request is matched in a way that can take for ever.

    A repeated group that can split the same text in many ways, or a pattern of the sender's own, needs
    exponential time on text made for it; one request then keeps a worker busy. Rewrite the pattern so that
    each character can match in one place only, limit the length first, or ``re.escape`` what is not meant as
    a pattern.
    """

    ID = "PY314"
    NAME = "tainted-regex"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "regex-denial-of-service"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding"
    )
    DANGER = SinkKind.PATTERN | SinkKind.BACKTRACK
    MESSAGE = "data from the request is matched in a way that can take exponential time"
    WORDS = ("regex=", "re.", "regex", "match(", "search(", "findall(", "finditer(", ".sub(")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import re\nWORDS = re.compile(r'^[a-z]+(?:-[a-z]+)*$')\ndef tags(request):\n"
        "    return WORDS.match(request.GET['tags'])\n",
        "import re\nWORDS = re.compile(r'^(\\w+\\s?)*$')\ndef tags(request):\n"
        "    text = request.GET['tags']\n"
        "    if len(text) > 50:\n        return None\n    return WORDS.match(text)\n",
        "import re\ndef find(request, text):\n    return re.search(re.escape(request.GET['q']), text)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import re\nWORDS = re.compile(r'^(\\w+\\s?)*$')\n\ndef check(text):\n"
            "    return WORDS.match(text)\n\n"
            "def tags(request):\n    return check(request.GET['tags'])\n",
            line=5,
            column=24,
        ),
        Invalid(
            "import re\nfrom flask import request\n\ndef check():\n"
            "    return re.fullmatch(r'([a-z]+)+', request.args['name'])\n",
            line=5,
            column=39,
        ),
        Invalid(
            "import re\n\ndef find(request, text):\n    return re.search(request.GET['q'], text)\n",
            line=4,
            column=22,
        ),
    ]
