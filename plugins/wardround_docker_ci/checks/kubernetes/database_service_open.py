"""DC214."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround.languages.yaml.tree import Mapping
from wardround_docker_ci.check import KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.models.kubernetes import objects

_PORTS = {
    "3306": "MySQL", "5432": "PostgreSQL", "6379": "Redis", "27017": "MongoDB", "9200": "Elasticsearch",
    "11211": "memcached", "1433": "SQL Server", "9042": "Cassandra", "2379": "etcd", "5984": "CouchDB",
    "26257": "CockroachDB", "1521": "Oracle", "5672": "RabbitMQ", "8123": "ClickHouse", "9092": "Kafka",
}  # fmt: skip


class DatabaseServiceOpen(CiCheck):
    """A Service offers a database outside the cluster.

    A `LoadBalancer` has an address on the internet, a `NodePort` one on every node, and both go past what
    guards the ingress. Leave it a `ClusterIP`, or name who may come: `loadBalancerSourceRanges`.
    """

    ID = "DC214"
    NAME = "database-service-open"
    PLANE = Plane.SECURITY
    TRIED_ON = "trees of 27 repositories: no hit"
    KINDS = KUBERNETES | TEMPLATE
    NEEDS = ("LoadBalancer", "NodePort")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  type: LoadBalancer\n"
            "  ports: [{port: 443}]\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec:\n  type: LoadBalancer\n"
            "  loadBalancerSourceRanges: [10.0.0.0/8]\n  ports: [{port: 5432}]\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: db\n  annotations:\n"
            "    networking.gke.io/load-balancer-type: Internal\nspec:\n  type: LoadBalancer\n"
            "  ports: [{port: 5432}]\n",
            path="a.yaml",
        ),
        Valid(
            "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec:\n  ports: [{port: 5432}]\n",
            path="a.yaml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec:\n  type: LoadBalancer\n"
            "  ports: [{port: 5432}]\n",
            line=5,
            column=3,
            path="a.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Service\nmetadata: {name: cache}\nspec:\n  ports:\n  - port: 80\n"
            "    targetPort: 6379\n  type: NodePort\n",
            line=8,
            column=3,
            path="a.yaml",
        ),
        Invalid(
            "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec:\n  type: NodePort\n  ports:\n"
            "  - {port: 3306, nodePort: 30306}\n",
            line=5,
            column=3,
            path="a.yaml",
        ),
    ]

    def run(self) -> None:
        for one in objects(self.file.documents):
            spec = one.mapping("spec")
            key, kind = spec.key("type"), spec.scalar("type")
            if one.text("kind") != "Service" or key is None or kind is None or _is_inside(one):
                continue
            name = _store(spec)
            if kind.value in ("LoadBalancer", "NodePort") and name:
                self.report_at(key.start, kind.end, f"{name} can be reached from outside the cluster")


def _store(spec: Mapping) -> str:
    ports = [port for port in spec.listed("ports") if isinstance(port, Mapping)]
    numbers = [port.text(key) for port in ports for key in ("port", "targetPort")]
    return next((_PORTS[number] for number in numbers if number in _PORTS), "")


def _is_inside(service: Mapping) -> bool:
    """Whether it says who may come, or that the balancer stands in the private network."""
    notes = service.mapping("metadata", "annotations").entries
    texts = [f"{key.value}: {getattr(value, 'value', '')}".lower() for key, value in notes]
    is_private = any("internal" in text and not text.endswith("false") for text in texts)
    return is_private or bool(service.listed("spec", "loadBalancerSourceRanges"))
