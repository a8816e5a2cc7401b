"""Changes to the configuration by which the change itself is reviewed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from wardround.change.diff import ChangedFile, FileStatus
from wardround.change.trees import paths_overlap
from wardround.config.config_files import config_file_names, settings_differ, tools_for
from wardround.findings import Finding, Status
from wardround.processors import dismissals_file
from wardround.processors.model import ChangeTexts, PipelineInputs, ReviewFindings
from wardround.processors.notices import new_notice


class ReportTampering:
    """Report changed configuration where that of the target applies.

    A change is compared with the merge base: later commits of the target branch are not part of it.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if inputs.is_trusted:
            return review
        notices = (replace(notice, status=Status.NEW) for notice in _notices(inputs))
        return replace(review, notices=(*review.notices, *notices))


def _notices(inputs: PipelineInputs) -> Iterator[Finding]:
    watched = _WatchedFiles(inputs)
    unclaimed = set(inputs.results.head.tampered_paths)
    for file in inputs.change.files:
        tampered = {path for path in unclaimed if any(paths_overlap(path, own) for own in _paths(file))}
        unclaimed -= tampered
        if tampered:
            yield _notice(file, "its version was not used", inputs)
        elif watched.is_changed(file):
            yield _notice(file, _consequence(file), inputs)


def alters_settings(inputs: PipelineInputs) -> bool:
    """Return True if the change alters settings of wardround or of its tools; accepted findings are none."""
    watched = _WatchedFiles(inputs)
    return any(watched.is_altered(file) for file in inputs.change.files)


def _consequence(file: ChangedFile) -> str:
    if file.status is FileStatus.ADDED:
        return "it is new and was not used: the settings of the target branch apply"
    return "the target branch's version was used"


def _notice(file: ChangedFile, consequence: str, inputs: PipelineInputs) -> Finding:
    line = next((hunk.head_start for hunk in file.hunks if hunk.head_length), 1)
    message = f"{file.path} controls this review; {consequence}"
    return new_notice(inputs, "config-changed", file.path, (line, 1), message)


def _paths(file: ChangedFile) -> set[str]:
    return {file.path, file.base_path or file.path}


class _WatchedFiles:
    """The files that configure wardround and its tools, and the records of accepted findings."""

    def __init__(self, inputs: PipelineInputs) -> None:
        tools = tools_for(inputs.specialists)
        baseline = inputs.config.root.baseline
        self._texts = inputs.texts
        self._tools = {tool.name for tool in tools}
        self._names = config_file_names(tools)
        self._root_names = {name for tool in tools if tool.config_at_root for name in tool.config_names}
        self._with_folders = [tool for tool in tools if tool.config_folders]
        self._records = {baseline, dismissals_file.path_for(baseline)}

    def is_changed(self, file: ChangedFile) -> bool:
        """Return True for a record, and for a configuration file with other settings than before."""
        return bool(self._records & _paths(file)) or self.is_altered(file)

    def is_altered(self, file: ChangedFile) -> bool:
        """Return True for a configuration file with other settings than before."""
        paths = _paths(file)
        names = {path.rpartition("/")[2] for path in paths}
        is_in_folder = any(tool.is_in_config_folder(path) for tool in self._with_folders for path in paths)
        is_config = is_in_folder or bool(paths & self._root_names or names & self._names)
        return is_config and _settings_differ(file, self._texts, self._tools)


def _settings_differ(file: ChangedFile, texts: ChangeTexts, tools: Collection[str]) -> bool:
    """Return True if a file configures wardround or its tools differently than before."""
    before, after = texts.base_bytes(file.path), texts.head_bytes(file.path)
    if file.base_path in (None, file.path):
        return settings_differ(file.path, before, after, tools)
    return settings_differ(file.base_path, before, None, tools) or settings_differ(
        file.path, None, after, tools
    )
