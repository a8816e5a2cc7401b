"""Discovery of models, their verification, and loading them once.

A model is a folder with ``adapter.metadata.json`` next to its files. Models come from the package
``wardround_adapters``, and from further folders that the configuration names; of two with the same name the
first one counts, and the further folders have precedence over the package.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import ModelError
from wardround.inference.locations import (
    CARD_FILE,
    DECODER_CONFIG,
    LORA_FILES,
    METADATA_FILE,
    PLOT_FILES,
    RECIPE_FILE,
    models_in,
    package_folder,
    peek_name,
)
from wardround.inference.metadata import File, Metadata, PromotionState, read_metadata
from wardround.inference.runtime import Runtime
from wardround.storage.digest import digest_key, sha256

if TYPE_CHECKING:
    from wardround.inference.embedder import Embedder
    from wardround.inference.onnx_session import Session, SharedTensors
    from wardround.inference.text_classifier import TextClassifier
    from wardround.inference.tokenizer import TextTokenizer

_SHORTEST_WINDOW = 8
_SHORTEST_CONVERSATION = 256
_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".whl")
_PICKLES = (".pkl", ".pickle", ".pt", ".pth", ".bin", ".joblib", ".npy", ".npz", ".ckpt", ".h5", ".msgpack")
"""Files that are, or can contain, code that runs when they are opened. Shared tensors are ``.bin`` too."""
_MOST_FOLDERS = 1000
NOT_INSTALLED = "it is not installed; name its folder in model-folders"
"""The reason for a name that no model has."""


class ModelEntry(msgspec.Struct, frozen=True):
    """A model with readable metadata.

    Attributes:
        metadata: the effective one: an unearned state counts as shadow.
        overstated: the message about an unearned state.
    """

    folder: Path
    metadata: Metadata
    overstated: str = ""

    @classmethod
    def of(cls, folder: Path) -> ModelEntry:
        """Return the model in a folder.

        Raises:
            ModelError: there is none that can be used; the reason is a complete sentence.
        """
        metadata = _readable(folder)
        if metadata.state is PromotionState.SHADOW:
            return cls(folder, metadata)
        from wardround.inference.promotion_policy import unsupported_claim

        reason = unsupported_claim(metadata)
        state = PromotionState.SHADOW if reason else metadata.state
        return cls(folder, msgspec.structs.replace(metadata, state=state), reason)

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def is_built(self) -> bool:
        """False for a folder with a recipe and without the weights that its metadata describes."""
        return os.path.lexists(self.folder / self.metadata.model.name) or not self.recipe.is_file()

    @property
    def recipe(self) -> Path:
        return self.folder / RECIPE_FILE

    @property
    def build_command(self) -> str:
        """The command that trains the model from its recipe."""
        corpora = " --from-clones DIR" if self.metadata.kind == "embedder" else ""
        return f"wardround adapters train {self.recipe}{corpora}"


class RejectedModel(msgspec.Struct, frozen=True):
    """A folder, or an archive, that would contain a model, and why it is not used.

    Attributes:
        name: the model's, if that can be read, else the last part of its path.
        name_unknown: True if it may contain a model of any name.
        before: the number of valid models in the same location or an earlier one.
    """

    name: str
    reason: str
    name_unknown: bool = False
    before: int = 0

    def may_be(self, name: str) -> bool:
        return self.name_unknown or self.name == name


class LoadedModel(msgspec.Struct, frozen=True):
    """A model ready to run; ``tokens`` for models that read texts."""

    session: Session
    tokens: TextTokenizer | None


class ModelRegistry(msgspec.Struct, frozen=True):
    """The discovered models, in order of precedence."""

    found: tuple[ModelEntry, ...]
    refused: tuple[RejectedModel, ...]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> ModelRegistry:
        """Discover models in folders and in the folders directly below them."""
        found: list[ModelEntry] = []
        refused: list[RejectedModel] = []
        for location in folders:
            broken: list[tuple[Path, str]] = []
            for candidate in _candidates(location):
                try:
                    found.append(ModelEntry.of(candidate))
                except ModelError as trouble:
                    broken.append((candidate, str(trouble)))
            for candidate, reason in broken:
                name = None if _is_archive(candidate) else peek_name(candidate)
                nameless = name is None and not _is_archive(candidate)
                refused.append(RejectedModel(name or candidate.name, reason, nameless, len(found)))
        return cls(tuple(found), tuple(refused))

    def get(self, name: str) -> ModelEntry:
        """Return the model of a name: never one from a location after one that may contain it and cannot be
        read.

        Raises:
            ModelError: there is none, or it was rejected.
        """
        at, item = next(
            ((at, entry) for at, entry in enumerate(self.found) if entry.name == name), (None, None)
        )
        for other in sorted(self.refused, key=lambda refused: refused.name != name):
            if other.may_be(name) and (at is None or other.before <= at):
                raise ModelError(other.reason)
        if item is None:
            raise ModelError(NOT_INSTALLED)
        return item

    def sharing(self, digest: str) -> ModelEntry:
        """Return the base whose shared tensors have a digest.

        Raises:
            ModelError: there is none.
        """
        for entry in self.found:
            if entry.metadata.shares is not None and entry.metadata.shares.sha256 == digest:
                return entry
        raise ModelError(f"its base, with shared tensors {digest[:12]}, is not installed")

    def files(self, item: ModelEntry) -> Iterator[tuple[Path, File]]:
        """Return every file that running a model needs, with its folder.

        Raises:
            ModelError: its base does not exist.
        """
        yield item.folder, item.metadata.model
        if item.metadata.shared:
            base = self._base(item)
            assert base.metadata.shares is not None
            yield base.folder, base.metadata.shares
        if item.metadata.tokenizer is not None:
            yield self._tokenizer_folder(item), item.metadata.tokenizer
        for file in item.metadata.decoder_files:
            yield item.folder, file

    def require_present(self, item: ModelEntry) -> None:
        """Verify that the files of a model exist and have their sizes, without reading them.

        Raises:
            ModelError: they do not.
        """
        from wardround.inference.verified_files import require_present  # only a model that reports

        if not item.is_built:
            raise ModelError(f"it is not built; run `{item.build_command}`")
        for folder, file in self.files(item):
            require_present(folder, file)

    def load(self, item: ModelEntry, runtime: Runtime) -> LoadedModel:
        """Return the model, verified byte by byte and loaded once in this process.

        Raises:
            ModelError: a file differs from the metadata, or onnxruntime cannot load it.
        """
        name = digest_key(
            model_digest(item.metadata), str(item.folder), runtime.identity, str(runtime.threads)
        )
        with _LOADING:
            if name not in _LOADED:
                _LOADED[name] = self._load(item, runtime)
            return _LOADED[name]

    def _load(self, item: ModelEntry, runtime: Runtime) -> LoadedModel:
        from wardround.inference.onnx_session import load  # most reviews score nothing
        from wardround.inference.tokenizer import TextTokenizer
        from wardround.inference.verified_files import read_verified

        metadata = item.metadata
        content = read_verified(item.folder, metadata.model)
        shared = None
        if metadata.shared:
            base = self._base(item)
            assert base.metadata.shares is not None
            shared = _shared_tensors(base.folder, base.metadata.shares)
        tokens = None
        if metadata.tokenizer is not None:
            tokens = TextTokenizer(
                read_verified(self._tokenizer_folder(item), metadata.tokenizer), metadata.window
            )
        return LoadedModel(load(content, metadata, shared, runtime), tokens)

    def embedder(self, name: str, runtime: Runtime) -> Embedder:
        """Return a model over texts, in any state: for retrieval, and for evaluation.

        Raises:
            ModelError: there is none of this name, it is over numbers, or it cannot be loaded.
        """
        from wardround.inference.embedder import Embedder  # only retrieval and evaluation

        item = self.get(name)
        loaded = self.load(item, runtime)
        if loaded.tokens is None:
            raise ModelError(f"{item.folder}: model {name!r} reads numbers, not texts")
        return Embedder(loaded.session, loaded.tokens, score_digest(item.metadata, runtime))

    def classifier(self, item: ModelEntry, runtime: Runtime) -> TextClassifier:
        """Return a model over short texts, in any state.

        Raises:
            ModelError: it cannot be loaded.
        """
        from wardround.inference.text_classifier import TextClassifier  # most reviews score nothing

        loaded = self.load(item, runtime)
        if loaded.tokens is None or item.metadata.kind != "texts":
            raise ModelError(f"{item.folder}: model {item.name!r} is not one over short texts")
        return TextClassifier(loaded.session, loaded.tokens, item.metadata.inputs)

    def _base(self, item: ModelEntry) -> ModelEntry:
        return self.sharing(item.metadata.base.shared if item.metadata.base is not None else "")

    def _tokenizer_folder(self, item: ModelEntry) -> Path:
        """Return the folder of a model's tokenizer: its own, or that of the base if it is the same."""
        tokenizer = item.metadata.tokenizer
        assert tokenizer is not None
        if not (item.folder / tokenizer.name).exists():
            for other in self.found:
                if other.metadata.tokenizer == tokenizer and (other.folder / tokenizer.name).exists():
                    return other.folder
        return item.folder


