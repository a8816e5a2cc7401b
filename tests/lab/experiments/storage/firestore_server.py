"""A server on loopback that serves the protocol of Firestore by the definitions of its official client.

It keeps documents in memory, checks preconditions, and rejects what Firestore rejects: more writes or bytes
than a request may have, larger documents, and queries that need a composite index.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
from google.cloud.firestore_v1 import types

SERVICE = "google.firestore.v1.Firestore"
PROJECT = "lab"
_MOST_WRITES = 500
_MOST_DOCUMENT_BYTES = 1024 * 1024
_MOST_REQUEST_BYTES = 10 * 1024 * 1024
_NAME = "__name__"
_BEGIN = datetime(2030, 1, 1, tzinfo=UTC)
_OPERATORS = types.StructuredQuery.FieldFilter.Operator
_COMPARED: dict[Any, Callable[[Any, Any], bool]] = {
    _OPERATORS.EQUAL: lambda value, bound: bool(value == bound),
    _OPERATORS.GREATER_THAN: lambda value, bound: bool(value > bound),
    _OPERATORS.LESS_THAN: lambda value, bound: bool(value < bound),
}


class Rejected(Exception):
    """A request that the server rejects."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(slots=True)
class Failure:
    """A failure of one request.

    Attributes:
        method: such as ``Commit``.
        is_after: the request has its effect, and only the answer is lost.
    """

    method: str
    code: grpc.StatusCode
    message: str = "by the test"
    is_after: bool = False


