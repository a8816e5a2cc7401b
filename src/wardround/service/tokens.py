"""Authentication of clients by bearer tokens; the server knows only their digests."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from wardround.service.problems import Problem
from wardround.service.settings import Scope, Token

_LONGEST_SECRET = 512


def authenticate(tokens: Sequence[Token], secret: str | None) -> Token:
    """Return the token of a secret. Every digest is compared, each in constant time.

    Raises:
        Problem: 401, the same for a missing and a wrong secret.
    """
    offered = (secret or "")[:_LONGEST_SECRET].encode("utf-8", "surrogateescape")
    digest = hashlib.sha256(offered).hexdigest()
    matching = [token for token in tokens if hmac.compare_digest(token.sha256, digest)]
    if not secret or not matching:
        raise Problem(
            401,
            "the request has no valid token; send Authorization: Bearer TOKEN",
            {"WWW-Authenticate": "Bearer"},
        )
    return matching[0]


def require_scope(token: Token, scope: Scope) -> None:
    """Accept a token that has a scope.

    Raises:
        Problem: 403.
    """
    if scope not in token.scopes:
        challenge = f'Bearer error="insufficient_scope", scope="{scope}"'
        raise Problem(403, f"the token does not have the scope {scope}", {"WWW-Authenticate": challenge})


def require_repository(token: Token, name: str) -> None:
    """Accept a token that may review a repository.

    Raises:
        Problem: 403, the same for a repository that does not exist.
    """
    if name not in token.repositories:
        raise Problem(403, "no repository of that name is available to the token")
