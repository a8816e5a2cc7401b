"""Specialists made of attributes, and copies of tools and specialists in which something differs."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from wardround.specialists import Specialist

Original = TypeVar("Original")


def specialist(name: str, patterns: tuple[str, ...], **attributes: Any) -> Specialist:
    """A specialist with these attributes, and the methods of the base class."""
    return variant(Specialist(), name=name, patterns=patterns, **attributes)


def variant(original: Original, **attributes: Any) -> Original:
    """A copy with other attributes; a function replaces a method, without ``self``."""
    created = copy.copy(original)
    vars(created).update(attributes)
    return created
