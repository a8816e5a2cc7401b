"""External tools that run the reviewed project's own rules (semgrep)."""

from __future__ import annotations

from wardround.tools.tool import Tool
from wardround_text.semgrep import SEMGREP

TOOLS: tuple[Tool, ...] = (SEMGREP,)
