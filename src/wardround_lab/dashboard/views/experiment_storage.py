"""The storage of experiments, opened for one view."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager

import msgspec

from wardround_lab.dashboard.stores import Stores
from wardround_lab.experiments.storage.opening import open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage, StorageError


@contextmanager
def opened_experiments(stores: Stores) -> Iterator[SequenceStorage]:
    """Open the storage of experiments, which is not created.

    Raises:
        StorageMissing: there is none yet.
        StorageError: it cannot be opened or read, or has an entry that this version cannot read.
    """
    with closing(open_storage(stores.experiments or "", os.environ, create=False)) as storage:
        try:
            yield storage
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise StorageError(
                f"the storage of experiments has an entry that this version cannot read ({cause});"
                " upgrade wardround, or give another storage with --experiments"
            ) from cause
