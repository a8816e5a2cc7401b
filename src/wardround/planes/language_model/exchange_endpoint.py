"""An exchange instead of an endpoint: a program or a person reads requests, and answers them.

The reader gets the same as an endpoint: the prompt, the input without secrets, and the schema of the answer.
Its answer is validated like that of an endpoint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import msgspec

from wardround.planes.language_model.endpoint_memory import no_memory
from wardround.storage.digest import sha256


class ExchangeRequest(msgspec.Struct, frozen=True, rename="kebab"):
    """A request in the form in which its reader receives it.

    Attributes:
        digest: digest of the request; the same change, prompt and budget have the same one.
        prompt: the instructions; ``input`` is the data that they are about.
        answer_schema: the JSON schema of the answer.
    """

    digest: str
    prompt: str
    input: Any
    answer_schema: dict[str, Any]
    schema: str = "wardround.exchange/1"


class ExchangeEndpoint(ABC):
    """Passes requests on, and returns the answers in the form of an endpoint.

    Attributes:
        memory: empty, because other readers answer otherwise.
    """

    def __init__(self) -> None:
        self.memory = no_memory()

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Pass all requests on at the same time: their reader works through them."""
        return nullcontext()

    async def post(self, body: bytes) -> bytes:
        """Return the answer to a request as the body of a chat completion.

        Raises:
            EndpointError: the request is not answered, or cannot be passed on.
        """
        content = await self._answer(_request(body))
        return msgspec.json.encode(
            {"model": "exchange", "choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
        )

    @abstractmethod
    async def _answer(self, request: ExchangeRequest) -> str:
        """Return the text of the answer; raise ``EndpointError`` if there is none."""


def _request(body: bytes) -> ExchangeRequest:
    """Return the request in a body in the form of chat completions."""
    sent = msgspec.json.decode(body)
    prompt, document = (message["content"] for message in sent["messages"])
    schema = sent["response_format"]["json_schema"]["schema"]
    return ExchangeRequest(
        f"sha256:{sha256(body).hexdigest()}", prompt, msgspec.json.decode(document), schema
    )
