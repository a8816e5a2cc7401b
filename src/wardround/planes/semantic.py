"""The semantic plane: defects in types, data flow, error handling and concurrency, and the models' scores."""

from __future__ import annotations

from wardround.findings import Plane
from wardround.planes.coverage import FindingsPlane
from wardround.planes.run_judgement import add_behaviour_run

SEMANTIC = FindingsPlane(name=Plane.SEMANTIC, extend=add_behaviour_run)
