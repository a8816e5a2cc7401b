"""Moved modules."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from evals.planting.checkout import Break, Checkout


def python_modules(checkout: Checkout) -> Iterator[Break]:
    """Move modules that others import."""
    for path, text in checkout.sources(".py").items():
        stem = posixpath.basename(path).removesuffix(".py")
        if stem.startswith("__") or len(stem) < 5 or stem in ("settings", "manage", "setup"):
            continue
        parent = posixpath.basename(posixpath.dirname(path))
        uses = checkout.users(rf"(?m)^\s*from\s+[\w.]*\b{parent}\.{stem}\s+import\b", (".py",), path, stem)
        if uses and parent:
            new = posixpath.join(posixpath.dirname(path), f"{stem}_core.py")
            yield Break("move module", "python", stem, {path: None, new: text}, uses)


def script_modules(checkout: Checkout) -> Iterator[Break]:
    """Move modules that others import by a relative path."""
    for path, text in checkout.sources(".ts", ".tsx").items():
        stem, ending = posixpath.splitext(posixpath.basename(path))
        if len(stem) < 5 or "." in stem or stem in ("index", "types", "utils"):
            continue
        uses = tuple(
            u for u in checkout.users(rf"from\s+['\"]\./{re.escape(stem)}['\"]", (".ts", ".tsx"), path, stem)
            if posixpath.dirname(u) == posixpath.dirname(path)
        )  # fmt: skip
        if uses:
            new = posixpath.join(posixpath.dirname(path), f"{stem}-core{ending}")
            yield Break("move module", "typescript", stem, {path: None, new: text}, uses)
