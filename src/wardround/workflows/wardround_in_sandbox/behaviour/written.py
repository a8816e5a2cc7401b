"""A call as a person would write it."""

from __future__ import annotations

import inspect
import pickle
import re
from typing import Any

from .values import Used, is_listed_state, is_literal, public_state, shortened, text_of, type_name

_MOST_CLASSES = 50
_MOST_ITEMS = 3
_LONGEST_OBJECT = 60
"""Characters of an argument that is not a literal; a longer one is shown by the name of its class."""
_LONGEST_MATCH = 40


def call_text(payload: bytes, names: list[str], function: dict[str, Any]) -> dict[str, Any]:
    """Return the text of a call, the number of its arguments, and the classes and patterns in them."""
    used = Used()
    try:
        values = {name: text_of(one, is_shown=True, used=used) for name, one in pickle.loads(payload).items()}
        flat = pickle.loads(payload)
        texts = {name: _abbreviated(text, flat[name]) for name, text in values.items()}
    except BaseException:
        return {"written": ""}
    arguments = _arguments(texts, flat, names, function)
    own = flat.get(names[0]) if function["receiver"] and names else None
    receiver = "" if own is None else texts[names[0]]
    kind = "" if own is None else type_name(own if isinstance(own, type) else type(own))
    return {
        "written": _written(receiver, kind, ", ".join(arguments), function),
        "arguments": len(arguments),
        "classes": sorted(used.classes)[:_MOST_CLASSES],
        "patterns": sorted(used.patterns)[:_MOST_CLASSES],
    }


def _abbreviated(text: str, value: Any) -> str:
    """Return the text of an argument, or a short one if it is long and not a literal.

    An object that its constructor does not make from these attributes is in angle brackets.
    """
    if isinstance(value, re.Match):
        return f"<match {shortened(repr(value.group()), _LONGEST_MATCH)}>"
    if is_literal(value):
        return text
    if len(text) <= _LONGEST_OBJECT:
        name = type_name(type(value))
        is_listed = is_listed_state(value) and text.startswith(f"{name}(")
        return f"<{name} {text[len(name) + 1 : -1]}>" if is_listed and not _is_made_of(value) else text
    if type(value) is list:
        items = [_abbreviated(text_of(one, is_shown=True), one) for one in value[:_MOST_ITEMS]]
        return f"[{', '.join([*items, '...'] if len(value) > len(items) else items)}]"
    return f"<{type_name(type(value))}>"


def _is_made_of(value: Any) -> bool:
    """Return True if the constructor of an object takes its public attributes."""
    try:
        parameters = inspect.signature(type(value)).parameters
    except (TypeError, ValueError):
        return False
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    return takes_any or parameters.keys() >= public_state(value).keys()


def _arguments(
    texts: dict[str, str], values: dict[str, Any], names: list[str], function: dict[str, Any]
) -> list[str]:
    arguments, is_gapless = [], True
    for one in names[bool(function["receiver"]) :]:
        if one == function["rest"]:
            arguments += [_item(item) for item in values.get(one, ())]
        elif one == function["keywords"]:
            arguments += [f"{key}={_item(item)}" for key, item in values.get(one, {}).items()]
        elif one not in texts:
            is_gapless = False
        elif is_gapless and one not in function["keyword_only"]:
            arguments.append(texts[one])
        else:
            arguments.append(f"{one}={texts[one]}")
    return arguments


def _item(value: Any) -> str:
    return _abbreviated(text_of(value, is_shown=True), value)


def _written(receiver: str, kind: str, inner: str, function: dict[str, Any]) -> str:
    """Return the call.

    Args:
        kind: the class of the receiver, or the receiver itself if it is a class.
    """
    owner, _, name = function["name"].rpartition(".")
    owner = function["owner"] or owner
    if name in ("__init__", "__new__"):
        return f"{kind or owner}({inner})"
    if function["receiver"] == "cls" and kind:
        return f"{kind}.{name}({inner})"
    if function["receiver"] == "cls" or (owner and not function["receiver"]):
        return f"{owner}.{name}({inner})"
    target = f"{receiver or owner}.{name}" if function["receiver"] else name
    if function["role"] == "setter":
        return f"{target} = {inner}"
    return target if function["role"] in ("getter", "deleter") else f"{target}({inner})"
