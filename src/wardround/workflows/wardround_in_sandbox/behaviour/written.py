"""A call as a person would write it."""

from __future__ import annotations

import inspect
import pickle
import re
from typing import Any

from .values import Used, is_listed_state, is_literal, public_state, shorten, text_of, type_name

_MOST_CLASSES = 50
_MOST_ITEMS = 3
_LONGEST_OBJECT = 60
"""Maximum number of characters of an argument that is not a literal; a longer one is shown by the name of its
class.
"""
_LONGEST_MATCH = 40


def call_text(payload: bytes, names: list[str], function: dict[str, Any]) -> dict[str, Any]:
    """Return the source of a call, the number of its arguments, and the classes and patterns in them."""
    used = Used()
    try:
        values = {
            name: text_of(value, is_shown=True, used=used) for name, value in pickle.loads(payload).items()
        }
        flat = pickle.loads(payload)
        texts = {name: _abbreviate(text, flat[name]) for name, text in values.items()}
    except BaseException:
        return {"written": ""}
    arguments = _arguments(texts, flat, names, function)
    own = flat.get(names[0]) if function["receiver"] and names else None
    receiver = "" if own is None else texts[names[0]]
    kind = "" if own is None else type_name(own if isinstance(own, type) else type(own))
    return {
        "written": _call_text(receiver, kind, ", ".join(arguments), function),
        "arguments": len(arguments),
        "classes": sorted(used.classes)[:_MOST_CLASSES],
        "patterns": sorted(used.patterns)[:_MOST_CLASSES],
    }


def _abbreviate(text: str, value: Any) -> str:
    """Return the representation of an argument, shortened if it is long and not a literal.

    An object that its constructor does not make from these attributes is in angle brackets.
    """
    if isinstance(value, re.Match):
        return f"<match {shorten(repr(value.group()), _LONGEST_MATCH)}>"
    if is_literal(value):
        return text
    if len(text) <= _LONGEST_OBJECT:
        name = type_name(type(value))
        is_listed = is_listed_state(value) and text.startswith(f"{name}(")
        return (
            f"<{name} {text[len(name) + 1 : -1]}>"
            if is_listed and not _is_built_from_attributes(value)
            else text
        )
    if type(value) is list:
        items = [_abbreviate(text_of(item, is_shown=True), item) for item in value[:_MOST_ITEMS]]
        return f"[{', '.join([*items, '...'] if len(value) > len(items) else items)}]"
    return f"<{type_name(type(value))}>"


def _is_built_from_attributes(value: Any) -> bool:
    """Return True if the constructor of an object takes its public attributes."""
    try:
        parameters = inspect.signature(type(value)).parameters
    except (TypeError, ValueError):
        return False
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    return takes_any or parameters.keys() >= public_state(value).keys()


def _arguments(
    texts: dict[str, str], values: dict[str, Any], names: list[str], function: dict[str, Any]
) -> list[str]:
    arguments, is_gapless = [], True
    for name in names[bool(function["receiver"]) :]:
        if name == function["rest"]:
            arguments += [_item(item) for item in values.get(name, ())]
        elif name == function["keywords"]:
            arguments += [f"{key}={_item(item)}" for key, item in values.get(name, {}).items()]
        elif name not in texts:
            is_gapless = False
        elif is_gapless and name not in function["keyword_only"]:
            arguments.append(texts[name])
        else:
            arguments.append(f"{name}={texts[name]}")
    return arguments


def _item(value: Any) -> str:
    return _abbreviate(text_of(value, is_shown=True), value)


def _call_text(receiver: str, kind: str, inner: str, function: dict[str, Any]) -> str:
    """Return the call.

    Args:
        kind: the class of the receiver, or the receiver itself if it is a class.
    """
    owner, _, name = function["name"].rpartition(".")
    owner = function["owner"] or owner
    if name in ("__init__", "__new__"):
        return f"{kind or owner}({inner})"
    if function["receiver"] == "cls":
        return f"{kind or owner}.{name}({inner})"
    if function["receiver"]:
        return _method_call_text(f"{receiver or owner}.{name}", inner, function["role"])
    return f"{owner}.{name}({inner})" if owner else _method_call_text(name, inner, function["role"])


def _method_call_text(target: str, inner: str, role: str) -> str:
    """Return the call of a method, or the use of a property."""
    if role == "setter":
        return f"{target} = {inner}"
    return target if role in ("getter", "deleter") else f"{target}({inner})"
