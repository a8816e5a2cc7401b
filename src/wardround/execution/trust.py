"""Trust in a change: whose settings apply, and which parts of the change must not control its own review."""

from __future__ import annotations

from functools import cached_property

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.change.repository import INDEX, WORKTREE
from wardround.config.request import ReviewRequest
from wardround.context.config_files import config_file_names, settings_differ, tools_for
from wardround.host import PluginHost
from wardround.tools.tool import Tool, UntrustedPaths


class Trust:
    """The trusted settings of one review."""

    def __init__(
        self, source: ChangeSource, change: Change, host: PluginHost, request: ReviewRequest
    ) -> None:
        self._source = source
        self._change = change
        self._host = host
        self._side = request.trusted_side

    def read_settings(self, path: str) -> str | None:
        """Return the text of a configuration file on the side whose settings apply."""
        content = self._source.read(path, self._side)
        return None if content is None else content.decode("utf-8", "surrogateescape")

    @cached_property
    def untrusted_paths(self) -> list[str] | None:
        """The paths that the change touches; None where it is trusted."""
        return None if self._side == "head" else self._touched

    @cached_property
    def unrun_paths(self) -> UntrustedPaths | None:
        """The paths of the change whose code no tool may run; None for what users have in their work tree.

        That the settings of a commit apply does not make its code run: others may have written it.
        """
        if self._side == "head" and self._change.head in (INDEX, WORKTREE):
            return None
        return UntrustedPaths(str(self._source.root), tuple(sorted(self._touched)), self._side == "head")

    @cached_property
    def _touched(self) -> list[str]:
        return [path for file in self._change.files for path in {file.path, file.base_path or file.path}]

    @cached_property
    def target_settings(self) -> dict[str, bytes | None]:
        """Return the target's versions of settings that differ on a side, if the sides' own settings do not
        apply.

        Either the change touches them, or the target branch has moved on since the change was forked.
        """
        if not self.untrusted_paths:
            return {}
        watched, names = config_file_names(self._tools), {tool.name for tool in self._tools}
        touched = [path for path in self.untrusted_paths if path.rpartition("/")[2] in watched]
        settings = {}
        for path in {*touched, *self._source.moved_settings(watched)}:
            target, base, head = (self._source.read(path, side) for side in ("target", "base", "head"))
            if settings_differ(path, target, base, names) or settings_differ(path, target, head, names):
                settings[path] = target
        return settings

    @cached_property
    def forbidden_names(self) -> set[str]:
        """The names of configuration files that are code, which no tool may see in an untrusted change."""
        if self.untrusted_paths is None:
            return set()
        return {name for tool in self._tools for name in tool.config_code}

    @cached_property
    def _tools(self) -> list[Tool]:
        return tools_for(self._host.specialists)
