"""DC208."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.yaml.tree import Mapping, Node, Scalar
from wardround_docker_ci.check import COMPOSE, CiCheck

_NAMED = LazyPattern(r"([A-Za-z0-9][\w.-]*):/")


class UndeclaredResource(CiCheck):
    """A service uses a volume, network, secret or config that the file does not declare.

    Compose refuses the whole file. Declare it at the top: `volumes:` with the name and nothing else will do.
    """

    ID = "DC208"
    NAME = "undeclared-resource"
    SEVERITY = Severity.ERROR
    TRIED_ON = "trees of 27 repositories: no hit"
    KINDS = COMPOSE
    NEEDS = ("volumes", "networks", "secrets", "configs")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  a:\n    image: a:1\n    volumes: ['d:/d', './x:/x', '/y:/y', '/z']\n"
            "volumes:\n  d:\n",
            path="compose.yml",
        ),
        Valid("services:\n  a:\n    image: a:1\n    volumes: ['d:/d']\n", path="compose.override.yml"),
        Valid("services:\n  a:\n    image: a:1\n    networks: [default]\n", path="compose.yml"),
        Valid("include: [b.yml]\nservices:\n  a:\n    image: a:1\n    networks: [b]\n", path="compose.yml"),
        Valid(
            "services:\n  a:\n    image: a:1\n    volumes:\n      - {type: bind, source: ./d, target: /d}\n",
            path="compose.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  a:\n    image: a:1\n    volumes:\n      - d:/d\nvolumes:\n  e:\n",
            line=5,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    networks:\n      back: {aliases: [x]}\n",
            line=5,
            column=7,
            path="docker-compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    secrets:\n      - source: key\n        target: /k\n",
            line=5,
            column=17,
            path="compose.yaml",
        ),
        Invalid(
            "services:\n  a:\n    image: a:1\n    volumes:\n      - {type: volume, source: d, target: /d}\n",
            line=5,
            column=32,
            path="compose.yaml",
        ),
    ]

    def run(self) -> None:
        # Only a file with the plain name is used on its own; others are laid over it.
        is_whole = re.search(r"(?:^|/)(?:docker-)?compose\.ya?ml$", self.source.path)
        root = self.file.root
        if not is_whole or root.get("include") is not None or root.key("services") is None:
            return
        for part in ("volumes", "networks", "secrets", "configs"):
            known = {key.value for key, _ in root.mapping(part).entries} | {"default", "<<"}
            for service in self.file.services:
                for name, used in _used(service.node, part):
                    if used not in known and "$" not in used:
                        text = self.file.passage(name)
                        self.report_at(
                            text.start, text.start + len(used), f'"{used}" is not declared under {part}'
                        )


def _used(service: Mapping, part: str) -> Iterator[tuple[Scalar, str]]:
    """The names a service uses of one kind, each with where it says so."""
    node = service.get(part)
    if part == "networks" and isinstance(node, Mapping):
        yield from ((key, key.value) for key, _ in node.entries)
        return
    for item in service.listed(part):
        name: Node | None = item
        if isinstance(item, Mapping):
            is_named = part != "volumes" or item.text("type") == "volume"
            name = item.scalar("source") if is_named else None
        if not isinstance(name, Scalar):
            continue
        if part == "volumes" and not isinstance(item, Mapping):
            found = _NAMED.match(name.value)
            if found is not None:
                yield name, found.group(1)
        elif "/" not in name.value:
            yield name, name.value