_LOADING = threading.Lock()
_LOADED: dict[bytes, LoadedModel] = {}
_SHARED: dict[tuple[Path, File], SharedTensors] = {}


def _shared_tensors(folder: Path, file: File) -> SharedTensors:
    """Return the mapped tensors of a base, verified once in this process."""
    from wardround.inference.onnx_session import SharedTensors  # most reviews score nothing
    from wardround.inference.verified_files import mmap_verified

    if (folder, file) not in _SHARED:
        _SHARED[folder, file] = SharedTensors(folder, mmap_verified(folder, file))
    return _SHARED[folder, file]


def model_digest(metadata: Metadata) -> str:
    """Return a digest of the files of a model and of its tokenisation."""
    tokenizer = metadata.tokenizer.sha256 if metadata.tokenizer else ""
    base = metadata.base.shared if metadata.base and metadata.shared else ""
    decoder = [part for file in metadata.decoder_files for part in (file.name, file.sha256)]
    return digest_key("model", metadata.model.sha256, tokenizer, base, str(metadata.window), *decoder).hex()


def score_digest(metadata: Metadata, runtime: Runtime) -> str:
    """Return a digest of all inputs of a raw score besides the scored text or row."""
    return digest_key("scores", model_digest(metadata), runtime.identity).hex()


