"""PY303."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import ARCHIVE, Hit, SinkKind


class TaintedPath(TaintedCheck):
    """Data from the request, or a name inside an archive, chooses which file is touched.

    With ``../`` or a leading slash the sender reaches files outside the folder that was meant. Keep only the
    last part of the name, or resolve the path and check that it is still below the folder.
    """

    ID = "PY303"
    NAME = "tainted-path"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "path-traversal"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "one, wrong (an enumeration); narrowed, none since; 500 commits of ten others: five, four of "
        "them one path in a function; said once since; 3 of an id whose record was found, left out too"
    )
    DANGER = SinkKind.PATH
    MESSAGE = "data from the request chooses which file is touched"
    ARCHIVE_MESSAGE = "a name inside the archive chooses which file is touched"
    WORDS = (
        "sqlite3", "FileHandler", "loadtxt", "numpy", "open(", "os.", "shutil", "send_",
        "FileResponse", "read_", "write_", "unlink", "save(",
        "static_file", "glob", "fileinput", "mkdir", "touch(",
        "iterdir", "ZipFile", "tarfile", "rmtree",
    )  # fmt: skip
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import os\ndef read(request):\n    name = os.path.basename(request.GET['name'])\n"
        "    return open(os.path.join('/data', name)).read()\n",
        "from pathlib import Path\nROOT = Path('/data')\ndef read(request):\n"
        "    path = (ROOT / request.GET['name']).resolve()\n    if not path.is_relative_to(ROOT):\n"
        "        raise PermissionError\n    return path.read_text()\n",
        "import re\ndef read(request):\n    name = request.GET['name']\n"
        "    if re.fullmatch('[a-z]{1,32}', name) is None:\n        raise ValueError\n"
        "    return open('/data/' + name).read()\n",
        "import zipfile\nfrom pathlib import Path\ndef unpack(source, target):\n"
        "    with zipfile.ZipFile(source) as archive:\n        for member in archive.infolist():\n"
        "            path = (target / member.filename).resolve()\n"
        "            if target not in path.parents:\n"
        "                raise ValueError(member.filename)\n"
        "            path.write_bytes(archive.read(member))\n",
        "import zipfile\ndef load(request):\n"
        "    return zipfile.ZipFile(request.FILES['bundle']).namelist()\n",
        "import os, uuid\nfrom flask import request\ndef upload():\n    file = request.files['file']\n"
        "    file.save(os.path.join('/data', uuid.uuid4().hex))\n",
        "import re\ndef read(request):\n    name = re.sub(r'[^\\w.-]', '_', request.GET['name'])\n"
        "    return open('/data/' + name).read()\n",
        "import os\ndef read(request):\n    name = os.path.normpath(request.GET['name'])\n"
        "    if name.startswith(('..', '/')):\n        raise ValueError(name)\n"
        "    return open(os.path.join('/data', name)).read()\n",
        # the crate is known before its folder is
        "import shutil\nfrom pathlib import Path\nfrom depot import Crates\n\ndef handler(event, context):\n"
        "    crate_id = str(event.get('crate_id', '')).strip()\n    crate = Crates().get_crate(crate_id)\n"
        "    if not crate:\n        raise ValueError(crate_id)\n"
        "    shutil.rmtree(Path('/tmp') / 'crates' / crate_id)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import os, shutil\nfrom flask import request\n\ndef renew():\n"
            "    place = os.path.join('/data', request.args['name'])\n    shutil.rmtree(place)\n"
            "    inner = os.path.join(place, 'out')\n    os.makedirs(inner)\n",
            line=6,
            column=19,
        ),
        Invalid(
            "import os\nfrom flask import request, send_file\n\ndef download():\n"
            "    path = os.path.join('/data', request.args['name'])\n    if not os.path.isfile(path):\n"
            "        return 'gone', 404\n    return send_file(path)\n",
            line=8,
            column=22,
        ),
        Invalid(
            "import re\ndef read(request):\n    name = re.sub(r'[^\\w./-]', '', request.GET['name'])\n"
            "    return open('/data/' + name).read()\n",
            line=4,
            column=17,
        ),
        Invalid(
            "import zipfile\n\ndef unpack(source, target):\n    with zipfile.ZipFile(source) as archive:\n"
            "        for name in archive.namelist():\n            with open(target / name, 'wb') as out:\n"
            "                out.write(archive.read(name))\n",
            line=6,
            column=23,
        ),
        Invalid(
            "import os\nfrom flask import request\n\ndef upload():\n    file = request.files['file']\n"
            "    file.save(os.path.join('/data', file.filename))\n",
            line=6,
            column=15,
        ),
        Invalid(
            "import shutil\nfrom pathlib import Path\nfrom depot import Crates\n\n"
            "def handler(event, context):\n    crate_id = event['crate_id']\n"
            "    crate = Crates().get_crate(crate_id)\n    log(crate)\n"
            "    shutil.rmtree(Path('/tmp') / crate_id)\n",
            line=9,
            column=19,
        ),
    ]

    def once_for(self, hit: Hit) -> str:
        """Of a path that is kept in variables, the first use: what is right for it is right for all."""
        text = ast.unparse(hit.node)
        return text if _ASKS.search(text) or hit.origin == ARCHIVE else ""


_ASKS = LazyPattern(r"\b(?:request|req|event|self)\b")
