"""The settings of endpoints and of the language model of planes; without a URL nothing is contacted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from wardround.errors import ConfigError
from wardround.findings import Plane
from wardround.models import LOCAL_PREFIX

if TYPE_CHECKING:
    from urllib.parse import SplitResult

ContextSize = Literal["hunks", "functions", "neighbours"]
EXCHANGE = "exchange"
"""The model name for an exchange of files: their reader answers, such as a coding agent."""
KEY_PREFIX = "WARDROUND_"
"""The prefix of the variable with the key: a configuration can name no other secret of the environment."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class EndpointSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """An endpoint with the chat completions of OpenAI's API, the exchange of files, or a local model.

    Attributes:
        url: the base URL, such as ``https://api.openai.com/v1``.
        model: the name of the model, ``local:NAME`` for one on this machine, or ``exchange``.
        api_key_env: the environment variable with the key, which no file contains; empty for none.
        concurrency: the number of requests at a time.
        timeout: seconds for one question, including retries, from its first request on.
        max_tokens: the limit on the answer, including the reasoning before it.
        input_tokens: the budget for the prompt and its input, estimated at four characters per token.
        seed: sent with every request.
        use_proxy: use the proxy that the environment names.
        budget: seconds of one command in which a local model may answer, with its loading.
        input_price, output_price: of a million tokens, in any currency; 0 if they cost nothing.
    """

    url: str = ""
    model: Annotated[str, Meta(max_length=200)] = ""
    api_key_env: str = ""
    concurrency: Annotated[int, Meta(ge=1, le=64)] = 4
    timeout: Annotated[float, Meta(gt=0, le=600)] = 120.0
    max_tokens: Annotated[int, Meta(ge=1, le=100_000)] = 8000
    input_tokens: Annotated[int, Meta(ge=1000, le=1_000_000)] = 8000
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0
    use_proxy: bool = False
    budget: Annotated[float, Meta(gt=0, le=3600)] = 300.0
    input_price: Annotated[float, Meta(ge=0)] = 0.0
    output_price: Annotated[float, Meta(ge=0)] = 0.0

    @property
    def is_exchange(self) -> bool:
        """True if requests are written as files, and their answers read from files."""
        return not self.url and self.model == EXCHANGE

    @property
    def local_name(self) -> str:
        """The name of the decoder on this machine that answers; empty if another way is configured."""
        is_local = not self.url and self.model.startswith(LOCAL_PREFIX)
        return self.model.removeprefix(LOCAL_PREFIX) if is_local else ""

    @property
    def is_configured(self) -> bool:
        """True if there is an endpoint, an exchange of files, or a local model."""
        return bool(self.url) or self.is_exchange or bool(self.local_name)

    @property
    def needs_network(self) -> bool:
        """True if a request leaves this machine, or may."""
        return bool(self.url)

    @property
    def completions_url(self) -> str:
        """The address of chat completions."""
        return f"{self.url.rstrip('/')}/chat/completions"


class LanguageModelSettings(EndpointSettings, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The model that the planes of a review use.

    Attributes:
        planes: those that use the model.
        profiles: those of the reviews that use it.
        context: the code that planes see: the changed lines, the complete changed functions if they fit, or
            in addition the code around them.
        confidence: the confidence of its findings.
        security_errors: findings of the security plane may be errors; others are at most warnings.
    """

    planes: tuple[Plane, ...] = tuple(Plane)
    profiles: tuple[Literal["commit", "ci"], ...] = ("ci",)
    context: ContextSize = "functions"
    confidence: Annotated[float, Meta(gt=0, le=1)] = 0.5
    security_errors: bool = False

    def is_used_by(self, profile: str) -> bool:
        """Return True if reviews of a profile use the model."""
        return self.is_configured and profile in self.profiles


class Roles(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The names of the endpoints of the roles; empty for none.

    Attributes:
        author: writes patches.
        verifier: verifies them.
        proposer: proposes tests; by default the author does.
        ranker: ranks several patches.
        editor: words the statements of release notes.
    """

    author: str = ""
    verifier: str = ""
    proposer: str = ""
    ranker: str = ""
    editor: str = ""


def require_valid(settings: EndpointSettings, where: str) -> None:
    """Reject an address or a variable that cannot be used.

    Args:
        where: the configuration file and the table, for messages.

    Raises:
        ConfigError: one of them is not valid.
    """
    if not settings.url:
        if settings.model == LOCAL_PREFIX:
            raise ConfigError(f"{where}.model: {LOCAL_PREFIX} has no name; add that of a local model")
        return
    _require_address(settings.url, where)
    if not settings.model:
        raise ConfigError(f"{where}.model: the endpoint needs the name of a model; add it")
    name = settings.api_key_env
    if name and not (name.startswith(KEY_PREFIX) and name.isidentifier() and name.isascii()):
        raise ConfigError(
            f"{where}.api-key-env: {name!r} is not a variable with the prefix {KEY_PREFIX}; "
            "copy the key to such a variable and name it here"
        )


def _require_address(url: str, where: str) -> None:
    from urllib.parse import urlsplit  # only for a configured endpoint

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        parts, host = urlsplit(""), ""
    is_encrypted = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    is_printable = url.isascii() and url.isprintable() and " " not in url
    if not (host and is_encrypted and is_printable):
        raise ConfigError(f"{where}.url: it is not an https address; give one, or http on localhost")
    _require_plain(parts, where)


def _require_plain(parts: SplitResult, where: str) -> None:
    has_credentials = parts.username is not None or parts.password is not None
    if has_credentials or parts.query or parts.fragment:
        raise ConfigError(
            f"{where}.url: it has credentials, a query or a fragment; remove them and use api-key-env"
        )


def require_roles(roles: Roles, endpoints: Mapping[str, EndpointSettings], where: str) -> None:
    """Reject a role whose endpoint is not configured.

    Raises:
        ConfigError: there is one.
    """
    for role, name in msgspec.structs.asdict(roles).items():
        if name and name not in endpoints:
            raise ConfigError(
                f"{where}.{role}: the endpoint {name!r} does not exist; add the table endpoints.{name}"
            )
