"""Reading and validating the configuration files of a repository."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.config import language_model, ticket_settings
from wardround.config.record_settings import RecordSettings
from wardround.config.request import ReviewRequest
from wardround.config.sandbox_settings import LimitSettings, SandboxSettings
from wardround.config.schema import (
    FOLDER_KEYS,
    OWN_FILE,
    ROOT_KEYS,
    SHARED_FILE,
    Config,
    FolderSettings,
    Layer,
    RunSettings,
)
from wardround.errors import ConfigError
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from msgspec import inspect as types


def read(
    tree_read: Callable[[str], bytes | None],
    paths: Iterable[str],
    specialists: Sequence[Specialist],
    explicit: tuple[str, bytes] | None = None,
) -> Config:
    """Read the configuration that applies to some files.

    Args:
        tree_read: the trusted side's content by path.
        paths: the files under review.
        explicit: (name, content) of a file that ``--config`` names, which replaces the one at the root.

    Raises:
        ConfigError: a file is not TOML, has an unknown key, or a value of the wrong kind.
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
            own = {key: value for key, value in layer.values.items() if key in ROOT_KEYS}
            values |= own
            origins |= dict.fromkeys(own, layer.file)
    config = Config(msgspec.convert(values, RunSettings), tuple(layers), origins, tuple(specialists))
    _validate(config)
    return config


def named_specialists(config: Config, request: ReviewRequest) -> list[tuple[str, str]]:
    """Return the selected or skipped specialists, each with the location of its name, for a message."""
    return [
        *((name, "") for name in (*request.only, *request.skip)),
        *((name, f"{config.origins['only']}: only: ") for name in config.root.only),
        *((name, f"{config.origins['skip']}: skip: ") for name in config.root.skip),
    ]


def add_location(config: Config, cause: ConfigError) -> ConfigError:
    """Return the message with the file that contains a specialist's key, if it begins with one."""
    found = re.match(r"([a-z-]+)\.([a-z-]+): ", str(cause))
    files = [layer.file for layer in config.layers if found and found[2] in layer.values.get(found[1], {})]
    return ConfigError(f"{files[-1]}: {cause}") if files else cause


def require_known_rules(config: Config, is_known: Callable[[str], bool]) -> None:
    """Reject a key of ``rules`` that matches no rule.

    Raises:
        ConfigError: there is one.
    """
    for layer in config.layers:
        for rule in layer.values.get("rules", {}):
            if not is_known(rule):
                raise ConfigError(
                    f"{layer.file}: rules: {rule!r} matches no known rule; use an id that "
                    f"wardround rules lists, or install its plugin"
                )


def folders(paths: Iterable[str]) -> list[str]:
    """Return the folders of the files and all above them, outermost first."""
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found)


def read_sandbox(base_read: Callable[[str], bytes | None]) -> SandboxSettings:
    """Read the settings of the sandbox.

    Args:
        base_read: content by path at the base of the change: a head cannot loosen its own sandbox, whatever
            side the other settings come from.

    Raises:
        ConfigError: a file is not TOML, or a setting of the sandbox is not valid.
    """
    settings = SandboxSettings()
    for name in (SHARED_FILE, OWN_FILE):
        content = base_read(name)
        found = None if content is None else _load_table(name, content).get("sandbox")
        if found is not None:
            settings = _sandbox(found, name)
    return settings


def _sandbox(table: Any, file: str) -> SandboxSettings:
    if isinstance(table, dict) and isinstance(table.get("limits"), dict):
        _convert(table["limits"], LimitSettings, f"{file}: sandbox.limits")
    _convert(table, SandboxSettings, f"{file}: sandbox")
    return msgspec.convert(table, SandboxSettings)


def _layer(folder: str, file: str, content: bytes, specialists: Sequence[Specialist]) -> list[Layer]:
    document = _load_table(file, content)
    if not document:
        return []
    _check(folder, file, document, specialists)
    return [Layer(folder, file, document)]


def _load_table(file: str, content: bytes) -> Mapping[str, Any]:
    """Return wardround's table of a configuration file; empty if it has none."""
    if b"wardround" not in content and file.endswith(SHARED_FILE):
        return {}
    import tomllib  # only for reviews with a configuration

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
    return document


def _check(folder: str, file: str, table: Mapping[str, Any], specialists: Sequence[Specialist]) -> None:
    options = {specialist.name: specialist.options for specialist in specialists}
    _require_known_keys(folder, file, table, options)
    _convert({key: value for key, value in table.items() if key in FOLDER_KEYS}, FolderSettings, file)
    _check_tables(file, table)
    _convert({key: value for key, value in table.items() if key in ROOT_KEYS}, RunSettings, file)
    for name, kind in options.items():
        if name not in table:
            continue
        if kind is None:
            raise ConfigError(f"{file}: specialist {name!r} has no options; remove the table {name!r}")
        _convert(table[name], kind, f"{file}: {name}")


