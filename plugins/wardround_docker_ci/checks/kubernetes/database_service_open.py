from __future__ import annotations

from wardround.findings import Plane
from wardround.languages.yaml.nodes import Mapping
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import KUBERNETES, TEMPLATE, CiCheck
from wardround_docker_ci.models.kubernetes import objects

_PORTS = {
    "3306": "MySQL", "5432": "PostgreSQL", "6379": "Redis", "27017": "MongoDB", "9200": "Elasticsearch",
    "11211": "memcached", "1433": "SQL Server", "9042": "Cassandra", "2379": "etcd", "5984": "CouchDB",
    "26257": "CockroachDB", "1521": "Oracle", "5672": "RabbitMQ", "8123": "ClickHouse", "9092": "Kafka",
}  # fmt: skip


class DatabaseServiceOpen(CiCheck):
    """A Service exposes a database outside the cluster.

    A `LoadBalancer` has an address on the internet, a `NodePort` one on every node, and both bypass the
    ingress. Use a `ClusterIP`, or restrict the clients: `loadBalancerSourceRanges`.
    """

    ID = "DC214"
    NAME = "database-service-open"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    KINDS = KUBERNETES | TEMPLATE
    NEEDS = ("LoadBalancer", "NodePort")
    CASE_PATH = "a.yaml"
    VALID = [
        code("""
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec:
              type: LoadBalancer
              ports: [{port: 443}]
        """),
        code("""
            apiVersion: v1
            kind: Service
            metadata: {name: db}
            spec:
              type: LoadBalancer
              loadBalancerSourceRanges: [10.0.0.0/8]
              ports: [{port: 5432}]
        """),
    ]
    INVALID = [
        code("""
            apiVersion: v1
            kind: Service
            metadata: {name: db}
            spec:
              «type: LoadBalancer»
              ports: [{port: 5432}]
        """),
        code("""
            apiVersion: v1
            kind: Service
            metadata: {name: cache}
            spec:
              ports:
              - port: 80
                targetPort: 6379
              «type: NodePort»
        """),
    ]

    def run(self) -> None:
        for resource in objects(self.file.documents):
            spec = resource.mapping("spec")
            key, kind = spec.key("type"), spec.scalar("type")
            if resource.text("kind") != "Service" or key is None or kind is None or _is_inside(resource):
                continue
            name = _store(spec)
            if kind.value in ("LoadBalancer", "NodePort") and name:
                self.report_at(key.start, kind.end, f"{name} is exposed outside the cluster; use a ClusterIP")


def _store(spec: Mapping) -> str:
    ports = [port for port in spec.items_at("ports") if isinstance(port, Mapping)]
    numbers = [port.text(key) for port in ports for key in ("port", "targetPort")]
    return next((_PORTS[number] for number in numbers if number in _PORTS), "")


def _is_inside(service: Mapping) -> bool:
    """Return True if the service restricts its clients, or its load balancer is internal."""
    notes = service.mapping("metadata", "annotations").entries
    texts = [f"{key.value}: {getattr(value, 'value', '')}".lower() for key, value in notes]
    is_private = any("internal" in text and not text.endswith("false") for text in texts)
    return is_private or bool(service.items_at("spec", "loadBalancerSourceRanges"))
