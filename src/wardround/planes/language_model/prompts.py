"""The prompt files: one for each plane, with a version, an output schema and a digest."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec

from wardround.context.canonical import content_id
from wardround.errors import WardroundError
from wardround.findings import Plane
from wardround.rules.model import RULES_PACKAGE, package_folder


class Prompt(msgspec.Struct, frozen=True, dict=True):
    """The instructions of a plane.

    Attributes:
        text: the content of the prompt file; its first line has the plane and the version.
        schema: the JSON schema of the answer.
        digest: digest of the two files.
    """

    plane: Plane
    text: str
    schema: dict[str, Any]
    digest: str

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of findings that the schema permits."""
        finding = self.schema["properties"]["findings"]["items"]["properties"]
        return frozenset(finding["kind"]["enum"])


class PromptPart(msgspec.Struct, frozen=True):
    """A part of prompts that several planes share, with its part of their schemas.

    Attributes:
        digest: digest of the two files.
    """

    text: str
    schema: dict[str, Any]
    digest: str


def load_part(name: str) -> PromptPart:
    """Read a part of prompts.

    Raises:
        WardroundError: the package is incomplete.
    """
    return _read(name)


def load_prompt(plane: Plane) -> Prompt:
    """Read the prompt of a plane.

    Raises:
        WardroundError: the package is incomplete.
    """
    return _load(plane, plane)


def load_refutation(plane: Plane) -> Prompt:
    """Read the prompt of the second pass of a plane, which tries to refute the claims of the first.

    Raises:
        WardroundError: the package is incomplete.
    """
    return _load(plane, "refutation")


def _load(plane: Plane, name: str) -> Prompt:
    part = _read(name)
    return Prompt(plane, part.text, part.schema, part.digest)


def _read(name: str) -> PromptPart:
    folder = package_folder(RULES_PACKAGE) / "prompts"
    try:
        text = (folder / f"{name}.md").read_bytes()
        schema = (folder / f"{name}.schema.json").read_bytes()
        digest = content_id(b"\0".join((text, schema)))
        return PromptPart(text.decode("utf-8"), msgspec.json.decode(schema, type=dict), digest)
    except (OSError, ValueError) as cause:
        raise WardroundError(f"the prompt {name}.md cannot be read: {cause}; reinstall wardround") from cause
