"""Rules that were removed: their ids and names in suppressions and configurations match nothing, and one note
per review names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import msgspec

from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround.rules.yaml_loader import load_yaml


@cache
def removed_rules() -> Mapping[str, Sequence[str]]:
    """Return the ids of the removed rules -> their names, from ``removed.yml``."""
    text = (package_folder(RULES_PACKAGE) / "removed.yml").read_text(encoding="utf-8")
    return msgspec.convert(load_yaml(text), dict[str, list[str]])


@cache
def _ids_by_name() -> Mapping[str, Sequence[str]]:
    """Return every id, bare code and name of a removed rule -> the ids of those that had it."""
    found: dict[str, list[str]] = {}
    for rule_id, names in removed_rules().items():
        for name in (rule_id, rule_id.partition("/")[2], *names):
            found.setdefault(name, []).append(rule_id)
    return found


def is_removed(name: str) -> bool:
    """Return True if a removed rule had this id, code or name; rules that exist may have the name too."""
    return name in _ids_by_name()


def removal_note(names: Iterable[str]) -> str:
    """Return one line for people about removed rules that are still named; empty if there are none."""
    labels = [
        name if "/" in name else f"{name} ({', '.join(_ids_by_name()[name])})" for name in sorted(set(names))
    ]
    return f"removed rules, which nothing reports any more: {', '.join(labels)}" if labels else ""
