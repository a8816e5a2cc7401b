"""The metrics of the service in the format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily

from wardround.service.journal import Journal
from wardround.service.workers import ReviewEnd, WorkerPool

_REVIEW_S = (0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120)
_REQUEST_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10)


class Metrics:
    """Counters of one server, in a registry of its own."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "wardround_requests", "HTTP requests.", ["method", "route", "status"], registry=self._registry
        )
        self._request_s = Histogram(
            "wardround_request_seconds", "Time of a request.", buckets=_REQUEST_S, registry=self._registry
        )
        self._reviews = Counter(
            "wardround_reviews", "Reviews that ended.", ["status"], registry=self._registry
        )
        self._review_s = Histogram(
            "wardround_review_seconds", "Time of a review.", buckets=_REVIEW_S, registry=self._registry
        )

    def watch(self, journal: Journal, pool: WorkerPool) -> None:
        """Add the state of the queue and the workers, read whenever metrics are requested."""
        self._registry.register(_State(journal, pool))

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()
        self._request_s.observe(seconds)

    def review(self, end: ReviewEnd) -> None:
        """Count a review."""
        self._reviews.labels(end.status.value).inc()
        self._review_s.observe(end.seconds)

    def render(self) -> bytes:
        """Return all metrics."""
        return generate_latest(self._registry)


class _State:
    def __init__(self, journal: Journal, pool: WorkerPool) -> None:
        self._journal = journal
        self._pool = pool

    def collect(self) -> Iterator[GaugeMetricFamily]:
        stored = GaugeMetricFamily("wardround_stored_reviews", "Reviews in the journal.", labels=["status"])
        for status, count in self._journal.counts().items():
            stored.add_metric([status.value], count)
        yield stored
        yield GaugeMetricFamily("wardround_running_reviews", "Reviews in work.", self._pool.running)
        yield GaugeMetricFamily(
            "wardround_abandoned_threads", "Threads whose review does not stop.", self._pool.abandoned
        )
