"""PY303."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.semantics.dataflow.domain import ARCHIVE
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind


class TaintedPath(TaintedCheck):
    """Data from the request, or a name inside an archive, chooses which file is touched.

    With ``../`` or a leading slash the sender reaches files outside the folder that was meant. Keep only the
    last part of the name, or resolve the path and check that it is still below the folder.
    """

    ID = "PY303"
    NAME = "tainted-path"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "path-traversal"
    SINK = SinkKind.PATH
    MESSAGE = "data from the request chooses which file is touched"
    ARCHIVE_MESSAGE = "a name inside the archive chooses which file is touched"
    WORDS = (
        "sqlite3", "FileHandler", "loadtxt", "numpy", "open(", "os.", "shutil", "send_",
        "FileResponse", "read_", "write_", "unlink", "save(",
        "static_file", "glob", "fileinput", "mkdir", "touch(",
        "iterdir", "ZipFile", "tarfile", "rmtree",
    )  # fmt: skip
    VALID = [
        code("""
            import os
            def read(request):
                name = os.path.basename(request.GET['name'])
                return open(os.path.join('/data', name)).read()
        """),
        code("""
            from pathlib import Path
            ROOT = Path('/data')
            def read(request):
                path = (ROOT / request.GET['name']).resolve()
                if not path.is_relative_to(ROOT):
                    raise PermissionError
                return path.read_text()
        """),
    ]
    INVALID = [
        code("""
            import os, shutil
            from flask import request

            def renew():
                place = os.path.join('/data', request.args['name'])
                shutil.rmtree(«place»)
                inner = os.path.join(place, 'out')
                os.makedirs(inner)
        """),
        code("""
            import os
            from flask import request, send_file

            def download():
                path = os.path.join('/data', request.args['name'])
                if not os.path.isfile(path):
                    return 'gone', 404
                return send_file(«path»)
        """),
    ]

    def report_key(self, hit: Hit) -> str:
        """Of a path that is kept in variables, the first use: what is right for it is right for all."""
        text = ast.unparse(hit.node)
        return text if _ASKS.search(text) or hit.origin == ARCHIVE else ""


_ASKS = LazyPattern(r"\b(?:request|req|event|self)\b")
