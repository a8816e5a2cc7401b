"""The settings of runs: a TOML file with endpoints, roles and options of experiments, and options as text."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from wardround.authoring.run_inputs import ROLES
from wardround.authoring.steps.route import EXCHANGE_SETTINGS
from wardround.config.language_model import EndpointSettings, require_valid
from wardround.errors import UsageError

Options = TypeVar("Options", bound=msgspec.Struct)


class LabFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file.

    Attributes:
        endpoints: name -> settings.
        roles: role -> name of its endpoint.
        experiments: name -> options.
    """

    endpoints: Mapping[str, EndpointSettings] = {}
    roles: Mapping[str, str] = {}
    experiments: Mapping[str, Mapping[str, Any]] = {}

    def endpoints_of_roles(self, *, has_exchange: bool) -> dict[str, EndpointSettings]:
        """Return role -> settings.

        Args:
            has_exchange: an exchange of files answers in all roles.
        """
        if has_exchange:
            return dict.fromkeys(ROLES, EXCHANGE_SETTINGS)
        return {role: self.endpoints[name] for role, name in self.roles.items()}


def read_lab_file(path: Path | None) -> LabFile:
    """Read the file; an empty one if there is none.

    Raises:
        UsageError: it cannot be read, or has a wrong key or value.
        ConfigError: an endpoint is not valid.
    """
    if path is None:
        return LabFile()
    try:
        found = msgspec.convert(tomllib.loads(path.read_text("utf-8")), LabFile)
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror}; name a TOML file") from cause
    except (ValueError, msgspec.ValidationError) as cause:
        raise UsageError(f"{path}: {cause}; correct it") from None
    for name, settings in found.endpoints.items():
        require_valid(settings, f"{path}: endpoints.{name}")
    for role, name in found.roles.items():
        if role not in ROLES:
            raise UsageError(f"{path}: roles.{role}: unknown role; choose from {', '.join(ROLES)}")
        if name not in found.endpoints:
            raise UsageError(
                f"{path}: roles.{role}: endpoint {name!r} does not exist; add [endpoints.{name}]"
            )
    return found


def options_of(kind: type[Options], values: Mapping[str, Any], assignments: Sequence[str]) -> Options:
    """Return the options of an experiment.

    Args:
        values: those of the file.
        assignments: ``NAME=VALUE``, of lists ``NAME=VALUE,VALUE``; they precede the file.

    Raises:
        UsageError: an option does not exist, or a value is not valid.
    """
    defaults = {field.name: field.default for field in msgspec.structs.fields(kind)}
    chosen = dict(values)
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise UsageError(f"--set {assignment}: write NAME=VALUE, or NAME=VALUE,VALUE for a list")
        chosen[name] = text.split(",") if isinstance(defaults.get(name), tuple) else text
    for name in chosen:
        if name not in defaults:
            raise UsageError(f"{name}: the experiment has no such option; choose from {', '.join(defaults)}")
    try:
        return msgspec.convert(chosen, kind, strict=False)
    except msgspec.ValidationError as cause:
        raise UsageError(f"an option of the experiment is not valid: {cause}; correct it") from None
