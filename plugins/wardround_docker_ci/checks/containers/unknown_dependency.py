"""DC076."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.languages.yaml.tree import Mapping, Node, Scalar
from wardround_docker_ci.check import COMPOSE, CiCheck


class UnknownDependency(CiCheck):
    """A service depends on one that the file does not define.

    Compose refuses the whole file. Name a service that exists, or define it.
    """

    ID = "DC076"
    NAME = "unknown-dependency"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = COMPOSE
    NEEDS = ("depends_on",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  a:\n    image: a:1\n    depends_on: [b]\n  b:\n    image: b:1\n", path="compose.yml"
        ),
        Valid("include: [b.yml]\nservices:\n  a:\n    image: a:1\n    depends_on: [b]\n", path="compose.yml"),
        Valid("services:\n  a:\n    image: a:1\n    depends_on: [b]\n", path="compose.override.yml"),
        Valid(
            "services:\n  a:\n    image: a:1\n    depends_on:\n"
            "      b: {condition: service_started, required: false}\n",
            path="compose.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  a:\n    image: a:1\n    depends_on:\n      - db\n",
            line=5,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    depends_on: [b, c]\n  b:\n    image: b:1\n",
            line=4,
            column=21,
            path="docker-compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    depends_on:\n      d b: {condition: service_started}\n",
            line=5,
            column=7,
            path="compose.yaml",
        ),
    ]

    def run(self) -> None:
        # Only a file with the plain name is used on its own; others are laid over it.
        is_whole = re.search(r"(?:^|/)(?:docker-)?compose\.ya?ml$", self.source.path)
        root = self.file.root
        if not is_whole or root.get("include") is not None or not self.file.services:
            return
        known = {key.value for key, _ in root.mapping("services").entries}
        for service in self.file.services:
            named = _named(service.node)
            for name in named:
                if name.value not in known and "$" not in name.value and name.value != "<<":
                    text = self.file.passage(name)
                    self.report_at(text.start, text.end, f'no service is called "{name.value}"')


def _named(service: Mapping) -> list[Scalar]:
    """The services one cannot do without, as its keys or items name them."""
    node = service.get("depends_on")
    if not isinstance(node, Mapping):
        return [item for item in service.listed("depends_on") if isinstance(item, Scalar)]
    optional = {key.value for key, value in node.entries if _is_optional(value)}
    return [key for key, _ in node.entries if key.value not in optional]


def _is_optional(value: Node) -> bool:
    return isinstance(value, Mapping) and value.text("required") == "false"
