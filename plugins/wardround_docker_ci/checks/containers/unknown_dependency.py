from __future__ import annotations

import re

from wardround.languages.yaml.nodes import Mapping, Node, Scalar
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import COMPOSE, CiCheck


class UnknownDependency(CiCheck):
    """A service depends on a service that the file does not define.

    Compose rejects the file. Name an existing service, or define this one.
    """

    ID = "DC076"
    NAME = "unknown-dependency"
    MATURITY = Maturity.PREVIEW
    KINDS = COMPOSE
    NEEDS = ("depends_on",)
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                image: a:1
                depends_on: [b]
              b:
                image: b:1
        """),
        code("""
            include: [b.yml]
            services:
              a:
                image: a:1
                depends_on: [b]
        """),
    ]
    INVALID = [
        code("""
            services:
              a:
                image: a:1
                depends_on:
                  - «db»
        """),
        code(
            """
            services:
              a:
                image: a:1
                depends_on: [b, «c»]
              b:
                image: b:1
            """,
            path="docker-compose.yml",
        ),
    ]

    def run(self) -> None:
        # Only a file with the default name is used on its own; others are merged into it.
        is_default_name = re.search(r"(?:^|/)(?:docker-)?compose\.ya?ml$", self.source.path)
        root = self.file.root
        if not is_default_name or root.get("include") is not None or not self.file.services:
            return
        known = {key.value for key, _ in root.mapping("services").entries}
        for service in self.file.services:
            named = _required_services(service.node)
            for name in named:
                if name.value not in known and "$" not in name.value and name.value != "<<":
                    text = self.file.passage(name)
                    self.report_at(
                        text.start, text.end, f'service "{name.value}" is not defined in this file'
                    )


def _required_services(service: Mapping) -> list[Scalar]:
    """Return the services that a service requires, as the scalars that name them."""
    node = service.get("depends_on")
    if not isinstance(node, Mapping):
        return [item for item in service.items_at("depends_on") if isinstance(item, Scalar)]
    optional = {key.value for key, value in node.entries if _is_optional(value)}
    return [key for key, _ in node.entries if key.value not in optional]


def _is_optional(value: Node) -> bool:
    return isinstance(value, Mapping) and value.text("required") == "false"
