"""The contract plane: what other code and other people rely on, inside and outside the repository."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.run_judgement import add_behaviour_run

CONTRACT = FindingsPlane(name=Plane.CONTRACT, profiles=frozenset({"ci"}), extend=add_behaviour_run)
