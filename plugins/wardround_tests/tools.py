"""Tools that check test files: declarative rules, and tools of other specialists."""

from __future__ import annotations

from wardround_python.tools.ruff import RUFF
from wardround_typescript.tools.biome import BIOME
from wardround_typescript.tools.eslint import ESLINT
from wardround_typescript.tools.oxlint import OXLINT

from wardround.tools.ast_grep import AstGrep
from wardround.tools.tool import Probe, Tool
from wardround_tests.file_kinds import is_script_test

TOOLS: tuple[Tool, ...] = (
    AstGrep(
        "tests",
        accepts=is_script_test,
        probe=Probe("probe.test.ts", "fdescribe('add', () => {})\n", "TE110"),
    ),
)
BORROWED: tuple[Tool, ...] = (RUFF, OXLINT, BIOME, ESLINT)
