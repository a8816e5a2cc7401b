"""The static tools of the TypeScript specialist: one in each module, and the engines that run our rules."""

from __future__ import annotations

from wardround.tools.ast_grep import ast_grep
from wardround.tools.semgrep import semgrep
from wardround.tools.tool import Probe, Tool
from wardround_typescript.engines import FOLDER, engines
from wardround_typescript.generated_files import PARSED, named, scanned, too_large
from wardround_typescript.tools.biome import BIOME
from wardround_typescript.tools.eslint import ESLINT
from wardround_typescript.tools.oxlint import OXLINT, OXLINT_TYPES
from wardround_typescript.tools.tsc import TSC

_OURS = {
    "ast-grep": ast_grep(
        FOLDER,
        takes=named(PARSED),
        probe=Probe("probe.ts", 'setTimeout("close()", 100);\n', "TS178"),
    ),
    "semgrep": semgrep(FOLDER, takes=scanned, declines=too_large),
}

TOOLS: tuple[Tool, ...] = (
    OXLINT,
    OXLINT_TYPES,
    *(_OURS[engine] for engine in engines()),
    BIOME,
    TSC,
    ESLINT,
)
