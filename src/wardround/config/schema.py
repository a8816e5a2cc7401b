"""One frozen configuration, read once from the side of the change that is trusted.

``[tool.wardround]`` in ``pyproject.toml`` or the same keys in ``.wardround.toml``; for every file the nearest
folder wins, key by key. Keys that steer the whole run count at the repository root only.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from wardround.errors import ConfigError
from wardround.findings import Severity
from wardround.specialists import Specialist
from wardround.tools.tool import Profile

OWN_FILE = ".wardround.toml"
SHARED_FILE = "pyproject.toml"
BASELINE_FILE = ".wardround-baseline.json"

FailLevel = Literal["none", "info", "warn", "error"]
FilterMode = Literal["added", "diff_context", "file", "nofilter"]
InconclusiveAction = Literal["pass", "block"]
ConfigFrom = Literal["base", "head"]
ModelMode = Literal["off", "on", "required"]
"""Where a model is required and cannot be used, what it would have looked at is unreviewed."""


class ReviewRequest(msgspec.Struct, frozen=True):
    """What a caller asks for; ``None`` leaves a setting to the configuration."""

    profile: Profile = Profile.COMMIT
    fail_level: FailLevel | None = None
    filter_mode: FilterMode | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    jobs: int | None = None
    config_file: Path | None = None
    config_from: ConfigFrom | None = None
    use_baseline: bool = True
    use_models: bool = True
    show_all: bool = False
    verbose: bool = False

    @property
    def trusted_side(self) -> Literal["target", "head"]:
        """The revision whose configuration counts: in CI the target's, so that no change can alter its judge.

        That is the tip of the target branch, not the merge base: a branch forked before the rules were
        tightened would choose its judge by its age.
        """
        asked = self.config_from or ("base" if self.profile is Profile.CI else "head")
        return "head" if asked == "head" else "target"


class RunSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The keys that count at the repository root."""

    fail_level: FailLevel = "error"
    filter_mode: FilterMode = "added"
    jobs: int | None = None
    tool_timeout: float | None = None
    skip: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    required_plugins: tuple[str, ...] = ()
    inconclusive: dict[Literal["commit", "ci"], InconclusiveAction] = {}
    baseline: str = BASELINE_FILE
    models: ModelMode = "on"
    model_folders: tuple[str, ...] = ()
    model_provider: Literal["auto", "cpu", "cuda"] = "auto"
    model_threads: int = 1
    log_shadow: bool = False
    fold: bool = True


class FolderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The keys every folder may set for the files below it."""

    exclude: tuple[str, ...] = ()
    rules: dict[str, Literal["off", "info", "warn", "error"]] = {}


_ROOT_KEYS = {field.encode_name for field in msgspec.structs.fields(RunSettings)}
_FOLDER_KEYS = {field.encode_name for field in msgspec.structs.fields(FolderSettings)}


class Layer(msgspec.Struct, frozen=True):
    """What one configuration file says.

    Attributes:
        folder: the folder it counts for, relative to the repository root; ``""`` is the root.
        file: where it stands, for messages.
        values: key -> value as read; specialists' tables are nested.
    """

    folder: str
    file: str
    values: Mapping[str, Any]


class FileConfig(msgspec.Struct, frozen=True):
    """What counts for one file."""

    excluded: bool
    severities: Mapping[str, Severity | None]
    options: Mapping[str, Any]

    def severity(self, rule_id: str, default: Severity | None) -> Severity | None:
        """The severity of a rule here; None where it is switched off. A code's prefix stands for a family."""
        if rule_id in self.severities:
            return self.severities[rule_id]
        prefixes = [k for k in self.severities if k.endswith("*") and rule_id.startswith(k[:-1])]
        return self.severities[max(prefixes, key=len)] if prefixes else default


