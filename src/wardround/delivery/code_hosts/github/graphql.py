"""The GraphQL interface of GitHub.

Source: GitHub, "Forming calls with GraphQL".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from wardround.delivery.code_hosts.client import ApiClient

Shape = TypeVar("Shape")

_OWN_SERVER = "/api/v3"
"""The end of the address of the REST interface of GitHub Enterprise Server."""


class Graphql:
    """Sends queries and mutations to the address of the GraphQL interface."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client
        api = client.api
        self._address = f"{api.removesuffix('/v3') if api.endswith(_OWN_SERVER) else api}/graphql"

    def query(self, text: str, variables: Mapping[str, Any], shape: type[Shape]) -> Shape:
        """Return the data of a request; see ``ApiClient.query``."""
        return self._client.query(self._address, text, variables, shape)

    def mutate(self, text: str, variables: Mapping[str, Any]) -> None:
        """Send a mutation whose data nobody reads."""
        self._client.query(self._address, text, variables, dict[str, Any])
