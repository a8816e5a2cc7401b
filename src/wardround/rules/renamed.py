"""Former names and ids of rules: suppressions, configurations and ``wardround explain`` still accept them.

A rule of our own that a static tool replaces is removed; its id stays a former name of the tool's code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import msgspec

from wardround.rules.model import RULES_PACKAGE, Rule, package_folder
from wardround.rules.yaml_loader import load_yaml


@cache
def former_names() -> Mapping[str, Sequence[str]]:
    """Former name -> the ids of the rules that had it, from ``renamed.yml``."""
    text = (package_folder(RULES_PACKAGE) / "renamed.yml").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for rule_id, names in msgspec.convert(load_yaml(text), dict[str, list[str]]).items():
        for name in names:
            found.setdefault(name, []).append(rule_id)
    return found


def current_ids(key: str) -> Sequence[str]:
    """Return the current ids of the rules that a key of a configuration names: the key itself, unless it is
    a former id.
    """
    return former_names().get(key, (key,))


def is_former_name(name: str, rules: Iterable[Rule]) -> bool:
    """Return True if none of the rules that a name resolves to has it today."""
    return all(name not in (rule.id, rule.code, rule.name) for rule in rules)


def renaming_note(renamed: Mapping[str, Sequence[Rule]]) -> str:
    """Return one line for people about former names that are still in use; empty if there are none."""
    changes = (
        f"{name} is now called {', '.join(dict.fromkeys(_label(name, rule) for rule in rules))}"
        for name, rules in sorted(renamed.items())
    )
    return f"renamed rules: {'; '.join(changes)}" if renamed else ""


def _label(former: str, rule: Rule) -> str:
    """Return the id of a rule whose former id is in use, else its name."""
    return rule.name if former.islower() else rule.id
