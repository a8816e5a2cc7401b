from __future__ import annotations

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, CiCheck
from wardround_docker_ci.models.compose import Service
from wardround_docker_ci.models.image_reference import image_name
from wardround_docker_ci.models.node_lists import scalars

_NO_HEALTHCHECK = frozenset(
    {
        "postgres", "mysql", "mariadb", "redis", "mongo", "rabbitmq", "nginx", "memcached",
        "elasticsearch", "kafka", "zookeeper", "minio", "vault", "consul", "influxdb", "valkey",
        "caddy", "httpd", "alpine", "node", "python",
    }
)  # fmt: skip
"""Official images without a HEALTHCHECK."""


class DependencyWithoutHealthcheck(CiCheck):
    """A service depends on another that has no healthcheck, or does not wait until it is healthy.

    With `condition: service_healthy` Compose refuses to start the service if its dependency has no
    healthcheck. The short form of `depends_on` only waits until the container has started: use `condition:
    service_healthy`.
    """

    ID = "DC075"
    NAME = "dependency-without-healthcheck"
    SEVERITY = Severity.ERROR
    KINDS = COMPOSE
    NEEDS = ("depends_on",)
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              a:
                depends_on:
                  db: {condition: service_healthy}
              db:
                image: postgres:17
                healthcheck: {test: pg_isready}
        """),
        code("""
            services:
              a:
                depends_on:
                  db: {condition: service_started}
              db:
                image: postgres:17
            # service_healthy
        """),
    ]
    INVALID = [
        code("""
            services:
              a:
                image: b:1
                depends_on: [«db»]
              db:
                image: postgres:16
                healthcheck: {test: pg_isready}
        """),
        code(
            """
            services:
              a:
                image: b:1
                depends_on: [«db»]
              db:
                image: mysql:8.4
            """,
            path="deploy/compose.yml",
        ),
    ]

    def run(self) -> None:
        if self.file.root.get("include") is not None or "override" in self.source.path:
            return
        services = {service.name: service for service in self.file.services}
        for service in services.values():
            for name in scalars(service.node.items_at("depends_on")):
                if name.value in services:
                    self._report_early_start(name, services[name.value])
            self._check_conditions(service, services)

    def _check_conditions(self, service: Service, services: dict[str, Service]) -> None:
        for key, value in service.node.mapping("depends_on").entries:
            condition = value.scalar("condition") if isinstance(value, Mapping) else None
            if condition is not None and key.value in services:
                self._check_condition(condition, services[key.value])

    def _check_condition(self, condition: Scalar, other: Service) -> None:
        if condition.value == "service_started" and _is_store(other.node) and _is_checked(other.node):
            self._report_early_start(condition, other)
        elif condition.value == "service_healthy" and not _has_healthcheck(other.node):
            text = self.file.passage(condition)
            message = f'"{other.name}" has no healthcheck, so this service never starts; add one'
            self.report_at(text.start, text.end, message)

    def _report_early_start(self, place: Scalar, other: Service) -> None:
        """Report a service that starts without waiting for its dependency to be healthy."""
        text = self.file.passage(place)
        if _is_checked(other.node):
            message = f'starts before "{other.name}" is healthy; use condition: service_healthy'
        elif _is_store(other.node) and not _TRIAL.search(self.source.path):
            message = f'starts before "{other.name}" is ready; add a healthcheck and wait for it'
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
"""Images of stores that are not ready as soon as their container starts."""


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
