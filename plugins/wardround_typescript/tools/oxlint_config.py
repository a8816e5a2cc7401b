"""The rules that oxlint runs: the project's selection or ours; no configuration that is code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from wardround.languages import jsonc
from wardround.tools.parsing import map_of
from wardround.tools.setting_texts import resolve_sibling
from wardround_typescript.tools.own_config import add_seal

CONFIG_NAMES = (".oxlintrc.json", ".oxlintrc.jsonc")
CODE_NAMES = tuple(f"oxlint.config.{suffix}" for suffix in ("ts", "mts", "cts", "js", "mjs", "cjs"))
"""Configurations that are code; oxlint reads the first two, and later versions may read the others."""
LINK_SUFFIX = ".wardround.ts"
"""The suffix of the link under which oxlint reads a script whose own suffix it does not know."""
_PLUGINS = (
    "eslint", "import", "jest", "jsx-a11y", "nextjs", "node", "oxc", "promise", "react", "typescript",
    "unicorn", "vitest", "vue",
)  # fmt: skip
_BUILT_IN = frozenset(
    {*_PLUGINS, "react-hooks", "react_hooks", "react-perf", "react_perf", "jsx_a11y", "import-x", "n",
     "jsdoc", "@next/next", "@typescript-eslint", "typescript-eslint", "typescript_eslint"}
)  # fmt: skip
_ASSERTING = [
    "expect*", "assert*", "should*", "check*", "verify*", "cy.**", "**.expect*", "**.should", "**.run",
    "screen.getBy*", "screen.findBy*", "getBy*", "findBy*",
]  # fmt: skip
_OPTIONS: Mapping[str, Mapping[str, Any] | str] = {
    "no-unused-expressions": {"allowShortCircuit": True, "allowTernary": True, "allowTaggedTemplates": True},
    "no-unused-vars": {"args": "none", "caughtErrors": "none", "ignoreRestSiblings": True,
                       "varsIgnorePattern": "^_", "destructuredArrayIgnorePattern": "^_"},
    "node/handle-callback-err": "^(err|error)$",
    "prefer-promise-reject-errors": {"allowEmptyReject": True},
    "react/no-unstable-nested-components": {"allowAsProps": True},
    "jsx-a11y/aria-role": {"ignoreNonDOM": True},
    "jest/expect-expect": {"assertFunctionNames": _ASSERTING},
    "vitest/expect-expect": {"assertFunctionNames": _ASSERTING},
}  # fmt: skip
"""Options of rules that allow intentional code."""
_SELECTING = ("plugins", "categories", "rules", "overrides")


def selection() -> dict[str, Any]:
    """Return the default selection: two categories and every code of the map, without style.

    Codes that are off by default are included, since the configuration of wardround may enable them.
    """
    tool_map = map_of("oxlint")
    rules: dict[str, Any] = dict.fromkeys(tool_map.codes, "warn")
    rules |= {code: ["warn", options] for code, options in _OPTIONS.items()}
    rules |= dict.fromkeys(tool_map.ignore, "off")
    return {
        "plugins": list(_PLUGINS),
        "categories": {"correctness": "warn", "suspicious": "warn"},
        "rules": {code: rules[code] for code in sorted(rules) if code != "syntax-error"},
    }


def fallback_config(read: Callable[[str], str | None]) -> tuple[str, str]:
    """Return the configuration for files that no configuration of the project covers."""
    return CONFIG_NAMES[0], msgspec.json.encode(selection()).decode()


def config_closure(path: str, text: str) -> Sequence[str]:
    """Return the configurations that a configuration extends, relative to the root of the repository."""
    extended = (jsonc.loads(text) or {}).get("extends", [])
    if not isinstance(extended, list):
        return []
    targets = (_relative_to(path, config) for config in extended if isinstance(config, str))
    return [target for target in targets if target is not None]


def config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Return the configurations of a folder and those they extend, without settings that load code or tools.

    A configuration without a selection gets ours: the defaults of oxlint change from version to version.
    """
    stem = f"{folder}/" if folder else ""
    own = next((stem + name for name in CONFIG_NAMES if stem + name in configs), None)
    if own is None:
        return {}
    parsed = {path: jsonc.loads(configs[path]) for path in _chain(own, configs)}
    added = {} if any(map(_selects_rules, parsed.values())) else selection()
    files = {}
    for path, config in parsed.items():
        files[path] = _sealed_text(path, config, configs, added if path == own else {})
    return add_seal("oxlint", folder, files)


def _selects_rules(config: Mapping[str, Any] | None) -> bool:
    return config is not None and any(key in config for key in _SELECTING)


def _sealed_text(
    path: str, config: Mapping[str, Any] | None, configs: Mapping[str, str], added: Mapping[str, Any]
) -> str:
    if config is None:
        return configs[path]  # oxlint itself reports the error
    harmless = {**_harmless(path, config, configs), **added}
    return configs[path] if harmless == config else msgspec.json.encode(harmless).decode()


def _chain(path: str, configs: Mapping[str, str]) -> list[str]:
    """Return a configuration and those it extends, if they are available."""
    found: list[str] = []
    waiting = [path]
    while waiting:
        current = waiting.pop()
        if current in configs and current not in found:
            found.append(current)
            waiting += config_closure(current, configs[current])
    return found


def _harmless(path: str, config: Mapping[str, Any], configs: Mapping[str, str]) -> dict[str, Any]:
    """Return a configuration without JavaScript plugins and without files outside of version control."""
    harmless = _built_in({key: value for key, value in config.items() if key not in ("jsPlugins", "options")})
    if isinstance(harmless.get("extends"), list):
        harmless["extends"] = [
            text for text in harmless["extends"] if _relative_to(path, str(text)) in configs
        ]
    overrides = harmless.get("overrides")
    if isinstance(overrides, list):
        harmless["overrides"] = [_harmless_override(override) for override in overrides]
    return harmless


def _harmless_override(override: object) -> object:
    if not isinstance(override, dict):
        return override
    return _built_in({key: value for key, value in override.items() if key != "jsPlugins"})


def _built_in(table: dict[str, Any]) -> dict[str, Any]:
    """Return a table with its built-in rules only."""
    rules = table.get("rules")
    if isinstance(rules, dict):
        table["rules"] = {code: options for code, options in rules.items() if _is_built_in(code)}
    return table


def _is_built_in(code: str) -> bool:
    """Return True for a built-in rule; one of a removed plugin would be an error."""
    plugin, slash, _ = code.rpartition("/")
    return not slash or plugin in _BUILT_IN


def _relative_to(path: str, target: str) -> str | None:
    """Resolve a path in another file, relative to the root of the repository; None if it is outside of it."""
    return resolve_sibling(path, target) if target.startswith(".") else None
