"""Trust in a change: whose settings apply, and which parts of the change must not control its own review."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.change.repository import INDEX, WORKTREE
from wardround.config.config_files import config_file_names, settings_differ, tools_for
from wardround.tools.tool import Tool, UntrustedPaths


class Trust:
    """The trusted settings of one review."""

    def __init__(self, review: ChangeUnderReview) -> None:
        self._source = review.source
        self._change = review.change
        self._host = review.host
        self._side = review.request.trusted_side
        self._read_trusted = review.read_trusted

    def read(self, path: str) -> str | None:
        """Return the content of a configuration file at the side whose settings apply."""
        content = self._read_trusted(path)
        return None if content is None else content.decode("utf-8", "surrogateescape")

    def files_in(self, folder: str) -> Sequence[str]:
        """Return the paths of the files below a folder, at the side whose settings apply."""
        return self._source.files_in(folder, self._side)

    @cached_property
    def untrusted_paths(self) -> list[str] | None:
        """The paths that the change touches; None where it is trusted."""
        return None if self._side == "head" else self._touched_settings

    @cached_property
    def unrun_paths(self) -> UntrustedPaths | None:
        """The paths of the change whose code no tool may run; None for what users have in their work tree.

        Applying the settings of a commit does not run its code: others may have written it.
        """
        if self._side == "head" and self._change.head in (INDEX, WORKTREE):
            return None
        return UntrustedPaths(
            str(self._source.root), tuple(sorted(self._touched_settings)), self._side == "head"
        )

    @cached_property
    def _touched_settings(self) -> list[str]:
        return [path for file in self._change.files for path in {file.path, file.base_path or file.path}]

    @cached_property
    def target_settings(self) -> dict[str, bytes | None]:
        """Return the target's versions of settings that differ at base or head, if their own settings do not
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
