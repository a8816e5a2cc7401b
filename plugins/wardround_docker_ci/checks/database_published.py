"""DC074."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_docker_ci.check import COMPOSE, CiCheck
from wardround_docker_ci.yaml_tree import Scalar

_PORTS = {
    "3306": "MySQL", "5432": "PostgreSQL", "6379": "Redis", "27017": "MongoDB", "9200": "Elasticsearch",
    "11211": "memcached", "1433": "SQL Server", "9042": "Cassandra", "2379": "etcd", "5984": "CouchDB",
}  # fmt: skip
_SHORT = LatePattern(r"(?:(\d[\d.]*|\[[^]]*\]|localhost):)?(?:[\d-]+|\$\{[^}]*\}):(\d+)(?:/tcp)?$")
_EVERYWHERE = (None, "0.0.0.0", "[::]")  # noqa: S104  (the address that is looked for)


class DatabasePublished(CiCheck):
    """A database's port is published on every address of the host.

    Docker opens it past the host's firewall, so whoever reaches the machine reaches the database. Publish
    it on `127.0.0.1`, or not at all: services of the same file reach it anyway.
    """

    ID = "DC074"
    NAME = "database-published"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "trees of 27 repositories: 18 hits; "
        "640 commits of 16 that touch such files: 2; development files are passed over"
    )
    KINDS = COMPOSE
    NEEDS = tuple(_PORTS)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  db:\n    image: postgres:17\n    ports: ['127.0.0.1:5432:5432']\n",
            path="compose.yml",
        ),
        Valid("services:\n  db:\n    image: postgres:17\n    expose: ['5432']\n", path="compose.yml"),
        Valid("services:\n  web:\n    image: a:1\n    ports: ['8080:80', '5432']\n", path="compose.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  db:\n    image: postgres:17\n    ports:\n      - 5432:5432\n",
            line=5,
            column=9,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  db:\n    image: redis:7\n    ports: ['0.0.0.0:6380:6379/tcp']\n",
            line=4,
            column=14,
            path="compose.yml",
        ),
        Invalid(
            'services:\n  db:\n    image: mysql:9\n    ports:\n      - "${PORT:-3306}:3306"\n',
            line=5,
            column=10,
            path="compose.yml",
        ),
    ]

    def run(self) -> None:
        if re.search(
            r"(?:^|[/._-])(?:dev|development|local|tests?|ci|override)(?:[/._-]|$)", self.source.path
        ):
            return
        for service in self.file.services:
            for node in service.node.listed("ports"):
                text = self.file.passage(node) if isinstance(node, Scalar) else None
                found = _SHORT.match(text.text.strip()) if text is not None else None
                if text is None or found is None or found.group(2) not in _PORTS:
                    continue
                if found.group(1) in _EVERYWHERE:
                    name = _PORTS[found.group(2)]
                    self.report_at(text.start, text.end, f"{name} is published on every address of the host")
