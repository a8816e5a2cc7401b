"""Finding models, checking them, and loading them once.

A model is a folder with ``adapter.metadata.json`` beside its files. Models come with the package
``wardround_adapters``, and from further folders that the configuration names; of two with the same name the
one found first counts, and the further folders come before the package.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec

from wardround.errors import ModelError
from wardround.inference.embedder import Embedder
from wardround.inference.files import mapped, require_present, verified
from wardround.inference.metadata import File, Metadata, read_metadata
from wardround.inference.places import METADATA_FILE, package_folder
from wardround.inference.runtime import Runtime
from wardround.inference.session import Session, SharedTensors, load
from wardround.inference.tokens import Tokens
from wardround.tools.result_cache import key

_SHORTEST_WINDOW = 8
_ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".whl")
_PICKLES = (".pkl", ".pickle", ".pt", ".pth", ".bin", ".joblib", ".npy", ".npz", ".ckpt", ".h5", ".msgpack")
"""Files that are, or can hold, what runs code when it is opened. The shared tensors are ``.bin`` too."""
_MOST_FOLDERS = 1000


@dataclass(frozen=True, slots=True)
class Found:
    """A model whose metadata could be read."""

    folder: Path
    metadata: Metadata

    @property
    def name(self) -> str:
        return self.metadata.name


@dataclass(frozen=True, slots=True)
class Refused:
    """A folder, or an archive, that would hold a model, and why it is not used; ``name`` is its last part."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model ready to be run; ``tokens`` for those that read texts."""

    session: Session
    tokens: Tokens | None


@dataclass(frozen=True, slots=True)
class Shelf:
    """The models that were found, those that count first."""

    found: tuple[Found, ...]
    refused: tuple[Refused, ...]

    @classmethod
    def of(cls, folders: Sequence[Path]) -> Shelf:
        """Look for models in folders and in the folders directly below them."""
        found: list[Found] = []
        refused: list[Refused] = []
        for place in folders:
            for candidate in _candidates(place):
                try:
                    found.append(Found(candidate, _readable(candidate)))
                except ModelError as trouble:
                    refused.append(Refused(candidate.name, str(trouble)))
        return cls(tuple(found), tuple(refused))

    def named(self, name: str) -> Found:
        """The model of a name.

        Raises:
            ModelError: there is none, or it was refused.
        """
        for one in self.found:
            if one.name == name:
                return one
        for other in self.refused:
            if other.name == name:
                raise ModelError(other.reason)
        raise ModelError("it is not installed")

    def sharing(self, digest: str) -> Found:
        """The base whose shared tensors have a digest.

        Raises:
            ModelError: there is none.
        """
        for one in self.found:
            if one.metadata.shares is not None and one.metadata.shares.sha256 == digest:
                return one
        raise ModelError(f"its base, with shared tensors {digest[:12]}, is not installed")

    def files(self, one: Found) -> Iterator[tuple[Path, File]]:
        """Every file that running a model needs, with the folder it lies in.

        Raises:
            ModelError: its base is not there.
        """
        yield one.folder, one.metadata.model
        if one.metadata.shared:
            base = self._base(one)
            assert base.metadata.shares is not None
            yield base.folder, base.metadata.shares
        if one.metadata.tokenizer is not None:
            yield self._tokenizer_folder(one), one.metadata.tokenizer

    def require_present(self, one: Found) -> None:
        """See that the files of a model are there and have their sizes, without reading them.

        Raises:
            ModelError: they are not.
        """
        for folder, file in self.files(one):
            require_present(folder, file)

    def load(self, one: Found, runtime: Runtime) -> Loaded:
        """The model, verified byte by byte and loaded once in this process.

        Raises:
            ModelError: a file is not what it must be, or onnxruntime cannot load it.
        """
        name = key(model_digest(one.metadata), str(one.folder), runtime.identity, str(runtime.threads))
        with _LOADING:
            if name not in _LOADED:
                _LOADED[name] = self._load(one, runtime)
            return _LOADED[name]

    def _load(self, one: Found, runtime: Runtime) -> Loaded:
        metadata = one.metadata
        content = verified(one.folder, metadata.model)
        shared = None
        if metadata.shared:
            base = self._base(one)
            assert base.metadata.shares is not None
            shared = _shared(base.folder, base.metadata.shares)
        tokens = None
        if metadata.tokenizer is not None:
            tokens = Tokens(verified(self._tokenizer_folder(one), metadata.tokenizer), metadata.window)
        return Loaded(load(content, metadata, shared, runtime.providers, runtime.threads), tokens)

    def embedder(self, name: str, runtime: Runtime) -> Embedder:
        """A model over texts, whatever its state: for retrieval, and for measuring.

        Raises:
            ModelError: there is none of this name, it is over numbers, or it cannot be loaded.
        """
        one = self.named(name)
        loaded = self.load(one, runtime)
        if loaded.tokens is None:
            raise ModelError(f"{one.folder}: model {name!r} reads numbers, not texts")
        return Embedder(loaded.session, loaded.tokens, score_digest(one.metadata, runtime))

    def _base(self, one: Found) -> Found:
        return self.sharing(one.metadata.base.shared if one.metadata.base is not None else "")

    def _tokenizer_folder(self, one: Found) -> Path:
        """Where a model's tokenizer lies: beside it, or where the base's is the same."""
        tokenizer = one.metadata.tokenizer
        assert tokenizer is not None
        if not (one.folder / tokenizer.name).exists():
            for other in self.found:
                if other.metadata.tokenizer == tokenizer and (other.folder / tokenizer.name).exists():
                    return other.folder
        return one.folder


