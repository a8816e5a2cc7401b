"""DC208: undeclared resource."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import COMPOSE, CiCheck

_NAMED = LazyPattern(r"([A-Za-z0-9][\w.-]*):/")


class UndeclaredResource(CiCheck):
    """A service uses a volume, network, secret or config that the file does not declare.

    Compose rejects the file. Declare the resource at the top level: its name under `volumes:` is enough.
    """

    ID = "DC208"
    NAME = "undeclared-resource"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    KINDS = COMPOSE
    NEEDS = ("volumes", "networks", "secrets", "configs")
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                image: a:1
                volumes: ['d:/d', './x:/x', '/y:/y', '/z']
            volumes:
              d:
        """),
        code(
            """
            services:
              a:
                image: a:1
                volumes: ['d:/d']
            """,
            path="compose.override.yml",
        ),
    ]
    INVALID = [
        code("""
            services:
              a:
                image: a:1
                volumes:
                  - «d»:/d
            volumes:
              e:
        """),
        code(
            """
            services:
              a:
                image: a:1
                networks:
                  «back»: {aliases: [x]}
            """,
            path="docker-compose.yml",
        ),
    ]

    def run(self) -> None:
        # Only a file with the default name is used on its own; others are merged into it.
        is_default_name = re.search(r"(?:^|/)(?:docker-)?compose\.ya?ml$", self.source.path)
        root = self.file.root
        if not is_default_name or root.get("include") is not None or root.key("services") is None:
            return
        for part in ("volumes", "networks", "secrets", "configs"):
            known = {key.value for key, _ in root.mapping(part).entries} | {"default", "<<"}
            for service in self.file.services:
                for name, used in _used(service.node, part):
                    if used not in known and "$" not in used:
                        text = self.file.passage(name)
                        self.report_at(
                            text.start,
                            text.start + len(used),
                            f'"{used}" is not declared under the top-level {part}',
                        )


def _used(service: Mapping, part: str) -> Iterator[tuple[Scalar, str]]:
    """Yield the names of one kind of resource that a service uses, each with its scalar."""
    node = service.get(part)
    if part == "networks" and isinstance(node, Mapping):
        yield from ((key, key.value) for key, _ in node.entries)
        return
    for item in service.listed(part):
        if isinstance(item, Mapping):
            yield from _source(item, part)
        elif isinstance(item, Scalar):
            yield from _short_form(item, part)


def _source(item: Mapping, part: str) -> Iterator[tuple[Scalar, str]]:
    is_named = part != "volumes" or item.text("type") == "volume"
    name = item.scalar("source") if is_named else None
    if name is not None and "/" not in name.value:
        yield name, name.value


def _short_form(item: Scalar, part: str) -> Iterator[tuple[Scalar, str]]:
    if part == "volumes":
        volume = _NAMED.match(item.value)
        if volume is not None:
            yield item, volume.group(1)
    elif "/" not in item.value:
        yield item, item.value
