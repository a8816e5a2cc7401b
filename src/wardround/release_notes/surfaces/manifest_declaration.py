"""Declarations in the manifests of packages: ranges of versions, extras, commands, entry points."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from wardround.context.surface.packages import table, toml
from wardround.languages.jsonc import loads
from wardround.release_notes.surfaces.declaration import ABSENT, Declaration, present

_TABLES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "engines.node": (("engines",),),
    "peer dependency": (("peerDependencies",),),
    "dependency": (("dependencies",),),
    "command": (("bin",), ("project", "scripts"), ("tool", "poetry", "scripts")),
    "export": (("exports",),),
    "extra": (("project", "optional-dependencies"), ("tool", "poetry", "extras")),
}
_QUOTED = re.compile(r"`([^`]+)`")


def manifest_declaration(path: str, text: str, name: str) -> Declaration:
    """Return the declaration of a part of a package.

    Args:
        name: as the comparison of surfaces names it, such as ``extra `cli```.
    """
    document = _document(path, text)
    if name == "package":
        return present(str(document.get("type", "commonjs")), str(document.get("type", "commonjs")))
    quoted = _QUOTED.search(name)
    kind = name.partition(" `")[0] if quoted else name.rpartition(".")[0] or name
    own = quoted[1] if quoted else name.rpartition(".")[2]
    for keys in _TABLES.get(kind, _TABLES.get(name, ())):
        found = _entry(document, keys, own)
        if found is not None:
            return present(_form(own, found), str(found))
    return ABSENT


def _document(path: str, text: str) -> Mapping[str, Any]:
    return toml(text) if posixpath.basename(path).endswith(".toml") else loads(text) or {}


def _entry(document: Mapping[str, Any], keys: tuple[str, ...], own: str) -> Any:
    found = table(document, *keys)
    if own in found:
        return found[own]
    value = document.get(keys[0]) if len(keys) == 1 else None
    if isinstance(value, str) and (own == "." or keys[0] == "bin"):
        return value
    return None


def _form(own: str, value: Any) -> str:
    """Return a range alone, and anything else with its name."""
    return value if isinstance(value, str) and re.match(r"[\s\d^~<>=*|]", value) else own
