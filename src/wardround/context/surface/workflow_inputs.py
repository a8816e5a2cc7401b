"""Inputs, secrets and outputs of actions and of reusable workflows."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.packages import UNPUBLISHED
from wardround.context.surface.sides import Sides, TextPair
from wardround.languages.yaml import nodes
from wardround.languages.yaml.tree import documents

KIND = SurfaceKind.WORKFLOW_INPUTS
_ACTIONS = frozenset({"action.yml", "action.yaml"})
_WORKFLOWS = ".github/workflows/"
_LOCAL_ACTIONS = ".github/actions/"


class _Item(NamedTuple):
    line: int
    is_required: bool
    default: str | None
    type: str


Interface = Mapping[str, _Item]
"""Kind and name, as in ``input `version```, with the declaration."""


def is_relevant(path: str) -> bool:
    """Return True for an action that others can use, and for a workflow."""
    if posixpath.basename(path) in _ACTIONS:
        return not path.startswith(_LOCAL_ACTIONS) and not UNPUBLISHED.search(path)
    return path.startswith(_WORKFLOWS) and path.endswith((".yml", ".yaml"))


def compare(sides: Sides) -> Iterator[SurfaceChange]:
    """Yield the changes of the interfaces of actions and reusable workflows."""
    for pair in sides.text_pairs(is_relevant):
        if _is_called_here(sides, pair.base_path):
            continue
        before = _interface(pair.base_path, pair.base)
        after = {} if pair.head is None else _interface(pair.head_path, pair.head)
        if before and after is not None:
            yield from _changes(pair, before, after)


def _is_called_here(sides: Sides, path: str) -> bool:
    """Return True for a workflow that others of the repository call, which is mostly its only use."""
    if not path.startswith(_WORKFLOWS):
        return False
    return any(
        f"./{path}" in (side.read(caller) or "")
        for side in (sides.base, sides.head)
        for caller in side.paths
        if caller.startswith(_WORKFLOWS) and caller != path
    )


def _changes(pair: TextPair, before: Interface, after: Interface) -> Iterator[SurfaceChange]:
    for name, item in before.items():
        if name not in after:
            yield _change(pair.base_path, item, name, "is removed")
            continue
        new = after[name]
        if new.is_required and not item.is_required:
            yield _change(pair.head_path, new, name, "is required")
        elif new.type != item.type and new.type in ("number", "boolean"):
            yield _change(pair.head_path, new, name, f"is a {new.type}")
        elif new.default != item.default:
            old_default, new_default = _display_default(item.default), _display_default(new.default)
            detail = f"has the default `{new_default}` instead of `{old_default}`"
            yield _change(pair.head_path, new, name, detail, is_breaking=False)
    for name, item in after.items():
        if name not in before and item.is_required:
            yield _change(pair.head_path, item, name, "is added and required")


def _change(path: str, item: _Item, name: str, detail: str, *, is_breaking: bool = True) -> SurfaceChange:
    return SurfaceChange(KIND, path, item.line, name, detail, is_breaking)


def _display_default(default: str | None) -> str:
    return "" if default is None else default.strip()[:40]


def _interface(path: str, text: str) -> dict[str, _Item] | None:
    """Return the interface of a file, empty if others cannot call it; None if it is not YAML."""
    try:
        found = documents(text)
    except SyntaxError:
        return None
    root = found[0] if found else None
    if not isinstance(root, nodes.Mapping):
        return {}
    if posixpath.basename(path) in _ACTIONS:
        holder: nodes.Node | None = root
    else:
        holder = root.at("on", "workflow_call")
    return dict(_items(holder, text)) if isinstance(holder, nodes.Mapping) else {}


def _items(holder: nodes.Mapping, text: str) -> Iterator[tuple[str, _Item]]:
    for kind in ("inputs", "secrets", "outputs"):
        for key, value in holder.mapping(kind).entries:
            own = value if isinstance(value, nodes.Mapping) else nodes.Mapping(key.start, key.end)
            default = own.scalar("default")
            is_required = kind != "outputs" and own.text("required") == "true" and default is None
            line = text.count("\n", 0, key.start) + 1
            item = _Item(line, is_required, None if default is None else default.value, own.text("type"))
            yield f"{kind[:-1]} `{key.value}`", item
