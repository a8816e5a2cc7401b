"""The project's own biome: location, command line and output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.findings import Plane, RawFinding
from wardround.languages import jsonc
from wardround.tools.excluded_files import ExcludedFiles
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN
from wardround.tools.tool import Invocation, Probe, Tool
from wardround_typescript.generated_files import PARSED
from wardround_typescript.node_modules import missing, native_program
from wardround_typescript.specialist import SCRIPT_COMMENT
from wardround_typescript.tools.own_config import (
    add_seal,
    check_seals,
    has_configuration,
    nearest_configuration,
)

CONFIG_NAMES = ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc")


def is_configured(read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
    """Return True if the project has a configuration at its root, or above one of the files."""
    return has_configuration(CONFIG_NAMES, read, paths)


def _is_nested(config: Mapping[str, Any] | None) -> bool:
    """Return True if a configuration is a part of the one above it."""
    values = config or {}
    return values.get("root") is False or "//" in (values.get("extends"), *_list_of(values.get("extends")))


def _list_of(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _needs_packages(config: Mapping[str, Any] | None) -> bool:
    """Return True if a configuration extends an installed package, which the private folder lacks."""
    extended = (config or {}).get("extends", [])
    named = [extended] if isinstance(extended, str) else extended if isinstance(extended, list) else []
    return any(not str(package).startswith((".", "//")) for package in named)


def config_closure(path: str, text: str) -> Sequence[str]:
    """Return the configurations that a configuration extends, relative to the root of the repository."""
    from wardround_typescript.tools.tsc import config_closure as extended

    return [path_text for path_text in extended(path, text) if path_text.endswith((".json", ".jsonc"))]


def config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Return the configurations without plugins and git settings; the private folder is not a repository."""
    stem = f"{folder}/" if folder else ""
    if not any(stem + name in configs for name in CONFIG_NAMES):
        return {}
    files = {}
    for path, text in configs.items():
        config = jsonc.loads(text)
        remaining = {key: value for key, value in (config or {}).items() if key not in ("vcs", "plugins")}
        files[path] = (
            text if config is None or remaining == config else msgspec.json.encode(remaining).decode()
        )
    return add_seal("biome", folder, files)


class Biome(Tool):
    """The project's own biome."""

    name = "biome"
    planes = frozenset({Plane.CONTRACT, Plane.SEMANTIC, Plane.TESTS, Plane.SECURITY})
    ignore_comments = (
        IgnoreComment(
            r"\bbiome-ignore",
            ("ignore",),
            ((SCRIPT_COMMENT, r"(biome-ignore(?:-all|-start)?\b)"),),
            region=r"biome-ignore-(?:all|start)",
            region_end=r"biome-ignore-end",
        ),
    )
    excluded_files = (
        ExcludedFiles(
            ("biome.json", "biome.jsonc"), (("files",), ("formatter",), ("linter",)), ("ignore",), "includes"
        ),
    )
    probe = Probe("probe.js", "debugger;\n", "noDebugger", settings={CONFIG_NAMES[0]: "{}"})
    program = "biome"
    success_codes = RAN
    install = "npm install --save-dev @biomejs/biome"
    optional = True
    config_names = CONFIG_NAMES
    starts_in_packages = True

    def command(self, run: Invocation) -> Sequence[str]:
        check_seals("biome", run, CONFIG_NAMES)
        return [str(run.program), "lint", "--reporter=json", "--max-diagnostics=none",
                "--no-errors-on-unmatched", "--", *run.files_from_folder]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``biome lint --reporter=json``."""
        from wardround_typescript.tools.biome_output import parse

        return parse(output, run)

    def find(self, root: Path) -> Path | None:
        """Return the native program that the project has installed."""
        return native_program(root, "@biomejs/biome", "@biomejs", "cli-", "biome")

    def is_configured(self, read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
        return is_configured(read, paths)

    def package_of(self, path: str, configs: Mapping[str, str]) -> str | None:
        """Return the folder of the nearest configuration that is not part of another.

        None if biome cannot read it on its own.
        """
        found = nearest_configuration(path, CONFIG_NAMES, configs)
        while found is not None:
            config, folder = jsonc.loads(configs[found]), found.rpartition("/")[0]
            if not _is_nested(config) or not folder:
                return None if _needs_packages(config) else folder
            found = nearest_configuration(folder, CONFIG_NAMES, configs)
        return None

    def missing_notice(self, root: Path) -> str:
        """Return the reason why a configured biome is not run."""
        return missing(root, "biome", "@biomejs/biome")

    def accepts(self, path: str, text: str) -> bool:
        return path.endswith(PARSED)

    def config_closure(self, path: str, text: str) -> Sequence[str]:
        return config_closure(path, text)

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        from wardround_typescript.tools.tsc import extended_by

        return [name for name in extended_by(text) if name != "//"]  # the configuration of the root

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return config_overlay(folder, configs)


BIOME = Biome()
