"""The places of the stores that the dashboard reads."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wardround.records.location import Location


class Stores(msgspec.Struct, frozen=True, kw_only=True):
    """The stores and folders that the commands write.

    Attributes:
        repository: the root of the repository whose folders are shown.
        records: the record store.
        judgements: the folder of ``wardround eval judge``.
        data: the folder of curated examples, JSON Lines as ``wardround data`` writes them.
        training: the folder below which each training has its run directory.
        experiments: the storage of experiments, as of ``wardround lab run --storage``; None for the default.
        runs: the folder of reports of test runs and behaviour comparisons.
    """

    repository: Path
    records: Location
    judgements: Path
    data: Path
    training: Path
    experiments: str | None
    runs: Path
