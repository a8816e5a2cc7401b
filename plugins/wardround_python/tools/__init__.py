"""The static tools of the Python specialist, one in each module, and the engines of declarative rules."""

from __future__ import annotations

from wardround.tools.ast_grep import AstGrep
from wardround.tools.semgrep import Semgrep
from wardround.tools.tool import Probe, Tool
from wardround_python.tools.pyright import PYRIGHT
from wardround_python.tools.ruff import RUFF
from wardround_python.tools.ty import TY

_ENDINGS = (".py", ".pyi")
_NESTED_LOOP = Probe(
    "probe.py", "import asyncio\n\n\nasync def main():\n    asyncio.run(later())\n", "PY110", 5
)
_COMMAND = Probe(
    "probe.py",
    'import os\nfrom flask import request\n\n\ndef ping():\n    os.system("ping " + request.args["host"])\n',
    "PY202",
    6,
)
TOOLS: tuple[Tool, ...] = (
    RUFF,
    TY,
    AstGrep("python", endings=_ENDINGS, probe=_NESTED_LOOP),
    PYRIGHT,
    Semgrep("python", endings=_ENDINGS, probe=_COMMAND),
)
