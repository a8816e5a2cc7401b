"""Run a command in the sandbox whose only network is the proxy behind a socket of its tree.

The arguments are the path of the socket and the command. It runs under the interpreter of wardround, to which
its source is passed.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading

_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY")
_PIECE = 64 * 1024


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(_PIECE):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        source.close()
        target.close()


def _serve(listener: socket.socket, place: str) -> None:
    while True:
        client, _ = listener.accept()
        proxy = socket.socket(socket.AF_UNIX)
        try:
            proxy.connect(place)
        except OSError:
            client.close()
            continue
        for source, target in ((client, proxy), (proxy, client)):
            threading.Thread(target=_copy, args=(source, target), daemon=True).start()


def _main(place: str, *command: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    threading.Thread(target=_serve, args=(listener, place), daemon=True).start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    variables = dict.fromkeys(_VARIABLES, address)
    try:
        status = subprocess.call(command, env={**os.environ, **variables})
    except OSError as cause:
        print(f"{command[0]}: {cause.strerror}", file=sys.stderr)
        status = 127
    sys.stdout.flush()
    os._exit(status if status >= 0 else 128 - status)


_main(*sys.argv[1:])
