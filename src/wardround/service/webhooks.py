"""Webhooks: signed messages about the end of reviews, to receivers of the server configuration only.

Source: Standard Webhooks 1.0.0, https://www.standardwebhooks.com: the headers, the signature, the secret with
the prefix ``whsec_``, and that a receiver accepts with a status of 200 to 299.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import ipaddress
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from wardround.errors import UsageError
from wardround.service.logs import EventLog
from wardround.service.outbox import Delivery, Outbox
from wardround.service.settings import WebhookTarget
from wardround.text.retry_after import seconds_until

if TYPE_CHECKING:
    import httpx

_PREFIX = "whsec_"
_SECRET_BYTES = range(24, 65)
_GROWTH = 4
_LONGEST_WAIT_S = 6 * 3600.0
_IDLE_S = 60.0
_TROUBLE_S = 1.0
"""The time before the next use of a journal that cannot be used."""
_EMBEDDING = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
"""Networks whose addresses contain one of IPv4, which may be private: NAT64, 6to4, Teredo."""


class NotDelivered(Exception):
    """A receiver did not accept a message.

    Args:
        retry_after: seconds that the receiver asks to wait.
    """

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Receiver(msgspec.Struct, frozen=True):
    """A target with its secrets; a message is signed with each of them."""

    target: WebhookTarget
    keys: tuple[bytes, ...]


def open_receivers(targets: Sequence[WebhookTarget], environ: Mapping[str, str]) -> tuple[Receiver, ...]:
    """Return the targets with the secrets from the environment.

    Raises:
        UsageError: a secret is missing or not valid, or httpx is not installed.
    """
    if not targets:
        return ()
    try:
        import httpx  # noqa: F401  (loaded only where there are targets)
    except ModuleNotFoundError as cause:
        raise UsageError("webhooks: httpx is not installed; run pip install 'wardround[serve]'") from cause
    return tuple(Receiver(target, _keys(target, environ)) for target in targets)


def _keys(target: WebhookTarget, environ: Mapping[str, str]) -> tuple[bytes, ...]:
    keys = tuple(map(_key, environ.get(target.secret_env, "").split()))
    if not keys or any(len(key) not in _SECRET_BYTES for key in keys):
        raise UsageError(
            f"webhooks: {target.name}: the environment variable {target.secret_env} has no secret; "
            f"set it to {_PREFIX} and the base64 of 24 to 64 random bytes"
        )
    return keys


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        return b""


def signed_headers(receiver: Receiver, message: str, body: bytes, current: int) -> dict[str, str]:
    """Return the headers of a message, whose signatures cover its id, the time and the body."""
    content = b"%b.%d.%b" % (message.encode(), current, body)
    digests = (hmac.new(key, content, hashlib.sha256).digest() for key in receiver.keys)
    return {
        "content-type": "application/json",
        "user-agent": "wardround",
        "webhook-id": message,
        "webhook-timestamp": str(current),
        "webhook-signature": " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests),
    }


def allowed_address(host: str, port: int, *, private: bool) -> str:
    """Return an address of a host, for a connection on which a later answer of DNS has no effect.

    Raises:
        NotDelivered: the host has no address, or one that is not public while only those are allowed.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as cause:
        raise NotDelivered("the host has no address") from cause
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
    if not private and not all(map(_is_public, addresses)):
        raise NotDelivered("the host has an address of a private network, which the target does not allow")
    return addresses[0]


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return _is_public(str(parsed.ipv4_mapped))
        if any(parsed in network for network in _EMBEDDING):
            return False
    return parsed.is_global and not parsed.is_multicast


def send(client: httpx.Client, receiver: Receiver, delivery: Delivery, current: float) -> None:
    """Send one message; a redirect is not followed, and the body of the response is not read.

    Raises:
        NotDelivered: it cannot be sent, or the receiver did not accept it.
    """
    import httpx

    target = receiver.target
    parts = urlsplit(target.url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = allowed_address(host, port, private=target.private)
    headers = signed_headers(receiver, delivery.id, delivery.body, int(current)) | {"host": parts.netloc}
    url = httpx.URL(target.url).copy_with(host=address)
    request = client.build_request(
        "POST", url, content=delivery.body, headers=headers, extensions={"sni_hostname": host}
    )
    try:
        response = client.send(request, stream=True)
        response.close()
    except (httpx.HTTPError, OSError, UnicodeError) as cause:
        raise NotDelivered(f"no response: {type(cause).__name__}") from cause
    if not response.is_success:
        wait = response.headers.get("retry-after", "")
        retry_after = seconds_until(wait, response.headers.get("date", ""), current) if wait else None
        raise NotDelivered(f"status {response.status_code}", retry_after)


class WebhookSender:
    """Threads that deliver what the outbox has, one for each target, so that no receiver delays another."""

    def __init__(
        self,
        outbox: Outbox,
        receivers: Sequence[Receiver],
        log: EventLog,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._outbox = outbox
        self._receivers = receivers
        self._log = log
        self._clock = clock
        self._changed = threading.Condition()
        self._messages = 0
        self._stopping = False

    def start(self) -> None:
        """Start the threads, which begin with what the outbox has."""
        for receiver in self._receivers:
            name = f"wardround-webhook-{receiver.target.name}"
            threading.Thread(target=self._deliver_all, args=(receiver,), name=name, daemon=True).start()

    def wake(self) -> None:
        """Notify the threads of a new message."""
        with self._changed:
            self._messages += 1
            self._changed.notify_all()

    def stop(self) -> None:
        """Begin no more deliveries; what is not delivered stays in the outbox."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def _deliver_all(self, receiver: Receiver) -> None:
        import httpx

        timeout = receiver.target.timeout_seconds
        with httpx.Client(timeout=timeout, trust_env=False, follow_redirects=False) as client:
            while not self._stopping:
                messages = self._messages
                wait = self._deliver_next(client, receiver)
                if wait:
                    self._wait(messages, wait)

    def _deliver_next(self, client: httpx.Client, receiver: Receiver) -> float:
        """Deliver a message that is due, and return the seconds to wait for the next one."""
        try:
            delivery, wait = self._outbox.next(receiver.target.name)
            if delivery is None:
                return _IDLE_S if wait is None else min(wait, _IDLE_S)
            self._deliver(client, receiver, delivery)
        except sqlite3.Error as trouble:
            self._log.write("journal", error=type(trouble).__name__, message=str(trouble))
            return _TROUBLE_S
        return 0.0

    def _deliver(self, client: httpx.Client, receiver: Receiver, delivery: Delivery) -> None:
        target = receiver.target
        try:
            send(client, receiver, delivery, self._clock())
        except NotDelivered as cause:
            is_last = delivery.attempts + 1 >= target.attempts
            wait = _retry_wait(target, delivery.attempts, cause.retry_after)
            if is_last:
                self._outbox.abandon(delivery)
            else:
                self._outbox.postpone(delivery, wait)
            self._report(delivery, "failed" if is_last else "postponed", str(cause))
        else:
            self._outbox.accepted(delivery)
            self._report(delivery, "delivered", None)

    def _report(self, delivery: Delivery, state: str, reason: str | None) -> None:
        self._log.write(
            "webhook",
            target=delivery.target,
            id=delivery.id,
            attempt=delivery.attempts + 1,
            state=state,
            reason=reason,
        )

    def _wait(self, messages: int, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._messages != messages, seconds)


def _retry_wait(target: WebhookTarget, attempts: int, retry_after: float | None) -> float:
    wait = target.retry_seconds * _GROWTH**attempts
    return float(min(max(wait, retry_after or 0.0), _LONGEST_WAIT_S))
