"""The address of a page of test runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from wardround_lab.dashboard.pages.page_number import page_number

TAB = "test-runs"


class RunAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The selection of a page of test runs.

    Attributes:
        run: key of the run that is open; empty for the list.
        outcome: only tests with this outcome; empty for all.
        page: number of the page of runs, or of tests.
    """

    run: str = ""
    outcome: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> RunAddress:
        """Return the address that parameters name."""
        return cls(run=query.get("run", ""), outcome=query.get("outcome", ""), page=page_number(query))

    def query(self, **changes: Any) -> dict[str, str]:
        """Return the parameters of this address with some changes."""
        changed = msgspec.structs.replace(self, **changes)
        values = {"run": changed.run, "outcome": changed.outcome}
        values["page"] = str(changed.page) if changed.page > 1 else ""
        return {"tab": TAB, **{name: value for name, value in values.items() if value}}
