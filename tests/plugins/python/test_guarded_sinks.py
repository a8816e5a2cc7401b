"""Tests of findings of tools that a guard refutes, as the checks know guards."""

from __future__ import annotations

import pytest
from wardround_python.specialist import PythonSpecialist

from wardround.findings import Span

_START = """\
import os, re
from pathlib import Path
from urllib.parse import urlparse
from flask import abort, redirect, request, send_file, url_for
ROOT = Path("/srv")
HOSTS = {"a.example"}

def is_safe(value):
    return urlparse(value).netloc == request.host

def view():
    value = request.args["value"]
"""
_FIRST = _START.count("\n") + 1

GUARDED = {
    "path-fullmatch": (
        "path-traversal",
        "if re.fullmatch('[a-z]+', value) is None:\n abort(400)\nopen(«value»)",
    ),
    "path-parents": (
        "path-traversal",
        "path = (ROOT / value).resolve()\nif ROOT not in path.parents:\n abort(404)\n«path».read_text()",
    ),
    "path-dots": ("path-traversal", "if '/' in value or '..' in value:\n abort(400)\nopen(«value»)"),
    "path-alnum": ("path-traversal", "if not value.isalnum():\n abort(400)\nopen(«value»)"),
    "path-helper": ("path-traversal", "if not is_safe(value):\n abort(400)\nsend_file(«value»)"),
    "path-validated": ("path-traversal", "validate_name(value)\nopen(«value»)"),
    "path-asserted": ("path-traversal", "assert value in HOSTS\nopen(«value»)"),
    "path-replaced": ("path-traversal", "name = re.sub('[^a-z]', '', value)\nopen(«name»)"),
    "redirect-parts": (
        "open-redirect",
        "parts = urlparse(value)\nif parts.netloc or parts.scheme:\n abort(400)\nredirect(«value»)",
    ),
    "redirect-hosts": (
        "open-redirect",
        "if urlparse(value).hostname not in HOSTS:\n abort(400)\nredirect(«value»)",
    ),
    "redirect-either": (
        "open-redirect",
        "redirect(«value if value.startswith('/') and '//' not in value else '/'»)",
    ),
    "redirect-named": ("open-redirect", "safe = is_safe(value)\nif safe:\n redirect(«value»)"),
    "redirect-path": ("open-redirect", "where = urlparse(value).path\nredirect(«where»)"),
    "redirect-fixed": ("open-redirect", "redirect(«url_for('index') + '?x=' + value»)"),
}
OPEN = {
    "path": ("path-traversal", "open(«value»)"),
    "path-exists": ("path-traversal", "if not os.path.exists(value):\n abort(404)\nopen(«value»)"),
    "path-after": ("path-traversal", "open(«value»)\nassert value in HOSTS"),
    "redirect": ("open-redirect", "redirect(«value»)"),
    "redirect-slash": ("open-redirect", "if value.startswith('/'):\n redirect(«value»)"),
    "unknown-source": ("path-traversal", "other = fetch()\nif other.isalnum():\n open(«other»)"),
    "unknown-place": ("path-traversal", "if value.isalnum():\n touch_file(«value»)"),
    "other-defect": ("xss", "if value.isalnum():\n open(«value»)"),
}


def _is_refuted(case: tuple[str, str]) -> bool:
    defect, marked = case
    begin, line = marked.index("«"), marked[: marked.index("«")].count("\n")
    column = begin - (marked.rfind("\n", 0, begin) + 1)
    body = marked.replace("«", "").replace("»", "")
    text = _START + "".join(f"    {item}\n" for item in body.split("\n"))
    location = Span(_FIRST + line, column + 5, _FIRST + line, column + 6)
    refutes = PythonSpecialist().refutes
    assert refutes is not None
    return refutes("a.py", text, defect, location, lambda path: None)


@pytest.mark.parametrize("case", GUARDED.values(), ids=GUARDED)
def test_a_guarded_sink_refutes_a_tool(case: tuple[str, str]) -> None:
    assert _is_refuted(case)


@pytest.mark.parametrize("case", OPEN.values(), ids=OPEN)
def test_an_unguarded_sink_refutes_nothing(case: tuple[str, str]) -> None:
    assert not _is_refuted(case)
