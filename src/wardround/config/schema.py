"""One frozen configuration, read once from the trusted side of the change.

``[tool.wardround]`` in ``pyproject.toml`` or the same keys in ``.wardround.toml``; for every file the
nearest folder wins, key by key. Keys that configure the run apply at the repository root only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from wardround.config.language_model import EndpointSettings, LanguageModelSettings, Roles
from wardround.config.record_settings import RecordMode, RecordSettings
from wardround.config.sandbox_settings import SandboxSettings
from wardround.config.ticket_settings import TicketRules
from wardround.context.run_evidence import RUN_PARTS, RunPart, sorted_parts
from wardround.findings import Severity
from wardround.rules.renamed import current_ids
from wardround.specialists import Specialist
from wardround.text.globs import covers

OWN_FILE = ".wardround.toml"
SHARED_FILE = "pyproject.toml"
BASELINE_FILE = ".wardround-baseline.json"
JUDGE_ON = "on"
JUDGE_OFF = "off"

FailLevel = Literal["none", "info", "warn", "error"]
FilterMode = Literal["added", "diff_context", "file", "nofilter"]
InconclusiveAction = Literal["pass", "block"]
ConfigFrom = Literal["base", "head"]
FailingVerdict = Literal["human-review", "escalate", "declined"]
"""A verdict that can be configured to block; the milder ones never do."""
ModelMode = Literal["off", "on", "required"]
"""If a model is required and cannot be used, the hunks it would have reviewed are unreviewed."""


class RunSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The keys that apply at the repository root only.

    Attributes:
        fail_level: the lowest severity that blocks.
        filter_mode: the findings that are shown: on added lines, also near them, in the changed files, or
            all.
        jobs: the number of parallel tools.
        tool_timeout: seconds for one run of a tool.
        skip: specialists that do not run.
        only: the only specialists that run.
        required_plugins: plugins without which nothing is reviewed.
        inconclusive: the consequence of a review that lacks a required result, by profile.
        fail_on_verdict: in the profile ``ci`` these verdicts block, and every stricter one.
        baseline: the file of accepted findings.
        models: ``required``: a missing model makes its files unreviewed.
        model_folders: additional folders with models, searched before those of the package.
        model_provider: the processor that models run on.
        model_threads: threads of a model; the number does not change a score.
        log_shadow: record the scores of shadow models, without texts.
        fold: fold unlikely notes, and rules that the project keeps dismissing.
        judge: ``on``, ``off``, or the JSON file of a judge that learned from your own verdicts.
        policy: ``default``, ``strict``, ``advisory``, or a YAML file of the repository.
        records: the profiles whose reviews are recorded in the store, or a table.
        language_model: the model that the planes of a review use.
        endpoints: endpoints by name, for the roles.
        roles: the endpoints that write, verify and rank patches.
        coverage_files: files of a test run that show which changed lines ran, relative to the root.
        sandbox: isolation, limits and environment of runs; only those of the base of a change apply.
        run: run the change in CI: true, or a list of parts; only the value of the base applies.
        tickets: the projects whose tickets a change may name.
    """

    fail_level: FailLevel = "error"
    filter_mode: FilterMode = "added"
    jobs: int | None = None
    tool_timeout: float | None = None
    skip: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    required_plugins: tuple[str, ...] = ()
    inconclusive: dict[Literal["commit", "ci"], InconclusiveAction] = {}
    fail_on_verdict: tuple[FailingVerdict, ...] = ()
    baseline: str = BASELINE_FILE
    models: ModelMode = "on"
    model_folders: tuple[str, ...] = ()
    model_provider: Literal["auto", "cpu", "cuda"] = "auto"
    model_threads: int = 1
    log_shadow: bool = False
    fold: bool = True
    judge: str = JUDGE_ON
    policy: str = "default"
    records: RecordMode | RecordSettings = "ci"
    language_model: LanguageModelSettings = LanguageModelSettings()
    endpoints: dict[str, EndpointSettings] = {}
    roles: Roles = Roles()
    coverage_files: tuple[str, ...] = ()
    sandbox: SandboxSettings = SandboxSettings()
    run: bool | tuple[RunPart, ...] = False
    tickets: TicketRules = TicketRules()

    @property
    def run_parts(self) -> tuple[RunPart, ...]:
        """The parts that reviews of the ``ci`` profile run."""
        if isinstance(self.run, bool):
            return RUN_PARTS if self.run else ()
        return sorted_parts(self.run)

    @property
    def recording(self) -> RecordSettings:
        """The settings of records, however they are written."""
        return self.records if isinstance(self.records, RecordSettings) else RecordSettings(self.records)


class FolderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The keys that every folder may set for the files below it.

    Attributes:
        exclude: globs of files that are not reviewed; ``*`` matches slashes too.
        preview: enable preview rules.
        rules: the severity of a rule such as ``ruff/S307``, or of a family such as ``ruff/S*``.
    """

    exclude: tuple[str, ...] = ()
    preview: bool = False
    rules: dict[str, Literal["off", "info", "warn", "error"]] = {}


ROOT_KEYS = {field.encode_name for field in msgspec.structs.fields(RunSettings)}
FOLDER_KEYS = {field.encode_name for field in msgspec.structs.fields(FolderSettings)}


class Layer(msgspec.Struct, frozen=True):
    """The content of one configuration file.

    Attributes:
        folder: the folder it applies to, relative to the repository root; ``""`` is the root.
        file: its path, for messages.
        values: key -> value as read; specialists' tables are nested.
    """

    folder: str
    file: str
    values: Mapping[str, Any]


class FileConfig(msgspec.Struct, frozen=True):
    """The settings for one file."""

    excluded: bool
    severities: Mapping[str, Severity | None]
    options: Mapping[str, Any]
    preview: bool = False

    def severity(self, rule_id: str, default: Severity | None) -> Severity | None:
        """Return the severity of a rule here; None if it is off. A code's prefix denotes a family."""
        key = self._key(rule_id)
        return default if key is None else self.severities[key]

    def names(self, rule_id: str) -> bool:
        """Return True if the configuration sets the severity of a rule or of its family."""
        return self._key(rule_id) is not None

    def _key(self, rule_id: str) -> str | None:
        if rule_id in self.severities:
            return rule_id
        prefixes = [k for k in self.severities if k.endswith("*") and rule_id.startswith(k[:-1])]
        return max(prefixes, key=len, default=None)


class Config(msgspec.Struct, frozen=True, dict=True):
    """The configuration of one run.

    Attributes:
        root: the settings of the complete run.
        layers: the configuration files, outermost first.
        origins: ``key -> file`` for the settings of the run, for ``wardround doctor``.
    """

    root: RunSettings = msgspec.field(default_factory=RunSettings)
    layers: tuple[Layer, ...] = ()
    origins: Mapping[str, str] = msgspec.field(default_factory=dict)
    specialists: tuple[Specialist, ...] = ()

    @property
    def rule_keys(self) -> frozenset[str]:
        """Return every key of ``rules``, verbatim."""
        return frozenset(key for layer in self.layers for key in layer.values.get("rules", {}))

    def for_file(self, path: str) -> FileConfig:
        """Return the settings for a file, from the root down to its folder."""
        if path not in self._settings_by_path:
            self._settings_by_path[path] = self._read_for(path)
        return self._settings_by_path[path]

    @cached_property
    def _settings_by_path(self) -> dict[str, FileConfig]:
        return {}

    def _read_for(self, path: str) -> FileConfig:
        excluded = preview = False
        severities: dict[str, Severity | None] = {}
        options: dict[str, dict[str, Any]] = {specialist.name: {} for specialist in self.specialists}
        for layer in self.layers:
            if layer.folder and not path.startswith(layer.folder + "/"):
                continue
            below = path[len(layer.folder) + 1 :] if layer.folder else path
            excluded = excluded or covers(below, layer.values.get("exclude", ()))
            preview = layer.values.get("preview", preview)
            severities |= _severities(layer.values.get("rules", {}))
            for name, settings in options.items():
                settings.update(layer.values.get(name, {}))
        typed = {
            specialist.name: msgspec.convert(options[specialist.name], specialist.options)
            for specialist in self.specialists
            if specialist.options is not None
        }
        return FileConfig(excluded, severities, typed, preview)


def _severities(levels: Mapping[str, str]) -> dict[str, Severity | None]:
    """Return the severities of the rules that a layer names; None switches a rule off."""
    severities: dict[str, Severity | None] = {}
    for key, level in levels.items():
        severity = None if level == "off" else Severity.from_label(level)
        severities |= dict.fromkeys(current_ids(key), severity)
    return severities
