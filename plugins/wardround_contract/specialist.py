"""The contract specialist: uses elsewhere in the repository that a change breaks."""

from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.checks.registry import CheckRegistry
from wardround.specialists import Specialist


class ContractSpecialist(Specialist):
    """Reviews changes as such: it has no files of its own."""

    name = "contract"
    patterns = ()
    uses_code_graph = True
    change_checks = CheckRegistry[type[ChangeCheck]]("wardround_contract.checks", "change")