@dataclass(slots=True)
class FirestoreServer:
    """The server; its databases are in the names of the documents.

    Attributes:
        failures: those of the next requests, each once, or always if it is in ``lasting``.
        requests: the names of the methods that were called.
        names: collection -> the names of its documents, sorted.
    """

    host: str = ""
    failures: list[Failure] = field(default_factory=list)
    lasting: list[Failure] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    documents: dict[str, Any] = field(default_factory=dict)
    names: dict[str, list[bytes]] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.Lock)
    _ticks: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str) -> str:
        return f"firestore://{PROJECT}/{database}"

    def size(self) -> int:
        """The bytes of all documents."""
        return sum(type(document).pb(document).ByteSize() for document in self.documents.values())

    def commit(self, request: types.CommitRequest) -> types.CommitResponse:
        self._check_size(request)
        with self._lock:
            changed = [self._changed(write) for write in request.writes]
            now = self._now()
            results = [self._store(document, now) for document in changed]
        return types.CommitResponse(write_results=results, commit_time=now)

    def batch_get(self, request: types.BatchGetDocumentsRequest) -> Iterator[Any]:
        for name in request.documents:
            document = self.documents.get(name)
            if document is None:
                yield types.BatchGetDocumentsResponse(missing=name, read_time=_BEGIN)
            else:
                yield types.BatchGetDocumentsResponse(found=document, read_time=_BEGIN)

    def run_query(self, request: types.RunQueryRequest) -> Iterator[Any]:
        query = request.structured_query
        filters = list(_filters(query.where))
        _require_no_composite_index(query, filters)
        (collection,) = query.from_
        folder = f"{request.parent}/{collection.collection_id}"
        with self._lock:
            names = _within_bounds(self.names.get(folder, []), filters)
            met = (self.documents[name.decode()] for name in names if self._meets(name.decode(), filters))
            selected = list(itertools.islice(met, query.limit or None))
        for document in selected:
            yield types.RunQueryResponse(document=document, read_time=_BEGIN)
        if not selected:
            yield types.RunQueryResponse(read_time=_BEGIN)

    def _meets(self, name: str, filters: list[Any]) -> bool:
        return all(_meets(self.documents[name], condition) for condition in filters)

    def _check_size(self, request: types.CommitRequest) -> None:
        if len(request.writes) > _MOST_WRITES:
            raise Rejected(grpc.StatusCode.INVALID_ARGUMENT, "maximum 500 writes allowed per request")
        if type(request).pb(request).ByteSize() > _MOST_REQUEST_BYTES:
            raise Rejected(grpc.StatusCode.INVALID_ARGUMENT, "Transaction too big")

    def _changed(self, write: Any) -> Any:
        """The document of a write, whose preconditions hold."""
        document = write.update
        stored = self.documents.get(document.name)
        required = write.current_document
        kind = type(required).pb(required).WhichOneof("condition_type")
        if kind == "exists" and required.exists is False and stored is not None:
            raise Rejected(grpc.StatusCode.ALREADY_EXISTS, f"Document already exists: {document.name}")
        if kind == "exists" and required.exists and stored is None:
            raise Rejected(grpc.StatusCode.NOT_FOUND, f"No document to update: {document.name}")
        if kind == "update_time" and (stored is None or stored.update_time != required.update_time):
            raise Rejected(grpc.StatusCode.FAILED_PRECONDITION, "the stored version does not match")
        if type(document).pb(document).ByteSize() > _MOST_DOCUMENT_BYTES:
            raise Rejected(grpc.StatusCode.INVALID_ARGUMENT, f"Document is too large: {document.name}")
        return document

    def _store(self, document: Any, now: datetime) -> types.WriteResult:
        stored = self.documents.get(document.name)
        if stored is None:
            folder = document.name.rpartition("/")[0]
            bisect.insort(self.names.setdefault(folder, []), document.name.encode())
        document.create_time = now if stored is None else stored.create_time
        document.update_time = now
        self.documents[document.name] = document
        return types.WriteResult(update_time=now)

    def _now(self) -> datetime:
        return _BEGIN + timedelta(milliseconds=next(self._ticks))

    def _failure(self, method: str) -> Failure | None:
        for failure in self.lasting:
            if failure.method == method:
                return failure
        for failure in self.failures:
            if failure.method == method:
                self.failures.remove(failure)
                return failure
        return None

    def serve(self, method: str, handle: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
        """The handler of a method, with the failures that a test wants."""

        def served(request: Any, context: grpc.ServicerContext) -> Any:
            self.requests.append(method)
            failure = self._failure(method)
            if failure is not None and not failure.is_after:
                context.abort(failure.code, failure.message)
            try:
                answer = handle(request)
                if not isinstance(answer, types.CommitResponse):
                    answer = list(answer)
            except Rejected as cause:
                context.abort(cause.code, str(cause))
            if failure is not None:
                context.abort(failure.code, failure.message)
            return answer

        return served

    def serve_stream(self, method: str, handle: Callable[[Any], Any]) -> Callable[[Any, Any], Iterator[Any]]:
        served = self.serve(method, handle)
        return lambda request, context: iter(served(request, context))


def _within_bounds(names: list[bytes], filters: list[Any]) -> list[bytes]:
    """The names within the bounds that a query has for them."""
    first, last = 0, len(names)
    for condition in filters:
        bound = type(condition.value).pb(condition.value).reference_value.encode()
        if condition.op == _OPERATORS.GREATER_THAN:
            first = max(first, bisect.bisect_right(names, bound))
        elif condition.op == _OPERATORS.LESS_THAN:
            last = min(last, bisect.bisect_left(names, bound))
    return names[first:last]


def _filters(where: Any) -> Iterator[Any]:
    kind = type(where).pb(where).WhichOneof("filter_type") if where is not None else None
    if kind == "composite_filter":
        for nested in where.composite_filter.filters:
            yield from _filters(nested)
    elif kind == "field_filter":
        yield where.field_filter


def _require_no_composite_index(query: Any, filters: list[Any]) -> None:
    """Single-field indexes answer equal fields together with an order and a range of names only."""
    ranged = {condition.field.field_path for condition in filters if condition.op != _OPERATORS.EQUAL}
    ordered = {order.field.field_path for order in query.order_by}
    if (ranged | ordered) - {_NAME}:
        raise Rejected(grpc.StatusCode.FAILED_PRECONDITION, "The query requires an index.")


def _meets(document: Any, condition: Any) -> bool:
    path = condition.field.field_path
    bound = condition.value
    if path == _NAME:
        value, wanted = document.name.encode(), type(bound).pb(bound).reference_value.encode()
        return _COMPARED[condition.op](value, wanted)
    if path not in document.fields:
        return False
    value = document.fields[path]
    return _COMPARED[condition.op](type(value).pb(value), type(bound).pb(bound))


def start() -> tuple[FirestoreServer, grpc.Server]:
    """Start a server on a free port."""
    firestore = FirestoreServer()
    handlers = {
        "Commit": _unary(
            firestore.serve("Commit", firestore.commit), types.CommitRequest, types.CommitResponse
        ),
        "BatchGetDocuments": _stream(
            firestore.serve_stream("BatchGetDocuments", firestore.batch_get),
            types.BatchGetDocumentsRequest,
            types.BatchGetDocumentsResponse,
        ),
        "RunQuery": _stream(
            firestore.serve_stream("RunQuery", firestore.run_query),
            types.RunQueryRequest,
            types.RunQueryResponse,
        ),
    }
    size = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    server = grpc.server(futures.ThreadPoolExecutor(4), options=size)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, handlers)])
    firestore.host = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    return firestore, server


def _unary(handler: Any, request: Any, response: Any) -> grpc.RpcMethodHandler:
    return grpc.unary_unary_rpc_method_handler(handler, request.deserialize, response.serialize)


def _stream(handler: Any, request: Any, response: Any) -> grpc.RpcMethodHandler:
    return grpc.unary_stream_rpc_method_handler(handler, request.deserialize, response.serialize)
