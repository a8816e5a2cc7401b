"""Reading small YAML files without aliases, which could make them very large."""

from __future__ import annotations

from typing import Any

_MOST_CHARACTERS = 4_000_000


def load_plain(text: str) -> dict[str, Any] | None:
    """Return the mapping of a YAML text; None for aliases, tags of objects, nesting or another text."""
    import yaml  # only changes of such a file need it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    if len(text) > _MOST_CHARACTERS or _has_alias(text, loader):
        return None
    try:
        document = yaml.load(text, Loader=loader)  # noqa: S506  # a base loader makes texts alone
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def _has_alias(text: str, loader: Any) -> bool:
    """Return True for a text with an alias, or one that cannot be parsed."""
    import yaml

    if "*" not in text:
        return False
    try:
        return any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=loader))
    except (yaml.YAMLError, RecursionError):
        return True
