"""Edits of the level of a rule in YAML: a tool map, or a declarative rule. Comments and layout stay."""

from __future__ import annotations

from typing import Any

import yaml

from wardround.errors import UsageError
from wardround.rules.earned_level import Level

SEVERITY, MATURITY = "severity", "maturity"


def set_tool_level(text: str, code: str, level: Level) -> str:
    """Return a tool map with the level of a code, which gets an entry if it has none.

    Raises:
        UsageError: the map has no codes, so that an engine describes the rule, or codes share the entry.
    """
    codes = _value(_compose_yaml(text), "codes")
    if codes is None:
        raise UsageError(f"no entry for {code}: the map lists no codes")
    entry = _value(codes, code)
    if entry is None:
        return _insert_entry(text, codes, code, level)
    if sum(value is entry for _, value in codes.value) > 1:
        raise UsageError(f"the entry of {code} is that of other codes too")
    return _set_level(text, entry, level)


def set_declared_level(text: str, code: str, level: Level) -> str | None:
    """Return a file of declarative rules with the level of a rule; None if the rule is in another file."""
    root = _compose_yaml(text)
    listed = _value(root, "rules")
    for rule in listed.value if listed is not None else [root]:
        name, metadata = _value(rule, "id"), _value(rule, "metadata")
        if name is not None and name.value == code and metadata is not None:
            return _set_level(text, metadata, level)
    return None


def _compose_yaml(text: str) -> Any:
    return yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _set_level(text: str, entry: Any, level: Level) -> str:
    """Return a YAML text with the level in one of its mappings; a preview rule keeps its severity."""
    if level is Level.PREVIEW:
        return _set_key(text, entry, MATURITY, level)
    maturity = _value(entry, MATURITY)
    if maturity is None:
        return _set_key(text, entry, SEVERITY, level)
    stable = text[: maturity.start_mark.index] + "stable" + text[maturity.end_mark.index :]
    shift = len(stable) - len(text)
    severity = _value(entry, SEVERITY)
    if severity is None:
        return _insert_pair(stable, entry, f"{SEVERITY}: {level}")
    offset = shift if severity.start_mark.index > maturity.start_mark.index else 0
    return _replace_node(stable, severity, level, offset)


def _set_key(text: str, entry: Any, key: str, value: str) -> str:
    known = _value(entry, key)
    return (
        _insert_pair(text, entry, f"{key}: {value}")
        if known is None
        else _replace_node(text, known, value, 0)
    )


def _replace_node(text: str, node: yaml.Node, value: str, offset: int) -> str:
    return text[: node.start_mark.index + offset] + value + text[node.end_mark.index + offset :]


def _insert_pair(text: str, entry: Any, pair: str) -> str:
    """Return a YAML text with one more key at the start of a mapping."""
    first: yaml.Mark = entry.value[0][0].start_mark
    end = ", " if entry.flow_style else "\n" + " " * first.column
    return text[: first.index] + pair + end + text[first.index :]


def _insert_entry(text: str, codes: Any, code: str, level: Level) -> str:
    """Return a tool map with one more code, before the first that sorts after it."""
    name = code if code[0].isalnum() else f'"{code}"'
    pair = f"{name}: {{{MATURITY if level is Level.PREVIEW else SEVERITY}: {level}}}"
    later = [key for key, _ in codes.value if key.value > code]
    if later:
        location: yaml.Mark = later[0].start_mark
        return text[: location.index] + pair + "\n" + " " * location.column + text[location.index :]
    column: int = codes.value[0][0].start_mark.column
    end: int = len(text[: codes.end_mark.index].rstrip())
    return text[:end] + "\n" + " " * column + pair + text[end:]


def _value(node: Any, key: str) -> Any:
    """Return the node of a key of a mapping; None if it has none."""
    return next((value for name, value in getattr(node, "value", ()) if name.value == key), None)