def _require_known_keys(folder: str, file: str, table: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    allowed = FOLDER_KEYS | options.keys() | (set() if folder else ROOT_KEYS)
    for key in table:
        if key in ROOT_KEYS and folder:
            raise ConfigError(f"{file}: key {key!r} applies at the repository root only; move it there")
        if key not in allowed:
            raise ConfigError(f"{file}: unknown key {key!r}; known here: {', '.join(sorted(allowed))}")


def _check_tables(file: str, table: Mapping[str, Any]) -> None:
    """Check the tables that have a schema of their own."""
    if "language-model" in table:
        _convert(table["language-model"], language_model.LanguageModelSettings, f"{file}: language-model")
    for name, endpoint in _tables_in(table, "endpoints"):
        _convert(endpoint, language_model.EndpointSettings, f"{file}: endpoints.{name}")
    if "roles" in table:
        _convert(table["roles"], language_model.Roles, f"{file}: roles")
    if isinstance(table.get("records"), dict):
        _convert(table["records"], RecordSettings, f"{file}: records")
    if "tickets" in table:
        _convert(table["tickets"], ticket_settings.TicketRules, f"{file}: tickets")
    if "sandbox" in table:
        _sandbox(table["sandbox"], file)


def _tables_in(table: Mapping[str, Any], name: str) -> Sequence[tuple[str, Any]]:
    tables = table.get(name)
    return tuple(tables.items()) if isinstance(tables, dict) else ()


def _convert(values: Any, kind: Any, where: str) -> None:
    try:
        msgspec.convert(values, kind)
    except msgspec.ValidationError as cause:
        known = ", ".join(sorted(f.encode_name for f in msgspec.structs.fields(kind)))
        text = str(cause)
        unknown = re.search(r"(?s)unknown field `(.*?)`", text)
        if unknown:
            raise ConfigError(f"{where}: unknown key {unknown[1]!r}; known here: {known}") from cause
        location = re.search(r"(?s) - at `\$\.?(.*?)`", text)
        reported = text.partition(" - at ")[0]
        usual = (
            f"{location[1] if location and location[1] else 'value'}: {reported[:1].lower()}{reported[1:]}"
        )
        raise ConfigError(f"{where}: {_describe_invalid_choice(values, kind) or usual}") from cause


def _describe_invalid_choice(values: Any, kind: Any) -> str:
    """Return a message about an invalid value or key, with the valid choices."""
    import msgspec.inspect as types

    shape = types.type_info(kind)
    assert isinstance(shape, types.StructType)
    fields = {field.encode_name: field.type for field in shape.fields}
    for name, value in values.items() if isinstance(values, Mapping) else ():
        for where, chosen, expected in _typed_values(name, value, fields[name]):
            choices = _choices(expected)
            if choices and chosen is not None and chosen not in choices:
                return f"{where}: {chosen!r} is none of {', '.join(map(repr, choices))}; choose one"
    return ""


def _typed_values(name: str, value: Any, expected: types.Type) -> list[tuple[str, Any, types.Type]]:
    """Return the values of a field, each with its key path and its type: those of a table, then its keys."""
    import msgspec.inspect as types

    if not isinstance(expected, types.DictType) or not isinstance(value, Mapping):
        return [(name, value, expected)]
    values = [(f"{name}: {key!r}", item, expected.value_type) for key, item in value.items()]
    return [*values, *((name, key, expected.key_type) for key in value)]


def _choices(expected: types.Type) -> Sequence[Any]:
    """Return the values that a type lists; none if it is not a choice."""
    import msgspec.inspect as types

    options = expected.types if isinstance(expected, types.UnionType) else (expected,)
    return next((option.values for option in options if isinstance(option, types.LiteralType)), ())


def _validate(config: Config) -> None:
    root, origins = config.root, config.origins
    language_model.require_valid(root.language_model, f"{origins.get('language-model', '')}: language-model")
    for name, endpoint in root.endpoints.items():
        language_model.require_valid(endpoint, f"{origins['endpoints']}: endpoints.{name}")
    language_model.require_roles(root.roles, root.endpoints, f"{origins.get('roles', '')}: roles")
    ticket_settings.require_valid(root.tickets, origins.get("tickets", ""))
    if root.jobs is not None and root.jobs < 1:
        raise ConfigError(f"{origins['jobs']}: jobs must be at least 1, got {root.jobs}")
    if root.model_threads < 1:
        raise ConfigError(
            f"{origins['model-threads']}: model-threads must be at least 1, got {root.model_threads}"
        )
    if root.tool_timeout is not None and not 0 < root.tool_timeout < math.inf:
        raise ConfigError(
            f"{origins['tool-timeout']}: tool-timeout is seconds above 0, got {root.tool_timeout}"
        )
    _require_inside(config)


def _require_inside(config: Config) -> None:
    """Reject paths that may be outside of the repository."""
    root, origins = config.root, config.origins
    for path in root.coverage_files:
        if path.startswith("/") or not {"", ".", ".."}.isdisjoint(path.split("/")):
            raise ConfigError(
                f"{origins['coverage-files']}: coverage-files are paths inside the repository, got {path!r}"
            )
    baseline = root.baseline
    if not baseline or baseline.startswith("/") or ".." in baseline.split("/"):
        raise ConfigError(
            f"{origins['baseline']}: baseline is a path inside the repository, got {baseline!r}"
        )
