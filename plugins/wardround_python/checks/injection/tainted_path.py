from __future__ import annotations

from wardround.findings import Plane
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.semantics.dataflow.domain import ARCHIVE
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import Hit, SinkKind


class TaintedPath(TaintedCheck):
    """Data from the request, or a name inside an archive, chooses the path of a file.

    With ``../`` or a leading slash the sender reaches files outside the intended folder. Use only the last
    part of the name, or resolve the path and verify that it is inside the folder.
    """

    ID = "PY303"
    NAME = "tainted-path"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "path-traversal"
    SINK = SinkKind.PATH
    MESSAGE = "data from the request chooses the path of a file; verify that it is inside the intended folder"
    ARCHIVE_MESSAGE = (
        "a name inside the archive chooses the path of a file; verify that it is inside the intended folder"
    )
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
        """Return the source of the first use of a path in variables: one fix corrects all its uses."""
        text = unparse(hit.node)
        return text if _ASKS.search(text) or hit.origin == ARCHIVE else ""


_ASKS = LazyPattern(r"\b(?:request|req|event|self)\b")
