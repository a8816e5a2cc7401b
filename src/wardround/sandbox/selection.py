"""The back ends that a requested isolation permits, the strongest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wardround.errors import SandboxError
from wardround.sandbox.backend import Backend
from wardround.sandbox.bubblewrap import Bubblewrap
from wardround.sandbox.choices import AUTO, BUBBLEWRAP, CHOICES, ENGINES, NAMESPACES, NONE
from wardround.sandbox.container import Container
from wardround.sandbox.namespaces import Namespaces
from wardround.sandbox.unconfined import Unconfined


def candidates(isolation: str, image: str, environ: Mapping[str, str]) -> Sequence[Backend]:
    """Return the back ends to try in turn.

    Args:
        isolation: one of ``choices.CHOICES``.
        image: for a container engine.
        environ: the caller's environment, for the client of an engine.

    Raises:
        SandboxError: the isolation is unknown.
    """
    if isolation in ENGINES:
        return [Container(isolation, image, environ)]
    own: dict[str, list[Backend]] = {
        AUTO: [Bubblewrap(), Namespaces()],
        BUBBLEWRAP: [Bubblewrap()],
        NAMESPACES: [Namespaces()],
        NONE: [Unconfined()],
    }
    if isolation not in own:
        *names, last = CHOICES
        raise SandboxError(f"there is no isolation {isolation!r}; choose {', '.join(names)} or {last}")
    return own[isolation]


def join_reasons(reasons: Sequence[str]) -> str:
    """Return why none of the back ends works, the first with what to install."""
    first, *others = reasons
    return first + "".join(f" (without it: {reason})" for reason in others)
