"""The analyses of wardround and of the installed plugins."""

from __future__ import annotations

from functools import cache
from typing import Any

from wardround import builtin, host
from wardround.analyses.analysis import Analysis
from wardround.errors import PluginLoadError
from wardround.findings import Plane

_HOOK = "wardround_analyses"


@cache
def known_analyses() -> tuple[Analysis[Any], ...]:
    """Return all analyses, those of wardround first, in the order in which reports show their notes.

    Raises:
        PluginLoadError: a plugin cannot be loaded, or contributes something else.
    """
    return tuple(_instance(name, loaded) for name, loaded in host.load_every_entry(_HOOK).items())


def own_analyses() -> tuple[Analysis[Any], ...]:
    """Return the analyses of wardround."""
    return tuple(analysis for analysis in known_analyses() if is_builtin_analysis(analysis.name))


def is_builtin_analysis(name: str) -> bool:
    """Return True for the name of an analysis of wardround."""
    return name in builtin.wardround_analyses()


def analyses_of(plane: Plane) -> tuple[Analysis[Any], ...]:
    """Return the analyses whose notes are about a plane."""
    return tuple(analysis for analysis in known_analyses() if analysis.plane is plane)


def _instance(name: str, loaded: Any) -> Analysis[Any]:
    """Return the analysis of an entry, validated against the contract."""
    fault = _fault(name, loaded)
    if fault:
        raise PluginLoadError(name, getattr(loaded, "__module__", _HOOK), fault)
    analysis: Analysis[Any] = loaded()
    return analysis


def _fault(name: str, loaded: Any) -> str:
    """Return the reason why an entry cannot be used; empty if it can."""
    if not (isinstance(loaded, type) and issubclass(loaded, Analysis)):
        return f"{loaded!r} is not a subclass of wardround.analyses.analysis.Analysis"
    missing = [part for part in ("name", "plane", "notes_type") if not hasattr(loaded, part)]
    if missing:
        return f"{loaded.__name__} lacks {' and '.join(missing)}"
    if loaded.name != name:
        return f"{loaded.__name__} has the name {loaded.name!r}, and is registered as {name!r}"
    return ""
