"""The static tools of the Python specialist, one in each module, and the engines of declarative rules."""

from __future__ import annotations

from wardround.tools.ast_grep import AstGrep
from wardround.tools.tool import Probe, Tool
from wardround_python.tools.pyright import PYRIGHT
from wardround_python.tools.ruff import RUFF
from wardround_python.tools.ty import TY

_ENDINGS = (".py", ".pyi")
_UNVERIFIED = Probe("probe.py", "session.verify = False\n", "PY104")
TOOLS: tuple[Tool, ...] = (
    RUFF,
    TY,
    AstGrep("python", endings=_ENDINGS, probe=_UNVERIFIED),
    PYRIGHT,
)