def identity(metadata: Metadata, runtime: Runtime) -> str:
    """Return the inputs of every result of a model: its scores, their meaning, and its state."""
    meaning = (metadata.state, metadata.calibration, metadata.thresholds, metadata.fusion, metadata.inputs)
    return digest_key(
        score_digest(metadata, runtime), msgspec.json.encode(meaning, order="deterministic")
    ).hex()


def default_registry(further: Sequence[Path] = ()) -> ModelRegistry:
    """Return the further folders, then the package's models."""
    own = package_folder()
    return ModelRegistry.of([*further, *([own] if own is not None else [])])


def unwanted_files(folder: Path, metadata: Metadata) -> tuple[list[str], list[str]]:
    """Return files that are not the model's, by name: those that are dangerous to open, and others."""
    named = (metadata.model, metadata.shares, metadata.tokenizer, *metadata.files)
    own = {METADATA_FILE, CARD_FILE, *PLOT_FILES, *(file.name for file in named if file is not None)}
    own |= set() if metadata.data is None else {RECIPE_FILE}
    foreign = sorted(path for path in folder.iterdir() if path.name not in own)
    harmful = [path.name for path in foreign if path.suffix.lower() in (*_PICKLES, *_ARCHIVES)]
    return harmful, [path.name for path in foreign if path.name not in harmful]


def training_file_defects(folder: Path, metadata: Metadata) -> Iterator[str]:
    """Return the defects of the files that a model is rebuilt from, a sentence each; no run reads them.

    The weights of a model that is not built may be absent.
    """
    from wardround.inference.verified_files import read_verified  # only the verification of models

    yield from _files_missing_digest(folder, metadata)
    is_built = ModelEntry(folder, metadata).is_built
    for file in metadata.files:
        if file in metadata.decoder_files:  # a run needs them, so they are verified as such
            continue
        if not is_built and not os.path.lexists(folder / file.name):
            continue
        try:
            read_verified(folder, file)
        except ModelError as trouble:
            yield str(trouble)
    recipe, data = folder / RECIPE_FILE, metadata.data
    if data is not None and recipe.is_file() and sha256(recipe.read_bytes()).hexdigest() != data.recipe:
        yield f"{recipe} is not the recipe its metadata describes; install the model again"