class Config(msgspec.Struct, frozen=True, dict=True):
    """The configuration of one run.

    Attributes:
        root: the settings of the whole run.
        layers: the configuration files, outermost first.
        origins: ``key -> file`` for the settings of the run, for ``wardround doctor``.
    """

    root: RunSettings = msgspec.field(default_factory=RunSettings)
    layers: tuple[Layer, ...] = ()
    origins: Mapping[str, str] = msgspec.field(default_factory=dict)
    specialists: tuple[Specialist, ...] = ()

    def for_file(self, path: str) -> FileConfig:
        """What counts for a file, from the root down to its folder."""
        if path not in self._by_path:
            self._by_path[path] = self._read_for(path)
        return self._by_path[path]

    @cached_property
    def _by_path(self) -> dict[str, FileConfig]:
        return {}

    def _read_for(self, path: str) -> FileConfig:
        excluded = False
        severities: dict[str, Severity | None] = {}
        options: dict[str, dict[str, Any]] = {}
        for layer in self.layers:
            if layer.folder and not path.startswith(layer.folder + "/"):
                continue
            below = path[len(layer.folder) + 1 :] if layer.folder else path
            excluded = excluded or _matches(below, layer.values.get("exclude", ()))
            for rule, level in layer.values.get("rules", {}).items():
                severities[rule] = None if level == "off" else Severity.named(level)
            for specialist in self.specialists:
                options.setdefault(specialist.name, {}).update(layer.values.get(specialist.name, {}))
        typed = {
            s.name: msgspec.convert(options.get(s.name, {}), s.options)
            for s in self.specialists
            if s.options is not None
        }
        return FileConfig(excluded, severities, typed)


def read(
    tree_read: Callable[[str], bytes | None],
    paths: Iterable[str],
    specialists: Sequence[Specialist],
    explicit: tuple[str, bytes] | None = None,
) -> Config:
    """Read the configuration that counts for some files.

    Args:
        tree_read: the trusted side's content by path.
        paths: the files under review.
        explicit: (name, content) of a file given by hand, in place of the one at the root.

    Raises:
        ConfigError: a file is no TOML, has an unknown key, or a value of the wrong kind.
    """
    layers = []
    for folder in folders(paths):
        if not folder and explicit is not None:
            layers += _layer(folder, explicit[0], explicit[1], specialists)
            continue
        stem = f"{folder}/" if folder else ""
        for name in (SHARED_FILE, OWN_FILE):
            content = tree_read(stem + name)
            if content is not None:
                layers += _layer(folder, stem + name, content, specialists)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for layer in layers:
        if not layer.folder:
            own = {key: value for key, value in layer.values.items() if key in _ROOT_KEYS}
            values |= own
            origins |= dict.fromkeys(own, layer.file)
    config = Config(msgspec.convert(values, RunSettings), tuple(layers), origins, tuple(specialists))
    _validate(config)
    return config


def named_specialists(config: Config, request: ReviewRequest) -> list[tuple[str, str]]:
    """The specialists that are asked for or left out, each with where that is said, for a message."""
    return [
        *((name, "") for name in (*request.only, *request.skip)),
        *((name, f"{config.origins['only']}: only: ") for name in config.root.only),
        *((name, f"{config.origins['skip']}: skip: ") for name in config.root.skip),
    ]


def with_location(config: Config, cause: ConfigError) -> ConfigError:
    """The same complaint with the file in which a specialist's key stands, if it begins with one."""
    found = re.match(r"([a-z-]+)\.([a-z-]+): ", str(cause))
    files = [layer.file for layer in config.layers if found and found[2] in layer.values.get(found[1], {})]
    return ConfigError(f"{files[-1]}: {cause}") if files else cause


def require_known_rules(config: Config, is_known: Callable[[str], bool]) -> None:
    """Refuse a key of ``rules`` that no rule can be meant by.

    Raises:
        ConfigError: there is one.
    """
    for layer in config.layers:
        for rule in layer.values.get("rules", {}):
            if not is_known(rule):
                raise ConfigError(
                    f"{layer.file}: rules: {rule!r} names no known rule; write it as wardround rules "
                    f"lists it, or install the plugin it is of"
                )


def folders(paths: Iterable[str]) -> list[str]:
    """The folders of the files and all above them, outermost first."""
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found)


def _layer(folder: str, file: str, content: bytes, specialists: Sequence[Specialist]) -> list[Layer]:
    if b"wardround" not in content and file.endswith(SHARED_FILE):
        return []
    import tomllib  # for those reviews only that have settings of ours

    try:
        document = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as cause:
        raise ConfigError(f"{file} is not valid TOML: {cause}; correct it") from cause
    if file.rpartition("/")[2] == SHARED_FILE:
        shared = document.get("tool", {})
        if not isinstance(shared, dict):
            raise ConfigError(f"{file}: tool must be a table")
        document = shared.get("wardround", {})
    if not isinstance(document, dict):
        raise ConfigError(f"{file}: tool.wardround must be a table")
    if not document:
        return []
    _check(folder, file, document, specialists)
    return [Layer(folder, file, document)]


