"""Opening the storage that a path, a URL or the environment names.

A location comes from the caller or from the caller's environment, never from the configuration of a
repository: that must not decide to which machine the sequences of a contributor are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wardround.databases.postgres_url import POSTGRESQL_FORM, POSTGRESQL_SCHEMES, PostgresUrl
from wardround.errors import UsageError
from wardround.host import load_entries, load_entry
from wardround.storage.paths import state_dir
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage, StorageMissing
from wardround_lab.experiments.storage.sql import open_sql_storage

VARIABLE = "WARDROUND_LAB_STORAGE"
"""The environment variable with the location."""
_HOOK = "wardround_sequence_storages"


def default_file() -> Path:
    """Return the file of the user's own storage."""
    return state_dir() / "lab.sqlite"


def open_storage(text: str, environ: Mapping[str, str], *, create: bool = True) -> SequenceStorage:
    """Open the requested storage, else that of the environment, else the user's own; close it after use.

    Args:
        text: a file or a URL; empty for none.
        create: make a file that is absent.

    Raises:
        StorageMissing: the file is absent and is not to be made.
        UsageError: no storage has the scheme of the URL, or the storage cannot be opened.
    """
    text = text or environ.get(VARIABLE, "") or str(default_file())
    if text.startswith(POSTGRESQL_SCHEMES):
        return open_sql_storage(PostgresUrl(text))
    if "://" in text:
        return _contributed_storage(text)
    return _file_storage(Path(text), create=create)


def _file_storage(file: Path, *, create: bool) -> SequenceStorage:
    if not create and not file.exists():
        raise StorageMissing(f"the storage {file}: there is no such file; wardround lab run creates it")
    return open_sql_storage(file)


def _contributed_storage(url: str) -> SequenceStorage:
    scheme = url.partition("://")[0]
    try:
        factory = load_entry(_HOOK, scheme)
    except KeyError:
        known = ", ".join(sorted(load_entries(_HOOK)))
        raise UsageError(
            f"a storage cannot be of the kind {scheme!r}; give a file, {POSTGRESQL_FORM},"
            f" or a URL of a kind that plugins have: {known or 'none'}"
        ) from None
    storage: SequenceStorage = factory(url)
    return storage
