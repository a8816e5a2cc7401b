from __future__ import annotations

import re
from collections.abc import Mapping as Names

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, CiCheck
from wardround_docker_ci.models.image_reference import image_name

_PORTS = {
    "3306": "MySQL", "5432": "PostgreSQL", "6379": "Redis", "27017": "MongoDB", "9200": "Elasticsearch",
    "11211": "memcached", "1433": "SQL Server", "9042": "Cassandra", "2379": "etcd", "5984": "CouchDB",
    "26257": "CockroachDB", "8529": "ArangoDB", "1521": "Oracle", "28015": "RethinkDB", "33060": "MySQL",
    "7687": "Neo4j", "5672": "RabbitMQ", "15672": "RabbitMQ", "2375": "the Docker engine",
}  # fmt: skip
_PORTS_OF = {
    "clickhouse": ("ClickHouse", ("8123", "9000", "9009", "9440", "8443")),
    "clickhouse-server": ("ClickHouse", ("8123", "9000", "9009", "9440", "8443")),
    "neo4j": ("Neo4j", ("7474", "7473")),
    "opensearch": ("OpenSearch", ("9200", "9300")),
    "elasticsearch": ("Elasticsearch", ("9300",)),
    "influxdb": ("InfluxDB", ("8086",)),
    "kafka": ("Kafka", ("9092", "9093")),
    "cp-kafka": ("Kafka", ("9092", "9093")),
    "zookeeper": ("ZooKeeper", ("2181",)),
    "nats": ("NATS", ("4222", "8222")),
    "consul": ("Consul", ("8500",)),
    "dynamodb-local": ("DynamoDB", ("8000",)),
    "qdrant": ("Qdrant", ("6333", "6334")),
    "weaviate": ("Weaviate", ("8080",)),
    "meilisearch": ("Meilisearch", ("7700",)),
    "typesense": ("Typesense", ("8108",)),
    "milvus": ("Milvus", ("19530",)),
    "mongo-express": ("mongo-express", ("8081",)),
    "adminer": ("Adminer", ("8080",)),
    "phpmyadmin": ("phpMyAdmin", ("80",)),
    "pgadmin4": ("pgAdmin", ("80", "443")),
    "redis-commander": ("Redis Commander", ("8081",)),
    "redisinsight": ("RedisInsight", ("5540", "8001")),
}
"""Ports that identify a store, or an admin console of one, only in combination with its image."""
_SHORT = LazyPattern(r"(?:(\d[\d.]*|\[[^]]*\]|localhost):)?(?:[\d-]+|\$\{[^}]*\}):(\d+)(?:-\d+)?(?:/tcp)?$")
_EVERYWHERE = (None, "0.0.0.0", "[::]")  # noqa: S104  (the address to detect)


class DatabasePublished(CiCheck):
    """A database port is published on all interfaces of the host.

    Docker bypasses the host's firewall, so anyone who can reach the machine can reach the database. Publish
    the port on `127.0.0.1`, or not at all: services of the same file reach it over their network.
    """

    ID = "DC074"
    NAME = "database-published"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    KINDS = COMPOSE
    NEEDS = ("ports",)
    CASE_PATH = "compose.yml"
    VALID = [
        code("""
            services:
              db:
                image: postgres:17
                ports: ['127.0.0.1:5432:5432']
        """),
        code("""
            services:
              db:
                image: postgres:17
                expose: ['5432']
        """),
    ]
    INVALID = [
        code("""
            services:
              db:
                image: mysql:9
                ports:
                  - «target: 3306»
                    published: 3306
        """),
        code("""
            services:
              db:
                image: clickhouse/clickhouse-server:24.5
                ports: ['«0.0.0.0:8123:8123»']
        """),
    ]

    def run(self) -> None:
        if re.search(
            r"(?:^|[/._-])(?:dev|development|local|tests?|ci|override)(?:[/._-]|$)", self.source.path
        ):
            return
        for service in self.file.services:
            named = _PORTS | _store_ports(service.node.text("image"))
            for node in service.node.items_at("ports"):
                if isinstance(node, Scalar):
                    self._short(node, named)
                elif isinstance(node, Mapping):
                    self._long(node, named)

    def _short(self, node: Scalar, named: Names[str, str]) -> None:
        text = self.file.passage(node)
        found = _SHORT.match(text.text.strip())
        if found is not None and found.group(2) in named and found.group(1) in _EVERYWHERE:
            self._report(text.start, text.end, named[found.group(2)])

    def _long(self, node: Mapping, named: Names[str, str]) -> None:
        """Check a port in the long syntax; without ``published`` the host port is random."""
        key, target = node.key("target"), node.scalar("target")
        is_open = node.get("published") is not None and (node.text("host_ip") or None) in _EVERYWHERE
        if key is not None and target is not None and target.value in named and is_open:
            self._report(key.start, target.end, named[target.value])

    def _report(self, start: int, end: int, name: str) -> None:
        self.report_at(start, end, f"port of {name} is published on all interfaces; bind it to 127.0.0.1")


def _store_ports(reference: str) -> dict[str, str]:
    """Return the ports of a store that are recognized by its image name."""
    name, ports = _PORTS_OF.get(image_name(reference).short, ("", ()))
    return dict.fromkeys(ports, name)
