"""A use that a change leaves behind."""

from __future__ import annotations

import msgspec

from wardround.lazy import LazyPattern

NOT_MAINTAINED = LazyPattern(
    r"(?i)(^|/)(_?vendor(ed)?|third_party|node_modules|site-packages|dist|typings|stubs|snapshots"
    r"|__snapshots__|__generated__|generated|fixtures|test_?data|locales?|translations|testcases)/"
    r"|(^|(?<!actions)/)build/|\.min\.|\.gen\.|generated|\.lock$|lock\.(json|ya?ml)$"
)
"""Paths of files that are generated or copied from elsewhere."""


class RemainingUse(msgspec.Struct, frozen=True, order=True):
    """A place at the head."""

    path: str
    line: int
