"""Static tools of the SQL specialist, one per module."""

from __future__ import annotations

from wardround.tools.tool import Tool
from wardround_sql.tools.sqlfluff import SQLFLUFF
from wardround_sql.tools.squawk import SQUAWK

TOOLS: tuple[Tool, ...] = (SQUAWK, SQLFLUFF)
