"""The project's own eslint and configuration: only in CI, and only the trusted version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from wardround.errors import ToolFailed
from wardround.findings import Plane, RawFinding
from wardround.languages import jsonc
from wardround.tools.excluded_files import ExcludedFiles
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import RAN
from wardround.tools.setting_texts import resolve_sibling, texts_at
from wardround.tools.tool import Invocation, Probe, Profile, Tool, ToolScope
from wardround_typescript.generated_files import PARSED
from wardround_typescript.node_modules import missing, script
from wardround_typescript.specialist import SCRIPT_COMMENT
from wardround_typescript.tools.own_config import (
    add_seal,
    check_seals,
    has_configuration,
    nearest_configuration,
)
from wardround_typescript.tools.tsc import CONFIG_NAMES as TYPE_CONFIGS
from wardround_typescript.tools.tsc import PROJECT_FILES

_FLAT = tuple(f"eslint.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts", "mts", "cts"))
_OLD = (".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml", ".eslintrc")
_DATA = frozenset({".eslintrc", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml"})
_PATHS = tuple(
    f"{prefix}{setting}"
    for prefix in ("", "overrides.*.")
    for setting in (
        "extends", "parser", "plugins", "parserOptions.project", "parserOptions.tsconfigRootDir"
    )
)  # fmt: skip
"""The settings that list its files and folders."""
_CONFIGS = (*_FLAT, *_OLD)
CONFIG_NAMES = (*_CONFIGS, ".eslintignore")
_REFERRED = r"""["'\s\[,:(-](\.{1,2}/[^"'\s,\])}]+)"""
_GUARD = Path(__file__).with_name("only_base.cjs")


def _data(path: str, text: str) -> object:
    """Return the document in a configuration, which is JSON with comments or YAML.

    Raises:
        ToolFailed: it is neither.
    """
    document = jsonc.loads(text)
    if document is not None or not jsonc.has_content(text):
        return document
    from wardround.rules.yaml_loader import parse_yaml  # slow to import

    try:
        return parse_yaml(text)
    except ValueError as cause:
        raise ToolFailed(f"{path} is neither JSON nor YAML; correct it") from cause


def is_configured(read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
    """Return True if the project has a configuration at its root, or above one of the files."""
    return has_configuration(_CONFIGS, read, paths)


def _guard(run: Invocation, trusted: Mapping[str, str]) -> Sequence[str]:
    """Return the command that starts eslint without running untrusted code of the change.

    The modules that a configuration loads are unknown before it runs, so node itself restricts them. Data
    files are read like the linted files; for them the names in the configuration are checked.

    Raises:
        ToolFailed: the configuration names a data file that the change edits.
    """
    untrusted = run.untrusted
    if untrusted is None:
        return ()
    if untrusted.with_settings:
        _require_unchanged_configuration(run, untrusted.paths, trusted)
    text = "\n".join((run.root / path).read_text("utf-8", "replace") for path in trusted)
    for path in untrusted.paths:
        is_data = not path.endswith(PARSED) and path not in trusted and not _is_settings(path)
        if is_data and path.rpartition("/")[2] in text:
            raise ToolFailed(f"the change edits a file that eslint would read: {path}")
    message = {
        "tool": "eslint", "room": str(run.root), "sealed": trusted, "worktree": untrusted.worktree,
        "brought": untrusted.paths,
    }  # fmt: skip
    file = run.root.parent / "only-base.json"
    file.write_bytes(msgspec.json.encode(message))
    required = str(_GUARD).replace("\\", "\\\\").replace('"', '\\"')
    return ("/usr/bin/env", f'NODE_OPTIONS=--require "{required}"', f"WARDROUND_ONLY_BASE={file}")


def _require_unchanged_configuration(
    run: Invocation, changed: Sequence[str], used: Mapping[str, str]
) -> None:
    """Refuse to run with a configuration of the change: it is code, or names the code that is run.

    Raises:
        ToolFailed: the change edits one.
    """
    above = {str(folder / "package.json") for file in run.files for folder in PurePosixPath(file).parents}
    for path in changed:
        is_used = path in used and not path.endswith(".eslintignore")
        if is_used or (path in above and _configures_eslint(run.root / path)):
            raise ToolFailed(
                f"the change edits {path}, which decides what code eslint runs; use --config-from base"
            )


def _configures_eslint(package: Path) -> bool:
    return package.is_file() and "eslintConfig" in package.read_text("utf-8", "replace")


def _is_settings(path: str) -> bool:
    """Return True if the snapshot contains the trusted version of a file anyway."""
    return path.rpartition("/")[2] in (*CONFIG_NAMES, *TYPE_CONFIGS)


def config_closure(path: str, text: str) -> Sequence[str]:
    """Return the project's own data files that a configuration names, relative to its root."""
    found = []
    for target in re.findall(_REFERRED, f" {text}"):
        beside = resolve_sibling(path, target)
        if beside is not None:
            found += [candidate for candidate in (beside, f"{beside}.json") if not candidate.endswith(PARSED)]
    return found


def config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Return only the seal that restricts eslint to these configurations."""
    stem = f"{folder}/" if folder else ""
    return add_seal("eslint", folder, configs) if any(stem + name in configs for name in _CONFIGS) else {}


_PROBE_SETTINGS = {
    "eslint.config.cjs": 'module.exports = [{ rules: { "no-debugger": "error" } }];\n',
    ".eslintrc.json": '{"root": true, "rules": {"no-debugger": "error"}}\n',
}
"""Return the settings for both kinds of configuration: the version decides which one counts."""


class Eslint(Tool):
    """The project's own eslint."""

    name = "eslint"
    planes = frozenset({Plane.CONTRACT, Plane.SEMANTIC, Plane.TESTS, Plane.SECURITY})
    ignore_comments = (
        IgnoreComment(
            r"(?:/\*|^)[\s*]*eslint\b",
            ("eslint",),
            ((SCRIPT_COMMENT, r"((?<=/\*)\s*eslint\s+[\w@\"'/-]+\s*:)"),),
            region=r"(?:/\*|^)[\s*]*eslint\b(?!-)",
            settings=("/* eslint ",),
        ),
    )
    excluded_files = (ExcludedFiles((".eslintignore",)),)
    probe = Probe("probe.js", "debugger;\n", "no-debugger", settings=_PROBE_SETTINGS)
    program = "eslint"
    success_codes = RAN
    typical_s = 1.0
    install = "npm install --save-dev eslint"
    profiles = frozenset({Profile.CI})
    scope = ToolScope.PROJECT
    timeout_s = 300.0
    optional = True
    config_names = CONFIG_NAMES
    runs_config = True
    starts_in_packages = True
    project_files = PROJECT_FILES

    def command(self, run: Invocation) -> Sequence[str]:
        trusted = check_seals("eslint", run, CONFIG_NAMES)
        guard = _guard(run, trusted)
        options = ("-f", "json", "--no-error-on-unmatched-pattern")
        return [*guard, str(run.program), *options, "--", *run.files_from_folder]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``eslint -f json``."""
        from wardround_typescript.tools.eslint_output import parse

        return parse(output, run)

    def find(self, root: Path) -> Path | None:
        """Return the program that the project has installed."""
        return script(root, "eslint", "bin/eslint.js")

    def is_configured(self, read: Callable[[str], str | None], paths: Iterable[str]) -> bool:
        return is_configured(read, paths)

    def package_of(self, path: str, configs: Mapping[str, str]) -> str | None:
        """Return the folder of the nearest flat configuration, the only place in which eslint 9 searches.

        The older configurations are searched from each file upwards.
        """
        flat = nearest_configuration(path, _FLAT, configs)
        if flat is not None:
            return flat.rpartition("/")[0]
        return "" if nearest_configuration(path, _OLD, configs) is not None else None

    def missing_notice(self, root: Path) -> str:
        """Return the reason why a configured eslint is not run."""
        return missing(root, "eslint", "eslint")

    def accepts(self, path: str, text: str) -> bool:
        return path.endswith(PARSED)

    def config_closure(self, path: str, text: str) -> Sequence[str]:
        return config_closure(path, text)

    def named_paths(self, path: str, text: str) -> Sequence[str]:
        """Return the paths in a configuration that is data; one that is code may read any file.

        Raises:
            ToolFailed: it is not valid; eslint would quote it.
        """
        return texts_at(_data(path, text), *_PATHS) if path.rpartition("/")[2] in _DATA else []

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return config_overlay(folder, configs)


ESLINT = Eslint()
