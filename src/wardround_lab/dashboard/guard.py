"""The guard in front of Gradio: who may call the dashboard, which paths it has, and what its pages may load.

Gradio has paths that read files and call other hosts, and accepts requests that other web pages send. The
guard refuses requests of other sites and of other host names (DNS rebinding), serves only the paths that a
page needs, and sends a Content-Security-Policy under which a page loads nothing from another host and runs no
script that is part of a value.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wardround_lab.dashboard.document import with_nonce

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
PASSWORD_VARIABLE = "WARDROUND_DASHBOARD_PASSWORD"  # noqa: S105  (its name)
_PAGE = "/"
_PATHS = frozenset({
    _PAGE, "/config", "/theme.css", "/favicon.ico", "/robots.txt", "/gradio_api/queue/join",
    "/gradio_api/queue/data", "/gradio_api/run/predict", "/gradio_api/startup-events",
    "/gradio_api/cancel", "/gradio_api/reset",
})  # fmt: skip
_OF_GRADIO = frozenset({b"page", b"deep_link"})
"""Parameters that name another page, and a file with the state of one; there is neither."""
_FOLDERS = ("/assets/", "/static/", "/svelte/", "/gradio_api/heartbeat/", "/wardround/")
_POLICY = (
    # unsafe-eval: gr.HTML compiles its template, never a value; inline scripts and handlers stay forbidden
    "default-src 'none'; script-src 'self' 'unsafe-eval' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """An ASGI application that admits a request to another one, or refuses it with one sentence.

    Args:
        password: required of every request as HTTP Basic authentication, for any user name; empty for none,
            then the host name of each request must be one of this machine's own.
    """

    def __init__(self, application: ASGIApp, password: str) -> None:
        self._application = application
        self._password = password.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
        elif scope["type"] == "http":
            await self._respond(scope, receive, send)

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        nonce = secrets.token_urlsafe(16)
        send_with_headers = _with_headers(send, nonce)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
        elif scope["path"] == _PAGE:
            rewritten = PageRewriter(send_with_headers, nonce)
            await self._application(_page_scope(scope), receive, rewritten)
        else:
            await self._application(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if not self._password and _host_name(headers) not in LOOPBACK:
            return _refuse(403, "this dashboard is open on 127.0.0.1 and localhost only; use that address")
        if _is_of_another_site(headers, scope):
            return _refuse(403, "requests from other web sites are refused; open the address in a new tab")
        if not self._is_authorized(headers):
            return _refuse(401, _missing_password(headers), {"www-authenticate": 'Basic realm="wardround"'})
        path: str = scope["path"]
        if path not in _PATHS and not path.startswith(_FOLDERS):
            return _refuse(404, "the dashboard has no such page; open /")
        return None

    def _is_authorized(self, headers: Headers) -> bool:
        if not self._password:
            return True
        return hmac.compare_digest(_sent_password(headers) or b"", self._password)


class PageRewriter:
    """The page of Gradio on its way to the browser, with a nonce for each of its own scripts."""

    def __init__(self, send: Send, nonce: str) -> None:
        self._send = send
        self._nonce = nonce
        self._start: Message = {}
        self._body = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body += message.get("body", b"")
        if message.get("more_body", False):
            return
        body = with_nonce(self._body.decode(), self._nonce).encode()
        headers = MutableHeaders(scope=self._start)
        if headers.get("content-length") != "0":  # the answer to HEAD
            headers["content-length"] = str(len(body))
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


def _with_headers(send: Send, nonce: str) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(_HEADERS)
            headers["content-security-policy"] = _POLICY.format(nonce=nonce)
        await send(message)

    return send_with_headers


def _page_scope(scope: Scope) -> Scope:
    """Return the request of the page without compression, and without what Gradio takes for its own."""
    headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
    parameters = [pair for pair in parse_qsl(scope["query_string"]) if pair[0] not in _OF_GRADIO]
    return {**scope, "headers": headers, "query_string": urlencode(parameters).encode()}


def _host_name(headers: Headers) -> str:
    try:
        return urlsplit(f"//{headers.get('host', '')}").hostname or ""
    except ValueError:
        return ""


def _is_of_another_site(headers: Headers, scope: Scope) -> bool:
    origin = headers.get("origin")
    if origin is not None:
        return origin.partition("://")[2] != headers.get("host")
    if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return False
    return scope["path"] != _PAGE or headers.get("sec-fetch-mode") != "navigate"


def _sent_password(headers: Headers) -> bytes | None:
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        return base64.b64decode(credentials, validate=True).partition(b":")[2]
    except (binascii.Error, ValueError):
        return None


def _missing_password(headers: Headers) -> str:
    if _sent_password(headers) is None:
        return f"this dashboard needs a password: that of {PASSWORD_VARIABLE}, with any user name"
    return f"wrong password: it is not that of {PASSWORD_VARIABLE} where the dashboard was started"


def _refuse(status: int, reason: str, headers: Mapping[str, str] | None = None) -> PlainTextResponse:
    return PlainTextResponse(f"wardround: {reason}\n", status, headers)
