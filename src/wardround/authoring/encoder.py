"""The encoder of a run: the one that the configuration of the repository selects."""

from __future__ import annotations

from wardround.authoring.context.code_vectors import Encoder
from wardround.authoring.work import Work
from wardround.config.loader import read
from wardround.errors import ModelError, UsageError
from wardround.inference.base_embedder import base_embedder

_ALTERNATIVE = "choose a localization without one, such as words"


def encoder_of(work: Work, *, is_alone: bool) -> Encoder:
    """Return the encoder that the configuration at the base of an instance selects.

    Args:
        is_alone: see ``Encoder``.

    Raises:
        UsageError: models are switched off, or it cannot be used.
    """
    tree = work.repository.tree(work.instance.base)
    config = read(tree.read, (), work.host.specialists)
    if config.root.models == "off":
        raise UsageError(
            f"the localization needs the encoder, and {config.origins['models']} switches models off; "
            f"switch them on, or {_ALTERNATIVE}"
        )
    try:
        found = base_embedder(config.root, work.repository.root)
    except ModelError as cause:
        raise UsageError(f"the localization needs the encoder: {cause}; or {_ALTERNATIVE}") from cause
    return Encoder(found.name, found, is_alone)
