"""Opening what answers in a role: a configured endpoint, a local decoder, or an exchange of files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path

import msgspec

from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError
from wardround.models.loading import DecoderLocation, find_decoder
from wardround.planes.language_model.client import Client, open_client
from wardround.planes.language_model.endpoint import Endpoint, EndpointError
from wardround.planes.language_model.endpoint_memory import no_memory
from wardround.planes.language_model.exchange_folder import ExchangeFolder
from wardround.planes.language_model.local_endpoint import LocalEndpoint


class EndpointAccess(msgspec.Struct, frozen=True):
    """The way to the endpoints of a run.

    Attributes:
        environ: the variables with the keys.
        exchange: the folder of an exchange, in which requests of all roles are written; None without one.
        wait_s: seconds to wait for an answer in it.
        is_offline: nothing on a network is contacted.
        is_replay: nothing at all is contacted.
        opened: endpoints that are open already, by their settings; the caller closes them.
    """

    environ: Mapping[str, str]
    decoders: DecoderLocation = DecoderLocation()
    exchange: Path | None = None
    wait_s: float = 0.0
    is_offline: bool = False
    is_replay: bool = False
    opened: Mapping[EndpointSettings, Endpoint] = {}


class NoEndpoint:
    """Answers nothing: in a replay every answer is recorded."""

    def __init__(self) -> None:
        self.memory = no_memory()

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Wait for nothing."""
        return nullcontext()

    async def post(self, body: bytes) -> bytes:
        """Reject a request."""
        raise EndpointError("nothing is sent in a replay")


@asynccontextmanager
async def open_endpoint(settings: EndpointSettings, access: EndpointAccess) -> AsyncIterator[Endpoint]:
    """Open the endpoint of a role for the time of a run.

    Raises:
        UsageError: it may not be contacted, or a package for it is missing.
        ModelError: the local model does not exist.
    """
    if access.is_replay:
        yield NoEndpoint()
        return
    if settings in access.opened:
        yield access.opened[settings]
        return
    if settings.is_exchange:
        if access.exchange is None:
            raise UsageError("the endpoint is an exchange of files; name its folder with --exchange")
        yield ExchangeFolder(access.exchange, access.wait_s)
        return
    if settings.local_name:
        yield LocalEndpoint(find_decoder(settings.local_name, access.decoders), settings, no_memory())
        return
    key = _key(settings, access)
    try:
        http = open_client(settings)
    except ImportError:
        raise UsageError("httpx is not installed; install wardround[language-model]") from None
    async with http:
        yield Client(http, settings, key, no_memory())


def key_of(settings: EndpointSettings, environ: Mapping[str, str]) -> str:
    """Return the key of an endpoint; empty if it needs none or the environment has none."""
    return environ.get(settings.api_key_env, "").strip() if settings.api_key_env else ""


def _key(settings: EndpointSettings, access: EndpointAccess) -> str:
    if access.is_offline:
        raise UsageError(f"--offline: the endpoint {settings.url} is on the network; use a local model")
    key = key_of(settings, access.environ)
    if settings.api_key_env and not (key and key.isascii() and key.isprintable()):
        raise UsageError(f"{settings.api_key_env} has no key for {settings.url}; set it")
    return key
