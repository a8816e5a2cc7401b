"""Finding a decoder by its name, and loading it from verified files, once in a process."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import msgspec

from wardround.errors import ModelError
from wardround.inference.locations import DECODER_CONFIG
from wardround.inference.metadata import Metadata
from wardround.inference.onnx_session import first_line
from wardround.inference.registry import ModelEntry, default_registry, model_digest
from wardround.inference.runtime import ProviderPreference
from wardround.models import LOCAL_PREFIX
from wardround.models.chat_template import CONFIG, TEMPLATE, ChatMessage, ChatTemplate
from wardround.models.decoder import Decoder, DecoderParts
from wardround.models.decoder_settings import DecoderSettings, read_settings
from wardround.models.packages import import_package, require_packages

_SHOWN_DIGITS = 12
"""As many digits of a digest as reports show of any model."""
_MOST_TOKENS_OF_ONE_RUN = 32
_LOADING = threading.Lock()
_LOADED: dict[tuple[str, str, str, int], Decoder] = {}


class DecoderLocation(msgspec.Struct, frozen=True):
    """The places and the settings with which decoders are loaded.

    Attributes:
        folders: further folders of models, before those of the package.
        threads: threads within one operator; 0 for every core.
    """

    folders: tuple[Path, ...] = ()
    provider: ProviderPreference = "auto"
    threads: int = 0


class FoundDecoder(msgspec.Struct, frozen=True):
    """A decoder whose metadata was read, and which is loaded when it first answers."""

    entry: ModelEntry
    location: DecoderLocation

    @property
    def identity(self) -> str:
        """The name with the beginning of the digest of everything that the model is made of."""
        return f"{LOCAL_PREFIX}{self.entry.name}@{model_digest(self.entry.metadata)[:_SHOWN_DIGITS]}"

    @property
    def address(self) -> str:
        """The inputs of an answer besides the request, for caches: the model, its runtime, the provider."""
        from wardround.plugin_discovery import GROUP, discover  # reads every installed distribution once

        versions = discover(GROUP).versions
        runtimes = [f"{name} {versions[name]}" for name in sorted(versions) if name.startswith("onnxruntime")]
        return " ".join((model_digest(self.entry.metadata), *runtimes, self.location.provider))

    def load(self) -> Decoder:
        """Return the decoder, verified byte by byte and loaded once in this process.

        Raises:
            ModelError: a file differs from the metadata, a package is missing, or the runtime cannot load it.
        """
        place = self.location
        key = (model_digest(self.entry.metadata), str(self.entry.folder), place.provider, place.threads)
        with _LOADING:
            if key not in _LOADED:
                _LOADED[key] = _load(self.entry, place)
            return _LOADED[key]


def find_decoder(name: str, location: DecoderLocation) -> FoundDecoder:
    """Return the decoder of a name, without its prefix; nothing is loaded.

    Raises:
        ModelError: there is none, its metadata cannot be used, or it is a model of another kind.
    """
    try:
        entry = default_registry(location.folders).get(name)
    except ModelError as cause:
        raise ModelError(f"local model {name!r}: {cause}") from cause
    if entry.metadata.kind != "chat":
        raise ModelError(
            f"local model {name!r}: {entry.folder} has a model of kind {entry.metadata.kind!r}, which "
            "answers no questions; name one of kind 'chat'"
        )
    return FoundDecoder(entry, location)


def run_once(entry: ModelEntry) -> None:
    """Let a decoder answer a question with one of two words.

    Raises:
        ModelError: it cannot be loaded, or gives no such answer.
    """
    decoder = FoundDecoder(entry, DecoderLocation(provider="cpu", threads=1)).load()
    message = ChatMessage("user", "Does this line end a function?\n\n    return values\n")
    answer = decoder.generate([message], {"enum": ["yes", "no"]}, _MOST_TOKENS_OF_ONE_RUN)
    if answer.finish != "stop":
        raise ModelError(f"{entry.folder}: the model gives no answer within a schema; export it again")


def _load(entry: ModelEntry, location: DecoderLocation) -> Decoder:
    try:
        require_packages()
        return Decoder(_parts(entry, location))
    except ModelError as cause:
        raise ModelError(f"local model {entry.name!r}: {cause}") from cause


def _parts(entry: ModelEntry, location: DecoderLocation) -> DecoderParts:
    from wardround.inference.tokenizer import plain_tokenizer
    from wardround.models.answer_grammar import GrammarFactory

    contents = _verified_contents(entry.folder, entry.metadata)
    try:
        settings = read_settings(contents[DECODER_CONFIG])
        template = ChatTemplate(contents.get(CONFIG, b""), contents.get(TEMPLATE, b""))
    except ModelError as cause:
        raise ModelError(f"{entry.folder}: {cause}") from cause
    assert entry.metadata.tokenizer is not None
    tokenizer_json = contents[entry.metadata.tokenizer.name]
    tokenizer = plain_tokenizer(tokenizer_json)
    model = _open(entry.folder, settings, location)
    return DecoderParts(
        model=model,
        tokenizer=tokenizer,
        grammars=GrammarFactory(tokenizer_json, settings.width, settings.end_tokens[0]),
        template=template,
        window=min(entry.metadata.window, settings.context_length),
        end_tokens=settings.end_tokens,
    )


def _verified_contents(folder: Path, metadata: Metadata) -> dict[str, bytes]:
    """Return the contents of the files that are read here; the weights are verified and left on disk.

    Raises:
        ModelError: a file differs from the metadata, or the graph refers to a file that it does not declare.
    """
    from wardround.inference.onnx_session import require_own_weights
    from wardround.inference.verified_files import read_verified, require_unchanged

    assert metadata.tokenizer is not None
    weights = [file for file in metadata.decoder_files if file.name in metadata.weights]
    read = [file for file in (metadata.tokenizer, *metadata.decoder_files) if file not in weights]
    contents = {file.name: read_verified(folder, file) for file in read}
    graph = read_verified(folder, metadata.model)
    try:
        require_own_weights(graph, metadata.weights)
    except ModelError as cause:
        raise ModelError(f"{folder / metadata.model.name}: {cause}; do not use it") from cause
    for file in weights:
        require_unchanged(folder, file)
    return contents


def _open(folder: Path, settings: DecoderSettings, location: DecoderLocation) -> Any:
    """Return the model as the runtime opens it from its folder, on the requested provider.

    Raises:
        ModelError: the provider cannot be used, or the runtime cannot load the model.
    """
    genai = import_package("onnxruntime_genai")
    uses_cuda = _uses_cuda(genai.is_cuda_available(), settings, location.provider)
    try:
        config = genai.Config(str(folder))
        config.clear_providers()
        if uses_cuda:
            config.append_provider("cuda")
        config.overlay(json.dumps(_overlay(location.threads)))
        return genai.Model(config)
    except Exception as cause:  # the runtime's exceptions have no common base
        raise ModelError(f"{folder}: onnxruntime-genai cannot load it: {first_line(cause)}") from cause


def _uses_cuda(is_available: bool, settings: DecoderSettings, preference: ProviderPreference) -> bool:
    """Return True if the model is to run on CUDA: by default where it was exported for that.

    Raises:
        ModelError: CUDA was requested, and this installation of the runtime has none.
    """
    if preference == "cpu" or (preference == "auto" and not settings.is_for_cuda):
        return False
    if is_available:
        return True
    if preference == "cuda":
        raise ModelError("CUDA cannot be used; pip install onnxruntime-genai-cuda")
    return False


def _overlay(threads: int) -> dict[str, Any]:
    """Return the settings of the runtime that are those of this machine."""
    options = {
        "intra_op_num_threads": threads or len(os.sched_getaffinity(0)),
        "inter_op_num_threads": 1,
        "log_severity_level": 4,
    }
    return {"model": {"decoder": {"session_options": options}}}
