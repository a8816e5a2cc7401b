"""Reading the YAML files of rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from wardround.storage.digest import sha256
from wardround.storage.memo import memoize_on_disk

_TAG = "tag:yaml.org,2002:"
_PLAIN = ("bool", "float", "int", "map", "null", "seq", "str")


class InvalidYamlError(ValueError):
    """A text is not YAML; the message is that of the parser, on one line."""


def load_yaml(text: str) -> Any:
    """Parse YAML; the parsed form is cached, since parsing dominates the start-up time."""
    return _cache_parsed("1.2", text, lambda: _parse_yaml(text, _loader()))


def parse_yaml(text: str) -> Any:
    """Parse YAML of a repository: not cached, since a cached value is expanded, and aliases have no limit."""
    return _parse_yaml(text, _loader())


def load_plain_yaml(text: str) -> Any:
    """Parse YAML as far as JSON has it, for files that others write: no aliases, no tags, unique keys.

    An alias can make a few lines expand without a limit, and of two equal keys the first would count for
    nothing.
    """
    return _cache_parsed("plain", text, lambda: _parsed_plain(text))


def _cache_parsed(kind: str, text: str, parse: Callable[[], Any]) -> Any:
    return memoize_on_disk("rules", sha256(f"{kind} {text}".encode()).hexdigest(), parse)


def _loader(removed: Collection[str] = ()) -> Any:
    """Return a loader of YAML 1.2: ``on``, ``off``, ``yes`` and ``no`` are strings, as the engines read them.

    Args:
        removed: other tags that are not assigned to plain text.
    """
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    usual = base.yaml_implicit_resolvers
    others = {_TAG + "bool", *removed}
    words = {first: [entry for entry in some if entry[0] not in others] for first, some in usual.items()}
    loader: Any = type("RuleLoader", (base,), {"yaml_implicit_resolvers": words})
    loader.add_implicit_resolver(_TAG + "bool", re.compile(r"(?:true|false|True|False)\Z"), list("tfTF"))
    return loader


def _parse_yaml(text: str, loader: Any) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader, in C where it was built)
    except (yaml.YAMLError, RecursionError) as cause:
        raise InvalidYamlError(" ".join(str(cause).split())) from cause


def _parsed_plain(text: str) -> Any:
    import yaml

    loader = _loader([_TAG + "timestamp", _TAG + "merge", _TAG + "value"])
    known = loader.yaml_constructors
    loader.yaml_constructors = {_TAG + name: known[_TAG + name] for name in _PLAIN} | {None: known[None]}
    loader.construct_mapping = _unique_mapping
    try:
        events = yaml.parse(text, Loader=loader)
        if any(isinstance(event, yaml.AliasEvent) for event in events):
            raise InvalidYamlError("aliases are not supported; write the value again")
    except yaml.YAMLError as cause:
        raise InvalidYamlError(" ".join(str(cause).split())) from cause
    return _parse_yaml(text, loader)


def _unique_mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
    """Construct a mapping, whose keys must differ."""
    from yaml.constructor import ConstructorError

    pairs = [(loader.construct_object(key, deep=True), value) for key, value in node.value]
    found: dict[Any, Any] = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise ConstructorError(None, None, "a key is not a text", node.start_mark)
        if key in found:
            raise ConstructorError(None, None, f"the key {key[:40]!r} is repeated", node.start_mark)
        found[key] = loader.construct_object(value, deep=deep)
    return found
