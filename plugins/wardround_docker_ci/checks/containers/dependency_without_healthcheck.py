"""DC075."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.yaml.tree import Mapping, Scalar
from wardround_docker_ci.check import COMPOSE, CiCheck
from wardround_docker_ci.models.compose import Service
from wardround_docker_ci.models.image_reference import image_name

_NO_HEALTHCHECK = frozenset(
    {
        "postgres", "mysql", "mariadb", "redis", "mongo", "rabbitmq", "nginx", "memcached",
        "elasticsearch", "kafka", "zookeeper", "minio", "vault", "consul", "influxdb", "valkey",
        "caddy", "httpd", "alpine", "node", "python",
    }
)  # fmt: skip
"""Official images that bring no HEALTHCHECK of their own."""


class DependencyWithoutHealthcheck(CiCheck):
    """A service waits for another to be healthy and nothing says when that one is; or it could, and does not.

    Compose refuses to start it where the dependency has no healthcheck. Where it has one, the short form of
    `depends_on` only waits until the container exists: ask for `condition: service_healthy`.
    """

    ID = "DC075"
    NAME = "dependency-without-healthcheck"
    SEVERITY = Severity.ERROR
    TRIED_ON = (
        "trees of 79 repositories: 13 hits, all true, of the short form; stores without a "
        "healthcheck, in 85: 12 more, all true, info"
    )
    KINDS = COMPOSE
    NEEDS = ("depends_on",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "services:\n  a:\n    depends_on:\n      db: {condition: service_healthy}\n  db:\n"
            "    image: postgres:17\n"
            "    healthcheck: {test: pg_isready}\n",
            path="compose.yml",
        ),
        Valid(
            "services:\n  a:\n    depends_on:\n      db: {condition: service_started}\n  db:\n"
            "    image: postgres:17\n"
            "# service_healthy\n",
            path="compose.yml",
        ),
        Valid(
            "services:\n  a:\n    depends_on:\n      db: {condition: service_healthy}\n  db:\n"
            "    image: own/db:1\n",
            path="compose.yml",
        ),
        Valid(
            "services:\n  a:\n    depends_on:\n      db: {condition: service_healthy}\n  db:\n"
            "    image: postgres:17\n"
            "    extends: {file: base.yml, service: db}\n",
            path="compose.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "services:\n  a:\n    image: b:1\n    depends_on: [db]\n  db:\n    image: postgres:16\n"
            "    healthcheck: {test: pg_isready}\n",
            line=4,
            column=18,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    image: b:1\n    depends_on: [db]\n  db:\n    image: mysql:8.4\n",
            line=4,
            column=18,
            path="deploy/compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    depends_on: {db: {condition: service_started}}\n  db:\n"
            "    image: mysql:8.4\n"
            "    healthcheck: {test: mysqladmin ping}\n",
            line=3,
            column=34,
            path="deploy/compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    depends_on:\n      db:\n        condition: service_healthy\n  db:\n"
            "    image: postgres:17\n",
            line=5,
            column=20,
            path="compose.yml",
        ),
        Invalid(
            "services:\n  db:\n    image: docker.io/library/redis:7\n  a:\n    depends_on:\n"
            "      db: {condition: service_healthy}\n",
            line=6,
            column=23,
            path="docker-compose.yml",
        ),
        Invalid(
            "services:\n  a:\n    depends_on:\n      db: {condition: service_healthy}\n  db:\n"
            "    image: mysql:9\n"
            "    healthcheck:\n      disable: true\n",
            line=4,
            column=23,
            path="compose.yml",
        ),
    ]

    def run(self) -> None:
        services = {service.name: service for service in self.file.services}
        if self.file.root.get("include") is not None or "override" in self.source.path:
            return
        for service in services.values():
            for name in service.node.listed("depends_on"):
                if not isinstance(name, Scalar):
                    continue
                other = services.get(name.value)
                if other is not None:
                    self._soon(name, other)
            for key, value in service.node.mapping("depends_on").entries:
                condition = value.scalar("condition") if isinstance(value, Mapping) else None
                other = services.get(key.value)
                if condition is None or other is None:
                    continue
                if condition.value == "service_started" and _is_store(other.node) and _is_checked(other.node):
                    self._soon(condition, other)
                if condition.value != "service_healthy":
                    continue
                if not _has_healthcheck(other.node):
                    text = self.file.passage(condition)
                    self.report_at(
                        text.start, text.end, f'"{other.name}" has no healthcheck, so this never starts'
                    )

    def _soon(self, place: Scalar, other: Service) -> None:
        """A service that is started as soon as a container exists."""
        text = self.file.passage(place)
        if _is_checked(other.node):
            message = f'starts before "{other.name}" is healthy, though it has a healthcheck'
        elif _is_store(other.node) and not _TRIAL.search(self.source.path):
            message = f'starts before "{other.name}" answers: that has no healthcheck to wait for'
        else:
            return
        self.report_at(text.start, text.end, message, severity=Severity.INFO)


_TRIAL = LazyPattern(
    r"(?:^|[/._-])(?:dev|devel|development|local|tests?|ci|e2e|examples?|samples?|demo)(?:[/._-]|$)"
)
_STORES = frozenset(
    {
        "postgres", "postgis", "mysql", "mariadb",
        "mongo", "rabbitmq", "elasticsearch", "opensearch", "kafka",
        "cassandra", "clickhouse-server", "cockroach", "influxdb", "timescaledb", "percona", "neo4j",
    }
)  # fmt: skip
"""Images that take their time before they answer."""


def _is_store(node: Mapping) -> bool:
    return node.get("build") is None and image_name(node.text("image")).short in _STORES


def _is_checked(node: Mapping) -> bool:
    return node.mapping("healthcheck").get("test") is not None


def _has_healthcheck(node: Mapping) -> bool:
    if node.get("extends") is not None or node.get("build") is not None:
        return True
    if node.get("healthcheck") is not None:
        return node.text("healthcheck", "disable") != "true"
    name = image_name(node.text("image"))
    is_official = name.name.removeprefix("docker.io/").removeprefix("library/") == name.short
    return not (is_official and name.short in _NO_HEALTHCHECK)
