"""Libraries that only some tests need."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def require_installed(*names: str, reason: str | None = None) -> None:
    """Skip the tests of the calling module without these libraries.

    Unlike ``pytest.importorskip`` it imports none of them: every worker collects every module, and
    those that train models import for ten seconds.
    """
    for name in names:
        if find_spec(name) is None:
            pytest.skip(reason or f"{name} is not installed", allow_module_level=True)
