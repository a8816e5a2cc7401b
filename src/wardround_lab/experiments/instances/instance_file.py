"""Files of instances: one JSON document a line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from wardround.errors import UsageError
from wardround_lab.experiments.instances.model import SCHEMA, MinedInstance


def read_instances(path: Path) -> list[MinedInstance]:
    """Read a file of instances.

    Raises:
        UsageError: it cannot be read, has no instance, a line is none, or an id is there twice.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as cause:
        raise UsageError(f"{path}: {cause.strerror}; name a file that data mine --instances wrote") from cause
    found: dict[str, MinedInstance] = {}
    for number, line in enumerate(lines, 1):
        instance = _instance(line, f"{path}:{number}")
        if instance.id in found:
            raise UsageError(f"{path}:{number}: instance {instance.id} is there twice; remove one")
        found[instance.id] = instance
    if not found:
        raise UsageError(f"{path} has no instance; mine more repositories with data mine --instances")
    return list(found.values())


def _instance(line: bytes, location: str) -> MinedInstance:
    try:
        instance = msgspec.json.decode(line, type=MinedInstance)
    except msgspec.MsgspecError as cause:
        raise UsageError(f"{location}: this is not an instance ({cause}); mine the file again") from None
    if instance.schema != SCHEMA:
        raise UsageError(f"{location}: its schema is {instance.schema}, not {SCHEMA}; mine the file again")
    return instance


def encode_instances(instances: Iterable[MinedInstance]) -> bytes:
    """Return the content of a file of instances."""
    return b"".join(msgspec.json.encode(instance) + b"\n" for instance in instances)
