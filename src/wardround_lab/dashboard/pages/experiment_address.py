"""The address of a page of experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from wardround_lab.dashboard.pages.page_number import page_number

TAB = "experiments"
_SEPARATOR = ","


class ExperimentAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The selection of a page of experiments.

    Attributes:
        runs: ids of the runs side by side, separated by commas; empty for the list of runs.
        view: ``results``, ``comparison`` or ``instances``.
        reward: of the chart and of the instances; empty for the first one.
        first, second: the compared configurations by name; empty for the first two.
        unit: of the resampling, ``instance`` or ``repository``.
        text: a part of the instances to show.
        page: number of the page of a list.
        instance: an instance that is open.
        sequence: a sequence of it that is open.
    """

    runs: str = ""
    view: str = "results"
    reward: str = ""
    first: str = ""
    second: str = ""
    unit: str = "instance"
    text: str = ""
    page: int = 1
    instance: str = ""
    sequence: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> ExperimentAddress:
        """Return the address that parameters name."""
        texts = {
            name: value for name, value in query.items() if name in cls.__struct_fields__ and name != "page"
        }
        return msgspec.structs.replace(msgspec.convert(texts, cls), page=page_number(query))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the runs."""
        return tuple(dict.fromkeys(filter(None, self.runs.split(_SEPARATOR))))

    def query(self, **changes: Any) -> dict[str, str]:
        """Return the parameters of this address with some changes."""
        changed = msgspec.structs.asdict(msgspec.structs.replace(self, **changes))
        defaults = msgspec.structs.asdict(ExperimentAddress())
        values = {name: str(value) for name, value in changed.items() if value != defaults[name]}
        return {"tab": TAB, **values}

    def without(self, run: str) -> dict[str, str]:
        """Return the parameters of the page without one of the runs."""
        return self.query(runs=_SEPARATOR.join(known for known in self.ids if known != run), page=1)

    def with_further(self, run: str) -> str:
        """Return the runs and a further one, as ``runs`` has them."""
        return _SEPARATOR.join((*self.ids, run))
