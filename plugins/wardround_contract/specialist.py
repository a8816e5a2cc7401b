"""The contract specialist: uses elsewhere in the repository that a change breaks."""

from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.checks.registry import CheckRegistry
from wardround.findings import Plane
from wardround.specialists import Specialist


class ContractSpecialist(Specialist):
    """Reviews the change as a whole; no file is assigned to it."""

    name = "contract"
    change_planes = frozenset({Plane.CONTRACT})
    patterns = ()
    uses_code_graph = True
    change_checks = CheckRegistry[type[ChangeCheck]]("wardround_contract.checks", "change")
