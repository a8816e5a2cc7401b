"""The security plane: injection, secrets, permissions, supply chain, trust boundaries."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane

SECURITY = FindingsPlane(name=Plane.SECURITY)
