"""The work of a review: which files go to which specialists, with which options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wardround.change.diff import ChangedFile
from wardround.config.config_files import tools_for
from wardround.config.schema import Config
from wardround.host import PluginHost
from wardround.specialists import Specialist
from wardround.storage.digest import sha256
from wardround.tools.tool import Tool


class WorkUnit(msgspec.Struct, frozen=True):
    """One file at base or head, for one specialist.

    Attributes:
        digest: digest of the content.
        size: size of the content, in bytes.
        base_digest: digest of the base content that a check may compare with; empty where there is none.
        scored: True if its checks may use models.
        codes: the codes that the checks of the specialist itself report; None: all.
        tools: the tools that review it; None: all the specialist has.
        requested: tool name -> the codes that the configuration enables in addition to the default selection.
        first: the specialist did not review the old version, so every line is added to it.
    """

    path: str
    specialist: Specialist
    digest: bytes
    size: int
    options: Any = None
    base_digest: bytes = b""
    scored: bool = True
    codes: frozenset[str] | None = None
    tools: frozenset[Tool] | None = None
    requested: Mapping[str, tuple[str, ...]] = {}
    first: bool = False


class ClaimedFile(msgspec.Struct, frozen=True):
    """A changed file with the specialists that review it.

    Attributes:
        file: as it is reviewed: added where no specialist covered its old version.
        digest: digest of the content at the head.
        size: size of the content at the head, in bytes.
        base_digest: identifies the old content, which checks may compare with; empty where there is none.
    """

    file: ChangedFile
    specialists: tuple[Specialist, ...]
    digest: bytes
    size: int
    base_digest: bytes = b""


def content_digest(content: bytes | None) -> bytes:
    """Return the digest of a content; empty where there is none."""
    return b"" if content is None else sha256(content).digest()


def work_units(claimed: Sequence[ClaimedFile], host: PluginHost, config: Config) -> list[WorkUnit]:
    """Return the units of the head: one for each file and each specialist that reviews it."""
    return [unit for file in claimed for unit in _units_of_file(file, host, config)]


def _units_of_file(claimed: ClaimedFile, host: PluginHost, config: Config) -> Iterator[WorkUnit]:
    path = claimed.file.path
    options = config.for_file(path).options
    for specialist in claimed.specialists:
        first = specialist.name in claimed.file.first_for
        yield WorkUnit(
            path,
            specialist,
            claimed.digest,
            claimed.size,
            options.get(specialist.name),
            b"" if first else claimed.base_digest,
            requested=_requested_codes(specialist, path, host, config),
            first=first,
        )


def _requested_codes(
    specialist: Specialist, path: str, host: PluginHost, config: Config
) -> dict[str, tuple[str, ...]]:
    """Return the codes that are enabled for a file although not by default, by tool."""
    tools = tools_for([specialist])
    if host.requests_all:
        codes = {tool.name: set(host.maps[tool.name].content.requested_codes("*", path)) for tool in tools}
    else:
        codes = _enabled_codes({tool.name for tool in tools}, path, host, config)
    return {tool: tuple(sorted(some)) for tool, some in codes.items() if some}


def _enabled_codes(tools: set[str], path: str, host: PluginHost, config: Config) -> dict[str, set[str]]:
    """Return the codes that the configuration of a file names and enables, by tool."""
    levels = config.for_file(path).severities
    keys = [key.partition("/") for key, level in levels.items() if level is not None and "/" in key]
    return {
        tool: {
            code
            for name, _, key in keys
            if name == tool
            for code in host.maps[tool].content.requested_codes(key, path)
        }
        for tool in (tools if keys else ())
    }