_LOADING = threading.Lock()
_LOADED: dict[bytes, Loaded] = {}
_SHARED: dict[tuple[Path, File], SharedTensors] = {}


def _shared(folder: Path, file: File) -> SharedTensors:
    """The mapped tensors of a base, verified once in this process."""
    if (folder, file) not in _SHARED:
        _SHARED[folder, file] = SharedTensors(folder, mapped(folder, file))
    return _SHARED[folder, file]


def model_digest(metadata: Metadata) -> str:
    """A digest of the files of a model and of how texts are cut for it."""
    tokenizer = metadata.tokenizer.sha256 if metadata.tokenizer else ""
    base = metadata.base.shared if metadata.base and metadata.shared else ""
    return key("model", metadata.model.sha256, tokenizer, base, str(metadata.window)).hex()


def score_digest(metadata: Metadata, runtime: Runtime) -> str:
    """A digest of everything a raw score depends on beside what is scored."""
    return key("scores", model_digest(metadata), runtime.identity).hex()


def identity(metadata: Metadata, runtime: Runtime) -> str:
    """What anything said with a model depends on: its scores, their meaning, and what it may do."""
    meaning = (metadata.state, metadata.calibration, metadata.thresholds, metadata.fusion, metadata.inputs)
    return key(score_digest(metadata, runtime), msgspec.json.encode(meaning, order="deterministic")).hex()


def standard(further: Sequence[Path] = ()) -> Shelf:
    """The further folders, then the package's models."""
    own = package_folder()
    return Shelf.of([*further, *([own] if own is not None else [])])


def unwanted_files(folder: Path, metadata: Metadata) -> list[str]:
    """Files beside a model that it does not need and that can harm whoever opens them, by name."""
    needed = {file.name for file in (metadata.model, metadata.shares, metadata.tokenizer) if file is not None}
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in needed and path.suffix.lower() in (*_PICKLES, *_ARCHIVES)
    )


def _candidates(place: Path) -> list[Path]:
    """The folders that hold models, and archives that would, by name."""
    if not place.is_dir() or (place / METADATA_FILE).exists():
        return [place]
    inside = sorted(place.iterdir())[:_MOST_FOLDERS]
    return [path for path in inside if path.suffix.lower() in _ARCHIVES or (path / METADATA_FILE).is_file()]


def _readable(candidate: Path) -> Metadata:
    """The metadata of a candidate that is a folder and can be used.

    Raises:
        ModelError: it is not; the reason stands for itself.
    """
    if candidate.suffix.lower() in _ARCHIVES:
        raise ModelError(f"{candidate} is an archive, and archives are not opened; unpack it")
    if not candidate.is_dir():
        raise ModelError(f"{candidate} is no folder of models; name one that exists")
    metadata = read_metadata(candidate)
    wrong = _contradiction(metadata)
    if wrong:
        raise ModelError(f"{candidate / METADATA_FILE}: {wrong}; install the model again")
    return metadata


def _contradiction(metadata: Metadata) -> str:
    """What in the metadata does not go together, or nothing."""
    endings = ((metadata.model, ".onnx"), (metadata.tokenizer, ".json"), (metadata.shares, ".bin"))
    for file, ending in endings:
        if file is not None and not file.name.endswith(ending):
            return f"{file.name} is no {ending} file, and no other is opened"
        if file is not None and file.bytes < 0:
            return f"{file.name} cannot have {file.bytes} bytes"
    if metadata.shared and (metadata.base is None or not metadata.base.shared):
        return "it shares tensors with a base it does not name"
    if metadata.kind == "embedder" and metadata.tokenizer is None:
        return "a model over texts needs a tokenizer"
    if metadata.kind == "embedder" and metadata.window < _SHORTEST_WINDOW:
        return f"a window of {metadata.window} tokens holds no text"
    if metadata.kind == "table" and not metadata.inputs:
        return "a model over numbers must name them"
    points = metadata.calibration.points
    if any(one[0] >= other[0] for one, other in pairwise(points)):
        return "the points of its calibration do not ascend"
    return ""
