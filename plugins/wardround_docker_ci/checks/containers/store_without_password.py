from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping
from wardround.languages.yaml.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.analysis.deployment_kind import FOR_TRIALS, restarts_with_machine
from wardround_docker_ci.check import COMPOSE, HELM, KUBERNETES, CiCheck
from wardround_docker_ci.models.compose import Service
from wardround_docker_ci.models.node_lists import scalars

_OPEN = {
    "POSTGRES_HOST_AUTH_METHOD": ("trust",),
    "MYSQL_ALLOW_EMPTY_PASSWORD": ("yes", "true", "1"),
    "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD": ("yes", "true", "1"),
    "MARIADB_ALLOW_EMPTY_PASSWORD": ("yes", "true", "1"),
    "ALLOW_EMPTY_PASSWORD": ("yes", "true", "1"),
    "ALLOW_ANONYMOUS_LOGIN": ("yes", "true", "1"),
    "xpack.security.enabled": ("false",),
    "plugins.security.disabled": ("true",),
    "DISABLE_SECURITY_PLUGIN": ("true",),
    "NEO4J_AUTH": ("none",),
    "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": ("true",),
    "GF_AUTH_ANONYMOUS_ENABLED": ("true",),
    "INFLUXDB_HTTP_AUTH_ENABLED": ("false",),
    "CLICKHOUSE_SKIP_USER_SETUP": ("1", "true"),
    "ME_CONFIG_BASICAUTH": ("false",),
}
_ARGUMENT = LazyPattern(
    r"--protected-mode[ =]no\b|--requirepass[ =](?:\"\"|''|$)|--noauth\b|--api\.insecure=true"
)
_STORE = LazyPattern(
    r"(?:redis|valkey|mongodb|postgresql|mysql|mariadb|rabbitmq|elasticsearch|memcached|kafka)"
)
_LIVE = LazyPattern(
    r"(?:^|[/._-])(?:prod|production|stag(?:e|ing)|deploy\w*|infra\w*|ops|live|server|hosts?|release|k8s|kubernetes|manifests)(?:[/._-]|$)"
)
"""Paths of real deployments; any other compose file usually serves a developer's machine."""


class StoreWithoutPassword(CiCheck):
    """A database or admin console of a deployment accepts connections without a password.

    Any container of the network can then read the data, and with a published port anyone else can. Set a
    password from a secret, and use this setting only in files for tests.
    """

    ID = "DC118"
    NAME = "store-without-password"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    KINDS = COMPOSE | KUBERNETES | HELM
    NEEDS = (*_OPEN, "--protected-mode", "--requirepass", "--noauth", "--api.insecure", "auth:")
    CASE_PATH = "ops/compose.yml"
    VALID = [
        code("""
            services:
              db:
                image: postgres:17
                environment: {POSTGRES_HOST_AUTH_METHOD: scram-sha-256}
        """),
        code(
            """
            services:
              db:
                image: postgres:17
                environment: {POSTGRES_HOST_AUTH_METHOD: trust}
            """,
            path="compose.test.yml",
        ),
    ]
    INVALID = [
        code("""
            services:
              db:
                image: postgres:17
                environment:
                  POSTGRES_HOST_AUTH_METHOD: «trust»
        """),
        code(
            """
            services:
              e:
                image: elasticsearch:8.1.0
                environment:
                  - xpack.security.enabled=«false»
            """,
            path="compose.prod.yml",
        ),
    ]

    def run(self) -> None:
        if self.file.kind in HELM:
            self._check_values()
        is_live = _LIVE.search(self.source.path) is not None
        spans = [] if is_live else self._restarted_services()
        for variable in self.file.variables:
            is_deployed = is_live or any(start <= variable.start < end for start, end in spans)
            if is_deployed and variable.value.strip().lower() in _OPEN.get(variable.name, ()):
                self._report(variable.start, variable.end)
        for service in self.file.services if is_live else ():
            self._check_arguments(service)

    def _restarted_services(self) -> list[tuple[int, int]]:
        """Return the offsets of the services that restart with their machine."""
        if FOR_TRIALS.search(self.source.path):
            return []
        return [
            (service.node.start, service.node.end)
            for service in self.file.services
            if restarts_with_machine(service)
        ]

    def _check_arguments(self, service: Service) -> None:
        for node in scalars(walk(service.node)):
            text = self.file.passage(node)
            option = _ARGUMENT.search(text.text.replace("\n", " ")) if "--" in text.text else None
            if option is not None:
                self._report(text.start + option.start(), text.start + option.end())

    def _check_values(self) -> None:
        """Check the stores among a chart's dependencies for disabled authentication."""
        for name, value in self.file.root.entries:
            if isinstance(value, Mapping) and _STORE.match(name.value):
                self._check_store(value)

    def _check_store(self, store: Mapping) -> None:
        if store.text("enabled") == "false":
            return
        key, switch = store.mapping("auth").key("enabled"), store.scalar("auth", "enabled")
        if key is not None and switch is not None and switch.value == "false":
            self._report(key.start, switch.end)

    def _report(self, start: int, end: int) -> None:
        self.report_at(start, end, "authentication is disabled; set a password from a secret")
