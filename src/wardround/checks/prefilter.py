"""Prefilters: cheap tests of a file that run before a check is imported."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from wardround.text.keyword_index import KeywordIndex


class PrefilterInput(Protocol):
    """A file as the selection of checks sees it."""

    @property
    def keywords(self) -> KeywordIndex:
        """The keywords of its source."""

    def passes_prefilter(self, look: str) -> bool:
        """Return True if it passes a prefilter, by its ``module:name``."""


@cache
def load_prefilter(place: str) -> Callable[[Any], bool]:
    """Import the prefilter that ``module:name`` names."""
    module, _, name = place.partition(":")
    look: Callable[[Any], bool] = getattr(importlib.import_module(module), name)
    return look
