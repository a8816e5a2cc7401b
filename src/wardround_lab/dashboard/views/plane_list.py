"""The results of each plane in the newest reviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from wardround.findings import Plane
from wardround.planes.signal import PlaneStatus
from wardround.records.store import Query, RecordStore
from wardround_lab.dashboard.views.record_content import RecordContents, SignalContent

SEVERITIES = ("none", "info", "warn", "error")


class PlaneTally(msgspec.Struct, frozen=True):
    """The number of reviews in which a plane had each result.

    Attributes:
        severities: of the reviews in which it was reviewed, by the severity of its signal.
    """

    plane: str
    severities: dict[str, int]
    inconclusive: int
    not_applicable: int


class PlaneList(msgspec.Struct, frozen=True):
    """The planes in the newest reviews; ``reviews`` is their number."""

    reviews: int
    planes: Sequence[PlaneTally]


def plane_list(records: RecordStore, conditions: Query, contents: RecordContents) -> PlaneList:
    """Return the results of each plane in the newest reviews that meet the conditions."""
    found = [content for _, content in contents.newest(records, conditions)]
    signals = [signal for content in found for signal in content.signals]
    return PlaneList(len(found), [_tally(plane, signals) for plane in Plane])


def _tally(plane: str, signals: Sequence[SignalContent]) -> PlaneTally:
    own = [signal for signal in signals if signal.plane == plane]
    status = Counter(signal.status for signal in own)
    reviewed = Counter(signal.severity for signal in own if signal.status == PlaneStatus.REVIEWED)
    return PlaneTally(
        plane,
        {severity: reviewed[severity] for severity in SEVERITIES},
        inconclusive=status[PlaneStatus.INCONCLUSIVE],
        not_applicable=status[PlaneStatus.NOT_APPLICABLE],
    )
