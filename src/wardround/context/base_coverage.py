"""The specialists that reviewed the old version of a changed file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.config.loader import read
from wardround.config.request import ReviewRequest
from wardround.config.schema import OWN_FILE, SHARED_FILE, Config
from wardround.context.claims import files_to_fetch, is_selected
from wardround.context.readability import MAX_SOURCE_BYTES, why_unreadable
from wardround.errors import ConfigError
from wardround.host import PluginHost
from wardround.specialists import Specialist


class BaseCoverage:
    """The review of the base, by the configuration of the base and by the one that applies now."""

    def __init__(
        self,
        source: ChangeSource,
        change: Change,
        host: PluginHost,
        config: Config,
        request: ReviewRequest,
        specialists: Sequence[Specialist],
    ) -> None:
        self._source = source
        self._change = change
        self._host = host
        self._config = config
        self._request = request
        self._unfetched = files_to_fetch(change, specialists)

    def covering(self, file: ChangedFile, readers: Sequence[Specialist]) -> Collection[Specialist]:
        """Those of the readers that reviewed the old version."""
        self._fetch()
        content = self._source.content(file, base=True)
        path = file.base_path
        if content is None or path is None:
            return ()
        if any(config.for_file(path).excluded for config in self._configs):
            return ()
        claiming = [s for s in readers if s.claims_name(path)]
        if len(claiming) < len(readers):
            claiming = self._host.specialists_for(path, content[:MAX_SOURCE_BYTES])
        return [
            s
            for s in claiming
            if all(is_selected(s.name, config, self._request) for config in self._configs)
            and why_unreadable(file, path, content, s) is None
        ]

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