def _check(folder: str, file: str, table: Mapping[str, Any], specialists: Sequence[Specialist]) -> None:
    options = {s.name: s.options for s in specialists}
    allowed = _FOLDER_KEYS | options.keys() | (set() if folder else _ROOT_KEYS)
    for key in table:
        if key in _ROOT_KEYS and folder:
            raise ConfigError(f"{file}: key {key!r} counts at the repository root only; move it there")
        if key not in allowed:
            raise ConfigError(f"{file}: unknown key {key!r}; known here: {', '.join(sorted(allowed))}")
    _convert({k: v for k, v in table.items() if k in _FOLDER_KEYS}, FolderSettings, file)
    _convert({k: v for k, v in table.items() if k in _ROOT_KEYS}, RunSettings, file)
    for name, kind in options.items():
        if name in table and kind is None:
            raise ConfigError(f"{file}: specialist {name!r} has no options; remove the table {name!r}")
        if name in table:
            _convert(table[name], kind, f"{file}: {name}")


def _convert(values: Any, kind: Any, where: str) -> None:
    try:
        msgspec.convert(values, kind)
    except msgspec.ValidationError as cause:
        known = ", ".join(sorted(f.encode_name for f in msgspec.structs.fields(kind)))
        text = str(cause)
        unknown = re.search(r"(?s)unknown field `(.*?)`", text)
        if unknown:
            raise ConfigError(f"{where}: unknown key {unknown[1]!r}; known here: {known}") from cause
        place = re.search(r"(?s) - at `\$\.?(.*?)`", text)
        said = text.partition(" - at ")[0]
        usual = f"{place[1] if place and place[1] else 'value'}: {said[:1].lower()}{said[1:]}"
        raise ConfigError(f"{where}: {_describe_invalid_choice(values, kind) or usual}") from cause


def _describe_invalid_choice(values: Any, kind: Any) -> str:
    """Which value or key is none of those there are to choose from, and which there are."""
    import msgspec.inspect as types

    shape = types.type_info(kind)
    assert isinstance(shape, types.StructType)
    fields = {field.encode_name: field.type for field in shape.fields}
    for name, value in values.items() if isinstance(values, Mapping) else ():
        wanted = fields[name]
        choices = [(name, value, wanted)]
        if isinstance(wanted, types.DictType) and isinstance(value, Mapping):
            choices = [(f"{name}: {key!r}", level, wanted.value_type) for key, level in value.items()]
            choices += [(name, key, wanted.key_type) for key in value]
        for where, chosen, kinds in choices:
            if isinstance(kinds, types.LiteralType) and chosen not in kinds.values:
                return f"{where}: {chosen!r} is none of {', '.join(map(repr, kinds.values))}; choose one"
    return ""


def _validate(config: Config) -> None:
    root = config.root
    if root.jobs is not None and root.jobs < 1:
        raise ConfigError(f"{config.origins['jobs']}: jobs must be at least 1, got {root.jobs}")
    if root.model_threads < 1:
        raise ConfigError(
            f"{config.origins['model-threads']}: model-threads must be at least 1, got {root.model_threads}"
        )
    if root.tool_timeout is not None and not 0 < root.tool_timeout < math.inf:
        raise ConfigError(
            f"{config.origins['tool-timeout']}: tool-timeout is seconds above 0, got {root.tool_timeout}"
        )
    if not root.baseline or root.baseline.startswith("/") or ".." in root.baseline.split("/"):
        raise ConfigError(
            f"{config.origins['baseline']}: baseline is a path inside the repository, got {root.baseline!r}"
        )


def _matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether a path, or a folder it is in, matches a glob pattern; a trailing slash means a folder."""
    parts = path.split("/")
    heads = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    for pattern in patterns:
        wanted = pattern.rstrip("/")
        if any(fnmatch.fnmatchcase(head, wanted) for head in heads):
            return True
        if "/" not in wanted and any(fnmatch.fnmatchcase(part, wanted) for part in parts):
            return True
    return False
