"""Test files, and names of functions that others may call."""

from __future__ import annotations

from .functions import ROOT


def is_public(name: str) -> bool:
    """Return True for the name of a function that is not private, nested, a lambda or a comprehension."""
    return "<" not in name and not any(
        part.startswith("_") and not part.endswith("__") for part in name.split(".")
    )


def is_test_file(path: str) -> bool:
    """Return True for a test file in the tree."""
    if not path.startswith(f"{ROOT}/"):
        return False
    *folders, name = path[len(ROOT) + 1 :].split("/")
    return (
        name.startswith(("test_", "conftest"))
        or name.endswith("_test.py")
        or not {"test", "tests"}.isdisjoint(folders)
    )
