"""The frozen base model as an embedder, if the installation and the configuration have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wardround.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wardround.inference.runtime import ProviderPreference
    from wardround.retrieval.protocols import TextEmbedder

BASE_MODEL = "base"


class ModelSettings(Protocol):
    """The settings that locate the models and run them, as ``config.schema.RunSettings`` has them."""

    @property
    def model_folders(self) -> Sequence[str]: ...

    @property
    def model_provider(self) -> ProviderPreference: ...

    @property
    def model_threads(self) -> int: ...


class BaseEmbedder(NamedTuple):
    """The base model, loaded when the first text is embedded.

    Attributes:
        name: name of the model with the start of its digest, for reports.
        version: version of the model and of its runtime, for records.
        digest: digest of all inputs of a vector besides its text.
    """

    name: str
    version: str
    digest: str
    load: Callable[[], TextEmbedder]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 for each text.

        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        return self.load().embed(texts)


def base_embedder(settings: ModelSettings, root: Path) -> BaseEmbedder:
    """Return the base model that a configuration selects.

    Args:
        root: root folder of the repository, which the configured folders of models are relative to.

    Raises:
        ModelError: it cannot be used; the message has the reason.
    """
    try:
        from wardround.inference.locations import extra_folders
        from wardround.inference.registry import default_registry, score_digest
        from wardround.inference.runtime import detect_runtime

        runtime = detect_runtime(settings.model_provider, settings.model_threads)
        shelf = default_registry(extra_folders(root, settings.model_folders))
        base = shelf.get(BASE_MODEL)
        shelf.require_present(base)
    except ModelError as trouble:
        raise ModelError(f"model {BASE_MODEL!r} cannot be used: {trouble}") from trouble
    model = base.metadata.model.sha256[:12]
    digest = score_digest(base.metadata, runtime)
    version = f"{model} {runtime.identity}"
    return BaseEmbedder(
        f"{base.name} {model}", version, digest, cache(lambda: shelf.embedder(BASE_MODEL, runtime))
    )
