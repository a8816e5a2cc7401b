"""The GraphQL interface of GitHub.

Source: GitHub, "Forming calls with GraphQL" and "Rate limits for the GraphQL API".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from wardround.delivery.code_hosts.client import ApiClient
from wardround.delivery.code_hosts.errors import HostError, RefusedByHost
from wardround.text.escaping import one_line

Shape = TypeVar("Shape")

_ENTERPRISE = "/api/v3"
"""The end of the address of the REST interface of an own server."""
_STATUSES = {"FORBIDDEN": 403, "INSUFFICIENT_SCOPES": 403, "NOT_FOUND": 404}
_UNPROCESSABLE = 422


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    type: str = ""


class _Response(msgspec.Struct, frozen=True):
    data: msgspec.Raw = msgspec.Raw(b"null")
    errors: tuple[_Error, ...] = ()


class Graphql:
    """Sends queries and mutations, whose errors come with the status of a success."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client
        self._path = f"{client.api.removesuffix(_ENTERPRISE)}{_folder(client.api)}/graphql"

    def query(self, document: str, variables: Mapping[str, Any], shape: type[Shape]) -> Shape:
        """Return the data of a query.

        Raises:
            RefusedByHost: GitHub reports an error.
            HostError: it cannot be reached, fails, or the data have another shape.
        """
        body = {"query": document, "variables": variables}
        return _data(self._client.query(self._path, body, _Response), shape)

    def mutate(self, document: str, variables: Mapping[str, Any]) -> None:
        """Send a mutation.

        Raises:
            LostResponse: it may have been carried out.
            RefusedByHost, HostError: as ``query``.
        """
        body = {"query": document, "variables": variables}
        response = self._client.write("POST", self._path, body, _Response)
        assert response is not None
        _require_success(response)


def _folder(api: str) -> str:
    return "/api" if api.endswith(_ENTERPRISE) else ""


def _data(response: _Response, shape: type[Shape]) -> Shape:
    _require_success(response)
    try:
        return msgspec.json.decode(response.data, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
        raise HostError(f"GitHub returned an unexpected shape for a query of GraphQL ({cause})") from None


def _require_success(response: _Response) -> None:
    if response.errors:
        first = response.errors[0]
        message = one_line(first.message)[:300] or "the request is not accepted"
        status = _STATUSES.get(first.type, _UNPROCESSABLE)
        raise RefusedByHost(f"GitHub refused a request to GraphQL: {message}", status)
