"""The server of the dashboard: the address it listens on, and its end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from tempfile import TemporaryDirectory

import msgspec
import uvicorn

from wardround.errors import UsageError
from wardround_lab.dashboard.guard import LOOPBACK, PASSWORD_VARIABLE
from wardround_lab.dashboard.stores import Stores

_BACKLOG = 128
_CLOSE_S = 1
"""Each open page holds a connection for as long as it is open, so waiting for their end would not stop."""


class Address(msgspec.Struct, frozen=True):
    """The address that the dashboard listens on; port 0 takes a free one."""

    host: str
    port: int


def serve(
    stores: Stores, address: Address, environ: Mapping[str, str], announce: Callable[[str], None]
) -> None:
    """Serve the dashboard until the process is interrupted.

    Args:
        announce: called with the URL once the server accepts connections.

    Raises:
        UsageError: the address is not of this machine and no password is set, or it cannot be used.
    """
    password = environ.get(PASSWORD_VARIABLE, "")
    if address.host not in LOOPBACK and not password:
        raise UsageError(
            f"the dashboard listens on {address.host} only with a password; set {PASSWORD_VARIABLE}"
        )
    with _listener(address) as listener, TemporaryDirectory(prefix="wardround-dashboard-") as scratch:
        _keep_gradio_private(scratch)
        from wardround_lab.dashboard.application import create_application  # seconds: after the quick errors

        config = uvicorn.Config(
            create_application(stores, password), log_level="critical", ws="none", access_log=False,
            server_header=False, proxy_headers=False, timeout_graceful_shutdown=_CLOSE_S,
        )  # fmt: skip
        announce(_url(address.host, listener.getsockname()[1]))
        uvicorn.Server(config).run([listener])


def _listener(address: Address) -> socket.socket:
    """Return a listening socket; connections wait in it until the server is ready."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        listener.listen(_BACKLOG)
    except OSError as cause:
        listener.close()
        raise UsageError(
            f"the dashboard cannot listen on {address.host}:{address.port}: {cause.strerror}; "
            "give another --port (0 takes a free one) or --host"
        ) from cause
    return listener


def _keep_gradio_private(scratch: str) -> None:
    """Tell Gradio to report nothing, and to write into a folder that only this user can read."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["GRADIO_TEMP_DIR"] = scratch
    for name in ("GRADIO_ROOT_PATH", "GRADIO_NODE_PATH", "GRADIO_LOCAL_DEV_MODE", "GRADIO_WATCH_DIRS"):
        os.environ.pop(name, None)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
