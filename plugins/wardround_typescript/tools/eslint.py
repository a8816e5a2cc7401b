"""The project's own eslint, which runs the project's configuration: only in CI, and only the trusted one."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from wardround.findings import RawResult
from wardround.tools.output import RAN
from wardround.tools.tool import Invocation, Profile, Scope, Tool
from wardround_typescript.bundles import PARSED, written
from wardround_typescript.node_modules import script
from wardround_typescript.tools.own_config import check_seals, sealed
from wardround_typescript.tools.tsc import PROJECT_FILES

_FLAT = tuple(f"eslint.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts", "mts", "cts"))
_OLD = (".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml", ".eslintrc")
CONFIG_NAMES = (*_FLAT, *_OLD)
_IMPORTED = r"""(?:from|import|require\(|import\()\s*["'](\.[^"'\n]+)["']"""


def find_eslint(root: Path) -> Path | None:
    """The program a project has installed, where it has a configuration at its root."""
    if not any((root / name).is_file() for name in CONFIG_NAMES):
        return None
    return script(root, "eslint", "bin/eslint.js")


def eslint_command(run: Invocation) -> Sequence[str]:
    check_seals("eslint", run, CONFIG_NAMES)
    return [str(run.program), "-f", "json", "--no-error-on-unmatched-pattern", "--", *run.files]


def parse_eslint(output: bytes, run: Invocation) -> list[RawResult]:
    """Read ``eslint -f json``."""
    from wardround_typescript.tools.eslint_output import parse

    return parse(output, run)


def config_closure(path: str, text: str) -> Sequence[str]:
    """The project's own modules a configuration imports, relative to the repository's root."""
    found = []
    for target in re.findall(_IMPORTED, text):
        beside = os.path.normpath(PurePosixPath(path).parent / target)
        if not beside.startswith(".."):
            found += [
                beside,
                *(f"{beside}{end}" for end in (".js", ".cjs", ".mjs", ".ts", ".json", "/index.js")),
            ]
    return found


def config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Nothing to add, but for the note that keeps eslint to these configurations."""
    stem = f"{folder}/" if folder else ""
    return sealed("eslint", folder, configs) if any(stem + name in configs for name in CONFIG_NAMES) else {}


ESLINT = Tool(
    name="eslint",
    program="eslint",
    command=eslint_command,
    parse=parse_eslint,
    clean=RAN,
    typical_s=1.0,
    install="npm install --save-dev eslint",
    profiles=frozenset({Profile.CI}),
    scope=Scope.PROJECT,
    timeout_s=300.0,
    find=find_eslint,
    optional=True,
    takes=written(PARSED),
    config_names=CONFIG_NAMES,
    config_closure=config_closure,
    config_overlay=config_overlay,
    project_files=PROJECT_FILES,
)
