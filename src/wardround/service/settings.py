"""The server configuration: a TOML file of the operator, read once at the start."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from wardround.config.request import ReviewRequest
from wardround.config.schema import ConfigFrom
from wardround.context.run_evidence import RunPart
from wardround.errors import ConfigError
from wardround.service.outbox import Subscription
from wardround.storage.paths import state_dir
from wardround.tools.tool import Profile

MIB = 1024 * 1024

Scope = Literal["reviews:write", "reviews:read", "records:read", "metrics"]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Bytes = Annotated[int, Meta(ge=1024, le=1024 * MIB)]
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A client of the service; its reviews belong to the name, which outlives a change of the secret.

    Attributes:
        sha256: the digest of the secret, which the server does not have.
        repositories: the configured repositories it may review.
    """

    name: Name
    sha256: Digest
    scopes: frozenset[Scope]
    repositories: frozenset[Name] = frozenset()


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The limits of the server.

    Attributes:
        buffered_bytes: request bodies in memory at one time, all clients together.
        body_seconds: the time a client has to send a body.
        header_seconds: the time a client has to send the headers, and to read some of a response.
        queue: accepted reviews that no worker has begun.
        review_seconds: time limit of one review, after which it is cancelled.
        stop_seconds: the time that running reviews have to end before the server stops.
        stored_reviews: finished reviews; older ones are deleted.
        attempts: how often a review is begun that ends with the process of the server.
    """

    body_bytes: Bytes = 4 * MIB
    diff_bytes: Bytes = 2 * MIB
    ticket_bytes: Bytes = 256 * 1024
    buffered_bytes: Bytes = 64 * MIB
    body_seconds: Seconds = 10
    header_seconds: Seconds = 10
    connections: Count = 512
    queue: Count = 256
    workers: Annotated[int, Meta(ge=1, le=64)] = 2
    review_seconds: Seconds = 120
    stop_seconds: Annotated[float, Meta(ge=0, le=3600)] = 20
    stored_reviews: Count = 1_000
    attempts: Annotated[int, Meta(ge=1, le=100)] = 3


class Clone(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A repository on this machine.

    Attributes:
        path: absolute; a bare clone or a work tree.
        bases: the branches that changes are compared with; a base is in the history of one of them, so that a
            client cannot choose a configuration of its own.
    """

    path: str
    bases: tuple[str, ...] = ("HEAD",)

    @property
    def folder(self) -> Path:
        """The path."""
        return Path(self.path)


class WebhookTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A receiver of messages about the end of reviews.

    Attributes:
        secret_env: environment variable with the secret, ``whsec_`` and base64; with two of them, separated
            by a space, a secret can be replaced without a pause.
        tokens: those whose reviews it receives; empty for all.
        private: the address may be one of a private network, and plain http.
        attempts: deliveries that are tried before a message is given up.
        retry_seconds: the wait before the second attempt; it grows fourfold, up to 6 hours.
    """

    name: Name
    url: str
    secret_env: Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    tokens: frozenset[Name] = frozenset()
    statuses: frozenset[Literal["done", "failed", "cancelled"]] = frozenset({"done", "failed", "cancelled"})
    private: bool = False
    attempts: Annotated[int, Meta(ge=1, le=20)] = 10
    retry_seconds: Annotated[float, Meta(gt=0, le=3600)] = 5
    timeout_seconds: Annotated[float, Meta(gt=0, le=60)] = 10


class ReviewSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The options of ``wardround review`` that apply to every review of the server.

    Attributes:
        config_from: with ``head``, a change controls the rules of its own review, and the configuration of
            some tools is code.
        language_model: contact the language model that the configuration of a repository names.
        ticket_projects: those whose tickets a request may refer to, as ``acme/shop`` or ``SHOP``; without
            any, no ticket is fetched, and a request can only contain one.
        run: the parts of a change that a request may run, in the sandbox.
    """

    profile: Profile = Profile.COMMIT
    config_from: ConfigFrom = "base"
    models: bool = True
    language_model: bool = False
    ticket_projects: frozenset[str] = frozenset()
    run: frozenset[RunPart] = frozenset()
    jobs: Annotated[int, Meta(ge=1)] | None = None


class Tls(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The certificate chain and the private key of the server, as PEM files."""

    certificate: Path
    key: Path


class RecordSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The records of reviews: the options of ``wardround review`` that sign them.

    Attributes:
        sign_with: ``file:PATH``, ``env:VARIABLE`` or a key URI.
        store: append them to the store that ``wardround records`` reads, too.
        keep_days, keep_newest: delete other records from the store, each day; by default none is deleted.
    """

    sign_with: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9+-]*:")]
    public_key: str = ""
    passphrase_env: str = ""
    store: bool = False
    keep_days: Count | None = None
    keep_newest: Count | None = None


class ServiceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The configuration of one server.

    Attributes:
        listen: ``HOST:PORT``; port 0 takes a free one.
        plaintext: listen without TLS on an address that other machines reach, behind a proxy that terminates
            TLS.
        journal: the file of accepted and finished reviews; by default in the state folder.
        repositories: name -> a clone, or its path; no other path is read.
        records: without it, reviews have no records.
        webhooks: the receivers of messages about the end of reviews; a request names none.
    """

    tokens: tuple[Token, ...]
    listen: str = "127.0.0.1:8642"
    plaintext: bool = False
    tls: Tls | None = None
    journal: Path | None = None
    repositories: dict[Name, str | Clone] = {}
    limits: Limits = msgspec.field(default_factory=Limits)
    reviews: ReviewSettings = msgspec.field(default_factory=ReviewSettings)
    records: RecordSettings | None = None
    webhooks: tuple[WebhookTarget, ...] = ()

    @property
    def address(self) -> tuple[str, int]:
        """The host and the port to listen on."""
        host, _, port = self.listen.rpartition(":")
        return host.removeprefix("[").removesuffix("]"), int(port)

    @property
    def clones(self) -> dict[str, Clone]:
        """The clones by name."""
        return {
            name: Clone(clone) if isinstance(clone, str) else clone
            for name, clone in self.repositories.items()
        }

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """The reviews that the webhooks receive."""
        return tuple(
            Subscription(target.name, target.tokens, frozenset(target.statuses)) for target in self.webhooks
        )

    @property
    def journal_file(self) -> Path:
        """The file of accepted and finished reviews."""
        return self.journal or state_dir() / "service" / "journal.sqlite"

    def request(self, policy_floor: Path | None) -> ReviewRequest:
        """Return the request that every review of the server starts from."""
        return ReviewRequest(
            profile=self.reviews.profile,
            config_from=self.reviews.config_from,
            use_models=self.reviews.models,
            jobs=self.reviews.jobs,
            policy_floor=policy_floor,
            offline=not self.reviews.language_model,
        )


def load_settings(file: Path) -> ServiceSettings:
    """Read the server configuration.

    Raises:
        ConfigError: it cannot be read, is not TOML, or has a key or a value that is not valid.
    """
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except OSError as cause:
        raise ConfigError(f"--config {file}: {cause.strerror}; give a server configuration") from cause
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as cause:
        raise ConfigError(f"{file} is not valid TOML: {cause}; correct it") from cause
    try:
        settings = msgspec.convert(document, ServiceSettings, dec_hook=_path)
    except msgspec.ValidationError as cause:
        raise ConfigError(f"{file}: {cause}; correct it") from cause
    for complaint in _complaints(settings):
        raise ConfigError(f"{file}: {complaint}")
    return settings


def _path(kind: type, value: Any) -> Any:
    """Convert a string to a path.

    Raises:
        ValueError: it is not a path.
    """
    if kind is Path and isinstance(value, str) and "\0" not in value:
        return Path(value)
    raise ValueError("Expected a path")


def _complaints(settings: ServiceSettings) -> list[str]:
    """Return what is inconsistent, in the order of the keys."""
    return [
        *_address_complaints(settings),
        *_path_complaints(settings),
        *_token_complaints(settings),
        *_webhook_complaints(settings),
    ]


def _address_complaints(settings: ServiceSettings) -> list[str]:
    host, _, port = settings.listen.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        return [f"listen: {settings.listen!r} is not HOST:PORT; give one, as 127.0.0.1:8642"]
    if settings.address[0] in _LOOPBACK or settings.tls is not None or settings.plaintext:
        return []
    return [
        f"listen: {settings.listen} is not a loopback address, and tokens would be sent unencrypted; "
        "give tls.certificate and tls.key, or set plaintext = true behind a proxy that terminates TLS"
    ]


def _path_complaints(settings: ServiceSettings) -> list[str]:
    named = {f"repositories.{name}": clone.folder for name, clone in settings.clones.items()}
    if settings.journal is not None:
        named["journal"] = settings.journal
    if settings.tls is not None:
        named |= {"tls.certificate": settings.tls.certificate, "tls.key": settings.tls.key}
    return [
        f"{key}: {str(path)!r} is not an absolute path; give one"
        for key, path in named.items()
        if not path.is_absolute()
    ]


def _token_complaints(settings: ServiceSettings) -> list[str]:
    found = [] if settings.tokens else ["tokens: there are none, so no client can use the server; add one"]
    names, digests = set[str](), set[str]()
    for token in settings.tokens:
        if token.name in names or token.sha256 in digests:
            found.append(f"tokens: {token.name}: the name or the digest is that of another token; change it")
        unknown = sorted(token.repositories - settings.repositories.keys())
        if unknown:
            found.append(f"tokens: {token.name}: repositories: {unknown[0]!r} is not configured; add it")
        names.add(token.name)
        digests.add(token.sha256)
    if settings.limits.diff_bytes > settings.limits.body_bytes:
        found.append("limits: diff-bytes exceeds body-bytes; make body-bytes larger")
    if settings.limits.body_bytes > settings.limits.buffered_bytes:
        found.append("limits: body-bytes exceeds buffered-bytes; make buffered-bytes larger")
    return found


def _webhook_complaints(settings: ServiceSettings) -> list[str]:
    found = []
    names, tokens = set[str](), {token.name for token in settings.tokens}
    for target in settings.webhooks:
        if target.name in names:
            found.append(f"webhooks: {target.name}: the name is that of another target; change it")
        unknown = sorted(target.tokens - tokens)
        if unknown:
            found.append(f"webhooks: {target.name}: tokens: {unknown[0]!r} is not configured; add it")
        complaint = _url_complaint(target)
        if complaint:
            found.append(f"webhooks: {target.name}: url: {complaint}")
        names.add(target.name)
    return found


def _url_complaint(target: WebhookTarget) -> str:
    """Return what is wrong with the address of a target; empty if nothing is."""
    try:
        parts = urlsplit(target.url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "it is not an address; give one, as https://ci.example.org/hook"
    if not host or parts.scheme not in ("http", "https") or parts.username or parts.password:
        return "it is not an https address without a user; give one, as https://ci.example.org/hook"
    if parts.scheme == "http" and not target.private:
        return "messages would be sent unencrypted; give an https address, or set private = true"
    return ""
