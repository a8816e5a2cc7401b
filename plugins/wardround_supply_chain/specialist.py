"""The supply-chain specialist: lock files and install scripts of a change."""

from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.checks.registry import CheckRegistry
from wardround.specialists import Specialist


class SupplyChainSpecialist(Specialist):
    """Reviews the change as a whole; no file is assigned to it."""

    name = "supply-chain"
    change_planes = frozenset()
    patterns = ()
    change_checks = CheckRegistry[type[ChangeCheck]]("wardround_supply_chain.checks", "change")
