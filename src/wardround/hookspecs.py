"""The complete contract between wardround and a plugin.

A plugin is an importable module named by an entry point of the group ``wardround``::

    [project.entry-points.wardround]
    acme = "wardround_acme"

The module holds functions marked with ``hookimpl``; wardround's own specialists register in the same way.
Keep the module light and import the specialist inside the function: every ``wardround`` command that reviews
imports every plugin. A plugin that cannot be loaded stops the run, since a missing reviewer must never look
like a clean review.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.training_tasks import AnyTask

GROUP = "wardround"

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


@hookspec
def wardround_specialists() -> Sequence[Specialist]:
    """Return the specialists of this plugin.

    Called once per run. Names must differ from those of all other plugins. The host then runs the
    specialists itself, in the order of their names, so the order of installation never matters.
    """
    raise NotImplementedError


@hookspec
def wardround_tasks() -> Sequence[AnyTask]:
    """Return the tasks that this plugin's models can be trained for.

    Called by ``wardround data`` and ``wardround adapters`` only, never by a review. Names must differ from
    those of all other plugins.
    """
    raise NotImplementedError
