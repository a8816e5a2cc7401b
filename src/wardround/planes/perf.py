"""The perf plane: queries, complexity on hot paths, blocking calls, render cost, image and bundle size."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane

PERF = FindingsPlane(name=Plane.PERF, profiles=frozenset())
