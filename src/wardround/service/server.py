"""The start and the stop of a server: journal, workers and HTTP."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.errors import GitError, UsageError
from wardround.execution.thread_safety import serialize_unsafe_calls
from wardround.host import PluginHost
from wardround.records.location import Location, location_of
from wardround.service.api import create_app
from wardround.service.bodies import BodyReader
from wardround.service.dependencies import Service
from wardround.service.engine import ReviewEngine, divide_cores
from wardround.service.exchange import Exchange
from wardround.service.journal import Journal
from wardround.service.logs import EventLog, ServerLogHandler
from wardround.service.metrics import Metrics
from wardround.service.protocol import MOST_HEADER_BYTES, protocol_class
from wardround.service.recorder import Recorder, open_recorder
from wardround.service.retention import RecordRetention
from wardround.service.settings import ServiceSettings
from wardround.service.tickets import SubmittedTickets
from wardround.service.webhooks import WebhookSender, open_receivers
from wardround.service.workers import ReviewEnd, WorkerPool

_BACKLOG = 512
_KEEP_ALIVE_S = 5
_CLOSE_S = 5
"""The time that requests in work have to end when the server stops."""


def serve(settings: ServiceSettings, host: PluginHost, request: ReviewRequest, log: EventLog) -> None:
    """Serve until a signal to stop.

    Raises:
        UsageError: a repository, a key, the journal or the address cannot be used.
    """
    serialize_unsafe_calls()
    _require_repositories(settings)
    recorder = open_recorder(settings.records, os.environ, log)
    receivers = open_receivers(settings.webhooks, os.environ)
    listener = _listener(settings)
    journal = Journal(settings.journal_file, subscriptions=settings.subscriptions)
    sender = WebhookSender(journal.outbox, receivers, log)
    try:
        service = _service(settings, journal, host, request, recorder, log, sender)
        _run(service, listener)
    finally:
        journal.close()


def _service(
    settings: ServiceSettings,
    journal: Journal,
    host: PluginHost,
    request: ReviewRequest,
    recorder: Recorder,
    log: EventLog,
    sender: WebhookSender,
) -> Service:
    metrics, limits = Metrics(), settings.limits
    empty = _empty_folder(settings.journal_file.parent)
    request = divide_cores(request, limits.workers, os.cpu_count() or 1)
    tickets = SubmittedTickets(settings.reviews.ticket_projects, os.environ, empty)
    engine = ReviewEngine(host, request, settings.clones, empty, recorder, tickets)
    pool = WorkerPool(
        journal, engine, limits, partial(_record_end, metrics, log, sender), partial(_journal_trouble, log)
    )
    metrics.watch(journal, pool)
    return Service(
        settings, journal, pool, BodyReader(limits), metrics, log, tickets, sender, _store_location(settings)
    )


def _store_location(settings: ServiceSettings) -> Location | None:
    has_store = settings.records is not None and settings.records.store
    return location_of("", os.environ) if has_store else None


def _run(service: Service, listener: socket.socket) -> None:
    settings, limits = service.settings, service.settings.limits
    app = create_app(service)
    config = uvicorn.Config(
        Exchange(app, service.metrics, service.log),
        http=protocol_class(limits.connections, limits.header_seconds),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_CLOSE_S,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        ssl_certfile=None if settings.tls is None else settings.tls.certificate,
        ssl_keyfile=None if settings.tls is None else str(settings.tls.key),
    )
    server = uvicorn.Server(config)
    app.router.lifespan_context = partial(_lifespan, service, server, listener)
    _redirect_server_log(service.log)
    server.run([listener])


@asynccontextmanager
async def _lifespan(
    service: Service, server: uvicorn.Server, listener: socket.socket, app: FastAPI
) -> AsyncIterator[None]:
    """Resume what the journal has, and stop the workers at the end."""
    queued, failed = service.journal.resume(service.settings.limits.attempts)
    service.pool.start()
    service.sender.start()
    retention = _start_retention(service)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _stop, server)
    address = listener.getsockname()
    service.log.write("started", host=address[0], port=address[1], resumed=queued, failed=failed)
    yield
    ended, requeued = await asyncio.to_thread(service.pool.stop)
    service.sender.stop()
    if retention is not None:
        retention.stop()
    service.log.write("stopped", ended=ended, requeued=requeued)


def _start_retention(service: Service) -> RecordRetention | None:
    records = service.settings.records
    if records is None or service.store is None:
        return None
    retention = RecordRetention(records, service.store, service.log)
    retention.start()
    return retention


def _stop(server: uvicorn.Server) -> None:
    server.should_exit = True


def _listener(settings: ServiceSettings) -> socket.socket:
    """Listen, so that a server that cannot does not touch the journal; connections wait until it is ready."""
    address = settings.address
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as cause:
        listener.close()
        raise UsageError(f"listen: {settings.listen}: {cause.strerror}; give another address") from cause
    return listener


def _require_repositories(settings: ServiceSettings) -> None:
    for name, clone in settings.clones.items():
        try:
            with Repository(clone.folder) as repository:
                for base in clone.bases:
                    repository.commit(base)
        except GitError as cause:
            raise UsageError(f"repositories.{name}: {cause}") from cause


def _empty_folder(parent: Path) -> Path:
    """Return a folder without files next to the journal, instead of the work tree of a diff."""
    folder = parent / "empty"
    folder.mkdir(mode=0o500, parents=True, exist_ok=True)
    if next(folder.iterdir(), None) is not None:
        raise UsageError(f"{folder} has files, which would be part of every reviewed diff; remove them")
    return folder.resolve()


def _redirect_server_log(log: EventLog) -> None:
    logger = logging.getLogger("uvicorn")
    logger.handlers[:] = [ServerLogHandler(log)]
    logger.propagate = False


def _record_end(metrics: Metrics, log: EventLog, sender: WebhookSender, end: ReviewEnd) -> None:
    metrics.review(end)
    sender.wake()
    log.write("review", id=end.id, status=end.status.value, seconds=end.seconds, error=end.error or None)


def _journal_trouble(log: EventLog, trouble: sqlite3.Error) -> None:
    log.write("journal", error=type(trouble).__name__, message=str(trouble))
