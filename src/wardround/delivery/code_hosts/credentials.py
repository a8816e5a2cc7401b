"""The token of an account, from the environment."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.errors import UsageError


def token_of(environ: Mapping[str, str], variable: str, advice: str) -> str:
    """Return the token in a variable; a line break around it, as files have one, is not part of it.

    Args:
        advice: the token to give if there is none.

    Raises:
        UsageError: there is none, or it cannot be the header of a request.
    """
    token = environ.get(variable, "").strip()
    if not token:
        raise UsageError(f"{variable} is not set; give {advice}")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{variable} has characters that no token has; set it to the token alone")
    return token
