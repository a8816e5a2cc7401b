"""Reading the YAML files of rules."""

from __future__ import annotations

import re
from typing import Any

from wardround.storage.digest import sha256
from wardround.storage.memo import memoize_on_disk


class InvalidYamlError(ValueError):
    """A text is not YAML; the message is that of the parser, on one line."""


def load_yaml(text: str) -> Any:
    """Parse YAML; the parsed form is cached, since parsing dominates the start-up time."""
    return memoize_on_disk("rules", sha256(f"1.2 {text}".encode()).hexdigest(), lambda: _parsed(text))


def _parsed(text: str) -> Any:
    """Parse YAML 1.2: ``on``, ``off``, ``yes`` and ``no`` are strings, as the engines read them."""
    import yaml

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    truth = "tag:yaml.org,2002:bool"
    usual = base.yaml_implicit_resolvers
    words = {first: [one for one in some if one[0] != truth] for first, some in usual.items()}
    loader: Any = type("RuleLoader", (base,), {"yaml_implicit_resolvers": words})
    loader.add_implicit_resolver(truth, re.compile(r"(?:true|false|True|False)\Z"), list("tfTF"))
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader, in C where it was built)
    except (yaml.YAMLError, RecursionError) as cause:
        raise InvalidYamlError(" ".join(str(cause).split())) from cause
