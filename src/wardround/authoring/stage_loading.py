"""The stages that plugins contribute, by name."""

from __future__ import annotations

from typing import Any

from wardround.authoring.run_inputs import RunInputs
from wardround.errors import UsageError
from wardround.host import load_entries, load_entry


async def contributed_stage(hook: str, name: str, inputs: RunInputs) -> Any:
    """Return a stage of a run.

    Args:
        hook: ``wardround_localizations``, ``wardround_authors`` or ``wardround_selections``.

    Raises:
        UsageError: no plugin contributes one of this name.
    """
    try:
        factory = load_entry(hook, name)
    except KeyError:
        known = ", ".join(sorted(load_entries(hook)))
        raise UsageError(f"{name!r} is none of {known}; choose one, or install its plugin") from None
    return await factory(inputs)