def _files_missing_digest(folder: Path, metadata: Metadata) -> Iterator[str]:
    known = {file.name for file in metadata.files}
    for name in LORA_FILES:
        if name not in known and (folder / name).exists():
            yield (
                f"{folder / name} has no digest in {METADATA_FILE}, so it must not be used; "
                "build the model again with `wardround adapters quantise`"
            )


def contains_models(place: Path) -> bool:
    """Return True if a folder needs a report: it contains a model, also below it, or is not a folder."""
    return bool(_candidates(place))


def _candidates(place: Path) -> list[Path]:
    """Return the folders that contain models, and archives that would, by name."""
    try:
        models = models_in(place)
        archives = [path for path in place.iterdir() if _is_archive(path)] if place not in models else []
    except OSError:
        return [place]
    return sorted({*models, *archives})[:_MOST_FOLDERS]


def _is_archive(candidate: Path) -> bool:
    return candidate.suffix.lower() in _ARCHIVES


def _readable(candidate: Path) -> Metadata:
    """Return the metadata of a candidate that is a folder and can be used.

    Raises:
        ModelError: it cannot; the reason is a complete sentence.
    """
    if _is_archive(candidate):
        raise ModelError(f"{candidate} is an archive, and archives are not opened; unpack it")
    if not candidate.is_dir():
        raise ModelError(f"{candidate} is not a folder of models; name one that exists")
    metadata = read_metadata(candidate)
    wrong = _inconsistency(metadata)
    if wrong:
        raise ModelError(f"{candidate / METADATA_FILE}: {wrong}; install the model again")
    return metadata


def _inconsistency(metadata: Metadata) -> str:
    """Return a contradiction in the metadata, or nothing."""
    return next(_inconsistencies(metadata), "")


def _inconsistencies(metadata: Metadata) -> Iterator[str]:
    yield from _files_with_wrong_digest(metadata)
    if metadata.shared and (metadata.base is None or not metadata.base.shared):
        yield "it shares tensors with a base it does not name"
    yield from _missing_inputs(metadata)
    points = metadata.calibration.points
    if any(first[0] >= second[0] for first, second in pairwise(points)):
        yield "the points of its calibration are not ascending"


def _missing_inputs(metadata: Metadata) -> Iterator[str]:
    match metadata.kind:
        case "embedder" | "texts":
            if metadata.tokenizer is None:
                yield "a model over texts needs a tokenizer"
            if metadata.window < _SHORTEST_WINDOW:
                yield f"a window of {metadata.window} tokens is too small for text"
        case "chat":
            yield from _missing_decoder_parts(metadata)
        case "table":
            if not metadata.inputs:
                yield "a model over numbers must name them"
    if metadata.kind == "texts" and len(set(metadata.inputs)) < max(2, len(metadata.inputs)):
        yield "a model over texts must name its classes, each once"


def _missing_decoder_parts(metadata: Metadata) -> Iterator[str]:
    if metadata.tokenizer is None or metadata.window < _SHORTEST_CONVERSATION:
        yield f"a decoder needs a tokenizer, and a window of {_SHORTEST_CONVERSATION} tokens or more"
    if DECODER_CONFIG not in {file.name for file in metadata.files}:
        yield f"a decoder needs {DECODER_CONFIG} among its files"


def _files_with_wrong_digest(metadata: Metadata) -> Iterator[str]:
    endings = ((metadata.model, ".onnx"), (metadata.tokenizer, ".json"), (metadata.shares, ".bin"))
    for file, ending in endings:
        if file is None:
            continue
        if not file.name.endswith(ending):
            yield f"{file.name} is no {ending} file, and no other is opened"
        if file.bytes < 0:
            yield f"{file.name} cannot have {file.bytes} bytes"
    for file in metadata.files:
        if file.name not in LORA_FILES and file not in metadata.decoder_files:
            yield f"{file.name} is not a file of a model"
