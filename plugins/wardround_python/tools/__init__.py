"""The static tools of the Python specialist, one in each module."""

from __future__ import annotations

from wardround.tools.tool import Tool
from wardround_python.tools.ast_grep import AST_GREP
from wardround_python.tools.pyright import PYRIGHT
from wardround_python.tools.ruff import RUFF
from wardround_python.tools.semgrep import SEMGREP
from wardround_python.tools.ty import TY

TOOLS: tuple[Tool, ...] = (RUFF, TY, AST_GREP, PYRIGHT, SEMGREP)
