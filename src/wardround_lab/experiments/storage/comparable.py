"""Values of configurations as text that is equal where the values are, in every storage.

Numbers are equal by their value, whether they are written 1 or 1.0; true is not the number 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from wardround.authoring.stages import Value
from wardround.storage.digest import sha256

_LONGEST = 256
"""Characters of a value; databases limit the length of what they index, so that a longer one has a digest."""


def comparable_values(configuration: Mapping[str, Value]) -> dict[str, str]:
    """Return the values of a configuration by name, as comparable text."""
    return {name: comparable_value(value) for name, value in configuration.items()}


def comparable_value(value: Value) -> str:
    """Return a value as comparable text."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value) if type(value) is int else msgspec.json.encode(value).decode()
    return text if len(text) <= _LONGEST else f"sha256:{sha256(text.encode()).hexdigest()}"
