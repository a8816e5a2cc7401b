"""The reasons for which a step rejects a candidate."""

from __future__ import annotations

import msgspec


class Objection(msgspec.Struct, frozen=True):
    """One reason, for the next round and for the packet.

    Attributes:
        step: the name of the step.
        place: ``path:line``, or the id of a test; empty for the whole patch.
    """

    step: str
    text: str
    place: str = ""
