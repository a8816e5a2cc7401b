"""The supply-chain specialist's plugin hooks."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist


@hookimpl
def wardround_specialists() -> Sequence[Specialist]:
    from wardround_supply_chain.specialist import SupplyChainSpecialist

    return [SupplyChainSpecialist()]
