"""The lines of ``wardround doctor`` about keys and endpoints; no secret is in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from wardround.cli.recording import signer_uri

if TYPE_CHECKING:
    from wardround.config.language_model import LanguageModelSettings


def key_lines(environ: Mapping[str, str]) -> Iterator[str]:
    """Return the lines about the signing key in use and the trusted keys."""
    from wardround.records import keys
    from wardround.records.signing import SigningError

    requested = environ.get("WARDROUND_SIGN_WITH", "")
    uri = signer_uri(requested)
    origin = " (WARDROUND_SIGN_WITH)" if requested else ""
    try:
        shown = _masked_key(uri, environ) if uri else "none, so records are not signed"
        yield f"  signing key {shown}{origin}"
        own = None if requested else keys.own_public_key()
        if own is not None:
            yield f"  key id      {own[1].keyid}"
        yield f"  trusted     {len(keys.trusted_keys())}"
    except SigningError as trouble:
        yield f"  not read    {trouble}"


def _masked_key(uri: str, environ: Mapping[str, str]) -> str:
    """Return a key without secrets: a URI may have a PIN, or be the key itself by mistake."""
    scheme, _, rest = uri.partition(":")
    if scheme == "file":
        return rest if os.path.isfile(rest) else "in a file that does not exist"
    if scheme == "env":
        named = rest if rest.isidentifier() else "with an invalid name"
        return f"in the variable {named}, which is {'set' if environ.get(rest) else 'not set'}"
    return f"by the scheme {scheme}:" if scheme.isidentifier() else "by an invalid URI"


def language_model_lines(settings: LanguageModelSettings, environ: Mapping[str, str]) -> Iterator[str]:
    """Return the lines about the endpoint that planes may use; its URL cannot have credentials."""
    if settings.is_exchange:
        yield f"  exchange of files, used in {', '.join(settings.profiles)}"
        return
    if settings.local_name:
        planes = ", ".join(plane.value for plane in settings.planes)
        yield f"  on this machine: {settings.local_name}, {settings.budget:g} s a review"
        yield f"  used in  {', '.join(settings.profiles)}, by {planes}"
        return
    if not settings.url:
        yield "  none is configured, and none is contacted"
        return
    planes = ", ".join(plane.value for plane in settings.planes)
    yield f"  endpoint {settings.url}, model {settings.model}"
    yield f"  used in  {', '.join(settings.profiles)}, by {planes}"
    name = settings.api_key_env
    if name:
        yield f"  key      in the variable {name}, which is {'set' if environ.get(name) else 'not set'}"
