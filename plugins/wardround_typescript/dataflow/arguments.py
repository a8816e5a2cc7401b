"""What a call gives to a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wardround_typescript.dataflow.domain import Value


@dataclass(frozen=True, slots=True)
class Given:
    """An argument: what it carries, and of an object written there what each field does."""

    value: Value
    fields: Mapping[str, Value] | None = None
    is_spread: bool = False
