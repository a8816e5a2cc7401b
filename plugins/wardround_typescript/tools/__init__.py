"""The static tools of the TypeScript specialist: one in each module, and the engines of its rules."""

from __future__ import annotations

from wardround.tools.ast_grep import AstGrep
from wardround.tools.semgrep import Semgrep
from wardround.tools.tool import Probe, Tool
from wardround_typescript.engines import FOLDER, engines
from wardround_typescript.generated_files import PARSED, scanned, too_large
from wardround_typescript.tools.biome import BIOME
from wardround_typescript.tools.eslint import ESLINT
from wardround_typescript.tools.oxlint import OXLINT, OXLINT_TYPES
from wardround_typescript.tools.tsc import TSC

_OURS = {
    "ast-grep": AstGrep(
        FOLDER,
        accepts=lambda path, text: path.endswith(PARSED),
        probe=Probe("probe.ts", 'setTimeout("close()", 100);\n', "TS178"),
    ),
    "semgrep": Semgrep(FOLDER, accepts=scanned, declines=too_large),
}

TOOLS: tuple[Tool, ...] = (
    OXLINT,
    OXLINT_TYPES,
    *(_OURS[engine] for engine in engines()),
    BIOME,
    TSC,
    ESLINT,
)
