"""The static tools of the TypeScript specialist, one per module, and the engine of its rules."""

from __future__ import annotations

from wardround.tools.ast_grep import AstGrep
from wardround.tools.tool import Probe, Tool
from wardround_typescript.generated_files import PARSED
from wardround_typescript.tools.biome import BIOME
from wardround_typescript.tools.eslint import ESLINT
from wardround_typescript.tools.oxlint import OXLINT, OXLINT_TYPES
from wardround_typescript.tools.tsc import TSC

TOOLS: tuple[Tool, ...] = (
    OXLINT,
    OXLINT_TYPES,
    AstGrep(
        "typescript",
        accepts=lambda path, text: path.endswith(PARSED),
        probe=Probe("probe.ts", 'setTimeout("close()", 100);\n', "TS178"),
    ),
    BIOME,
    TSC,
    ESLINT,
)
