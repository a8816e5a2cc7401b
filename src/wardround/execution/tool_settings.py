"""The configuration files of tools that apply to a path, read from the trusted side."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from wardround.storage.digest import digest_key
from wardround.tools.configuration import SettingsReader, configuration
from wardround.tools.tool import UNTRUSTED_PATHS_FILE, Tool, UntrustedPaths


class ToolSettings:
    """The configuration of each tool in each folder.

    Args:
        trusted: the files of the trusted side.
        unrun_paths: the paths of a change whose code must not be run; None where that is trusted.
    """

    def __init__(
        self,
        root: Path,
        trusted: SettingsReader,
        unrun_paths: UntrustedPaths | None,
    ) -> None:
        self._root = root
        self._unrun_paths = unrun_paths
        self.trusted = trusted
        self._files: dict[tuple[Tool, str], dict[str, str]] = {}
        self._keys: dict[tuple[Tool, str], bytes] = {}

    def files(self, tool: Tool, path: str) -> dict[str, str]:
        """Return the tool's configuration files that apply to a path, with those they refer to: text by
        name.
        """
        folder = path.rpartition("/")[0]
        known = self._files.get((tool, folder))
        if known is not None:
            return known
        above = self.files(tool, folder) if folder else {}
        files = configuration(tool, folder, self.trusted, above)
        if not folder and tool.runs_config and self._unrun_paths is not None:
            files["../" + UNTRUSTED_PATHS_FILE] = msgspec.json.encode(self._unrun_paths).decode()
        self._files[tool, folder] = files
        return files

    def key(self, tool: Tool, path: str) -> bytes:
        """Return a digest of the configuration that applies to a path."""
        where = (tool, path.rpartition("/")[0])
        if where not in self._keys:
            items = self.files(tool, path).items()
            self._keys[where] = digest_key(*(part for item in items for part in item))
        return self._keys[where]

    def referenced_paths(self, changed: Collection[str]) -> Iterator[str]:
        """Yield the changed paths that configuration files refer to."""
        for (tool, _), files in self._files.items():
            for path in files:
                if path in changed and path.rpartition("/")[2] not in tool.config_names:
                    yield path
