"""The static tools of the Python specialist: one in each module, and the engines that run rules of ours."""

from __future__ import annotations

from wardround.tools.ast_grep import ast_grep
from wardround.tools.semgrep import semgrep
from wardround.tools.tool import Tool
from wardround_python.tools.pyright import PYRIGHT
from wardround_python.tools.ruff import RUFF
from wardround_python.tools.ty import TY

TOOLS: tuple[Tool, ...] = (RUFF, TY, ast_grep("python"), PYRIGHT, semgrep("python"))
