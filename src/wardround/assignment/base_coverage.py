"""The specialists that reviewed the old version of a changed file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from wardround.assignment.change_under_review import ChangeUnderReview, is_selected
from wardround.assignment.claims import files_to_fetch
from wardround.assignment.readability import MAX_SOURCE_BYTES, why_unreadable
from wardround.change.diff import ChangedFile
from wardround.config.loader import read
from wardround.config.schema import OWN_FILE, SHARED_FILE, Config
from wardround.errors import ConfigError
from wardround.specialists import Specialist


class BaseCoverage:
    """The review of the base, by the configuration of the base and by the one that applies now."""

    def __init__(self, reviewed: ChangeUnderReview) -> None:
        self._source = reviewed.source
        self._change = reviewed.change
        self._host = reviewed.host
        self._config = reviewed.config
        self._request = reviewed.request
        self._unfetched = files_to_fetch(reviewed.change, reviewed.specialists)

    def covering(self, file: ChangedFile, readers: Sequence[Specialist]) -> Collection[Specialist]:
        """Return the specialists that reviewed the old version."""
        self._fetch()
        content = self._source.content(file, base=True)
        path = file.base_path
        if content is None or path is None:
            return ()
        if any(config.for_file(path).excluded for config in self._configs):
            return ()
        claiming = [reader for reader in readers if reader.claims_name(path)]
        if len(claiming) < len(readers):
            claiming = self._host.specialists_for(path, content[:MAX_SOURCE_BYTES])
        selected = filter(self._is_selected, claiming)
        return [reader for reader in selected if why_unreadable(file, path, content, reader) is None]

    def _is_selected(self, reader: Specialist) -> bool:
        return all(is_selected(reader.name, config, self._request) for config in self._configs)

    def _fetch(self) -> None:
        """Read the old contents of all files at once, when the first is needed."""
        if self._unfetched:
            self._source.fetch(self._unfetched, base=True)
            self._unfetched = []

    @cached_property
    def _configs(self) -> tuple[Config, ...]:
        base = self._base_config()
        return (self._config,) if base is None else (self._config, base)

    def _base_config(self) -> Config | None:
        """Return the configuration of the base, if the change itself contains the one that applies."""
        touched = {file.path.rpartition("/")[2] for file in self._change.files}
        if self._request.trusted_side == "target" or not touched & {OWN_FILE, SHARED_FILE}:
            return None
        paths = [path for file in self._change.files for path in (file.path, file.base_path) if path]
        try:
            return read(lambda path: self._source.read(path, "base"), paths, self._host.specialists)
        except ConfigError:  # no review used it
            return None
