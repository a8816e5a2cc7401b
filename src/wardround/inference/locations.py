"""The location of the packaged models, and a cheap reading of their states without the model runtime."""

from __future__ import annotations

import importlib.util
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from wardround.errors import ConfigError

PACKAGE = "wardround_adapters"
METADATA_FILE = "adapter.metadata.json"
CARD_FILE = "card.md"
RECIPE_FILE = "recipe.yml"
LORA_FILES = ("adapter_model.safetensors", "adapter_config.json")
"""The LoRA weights of a model in peft's file names, and their configuration."""
TOKENIZER_FILE = "tokenizer.json"
DECODER_CONFIG = "genai_config.json"
"""The settings of a decoder in the form of onnxruntime-genai, whose model builder writes them."""
DECODER_WEIGHTS = "model.onnx.data"
DECODER_FILES = (
    DECODER_CONFIG, DECODER_WEIGHTS, "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json", "chat_template.jinja", "tokenizer.model", "vocab.json", "merges.txt",
    "config.json", "generation_config.json",
)  # fmt: skip
"""The files of a decoder besides its model and its ``tokenizer.json``: weights, settings, chat template."""
PLOT_FILES = (
    "precision-recall.svg", "scores.svg", "calibration.svg", "probabilities.svg", "training.svg",
)  # fmt: skip
"""Images of a model card."""
LARGEST_METADATA = 16 * 1024 * 1024
MODEL_FILE = "model.onnx"
"""The name of every model's file; without metadata next to it, the metadata is lost."""


class _PartialMetadata(msgspec.Struct, frozen=True):
    """The subset of the metadata that is read without validation."""

    name: str
    state: str = ""


def package_folder() -> Path | None:
    """Return the folder of the packaged models."""
    spec = importlib.util.find_spec(PACKAGE)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def extra_folders(root: Path, names: Sequence[str]) -> list[Path]:
    """Return the model folders of a configuration, relative to the root of its repository."""
    return [root / Path(name).expanduser() for name in names]


def require_models(root: Path, names: Sequence[str], file: str) -> None:
    """Verify that each model folder of a configuration exists and contains a model, readable or not.

    Args:
        file: that of the configuration, for the message.

    Raises:
        ConfigError: one does not.
    """
    for name, folder in zip(names, extra_folders(root, names), strict=True):
        try:
            wrong = (
                "" if models_in(folder) else f"holds no model: no {METADATA_FILE} there or one folder below"
            )
        except OSError as cause:
            wrong = f"cannot be read ({cause.strerror})"
        if wrong:
            raise ConfigError(
                f"{file}: model-folders: {name!r} {wrong}; name a folder of models or remove it"
            )


def models_in(place: Path) -> list[Path]:
    """Return the folder itself if it contains a model, else the model folders directly below it, by name.

    Raises:
        OSError: it cannot be listed.
    """
    if _is_models(place):
        return [place]
    return sorted(path for path in place.iterdir() if _is_models(path))


def _is_models(folder: Path) -> bool:
    """Return True if a folder contains the files of a model; in doubt too, so that errors are reported."""
    for name in (METADATA_FILE, MODEL_FILE):
        try:
            (folder / name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
        return True
    return False


def all_shadow(names: Collection[str]) -> bool:
    """Return True if the package has all models of these names, every one in shadow; False if unsure."""
    own = package_folder()
    if own is None:
        return False
    states = {glance.name: glance.state for glance in _glances(own)}
    return all(states.get(name) == "shadow" for name in names)


def _glances(folder: Path) -> Iterator[_PartialMetadata]:
    for file in folder.glob(f"*/{METADATA_FILE}"):
        if (glance := _glance(file)) is not None:
            yield glance


def peek_name(folder: Path) -> str | None:
    """Return the name of the model in a folder, even if it is otherwise invalid; None if it is unreadable."""
    glance = _glance(folder / METADATA_FILE)
    return None if glance is None else glance.name


def _glance(file: Path) -> _PartialMetadata | None:
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return None
        with file.open("rb") as stream:
            return msgspec.json.decode(stream.read(LARGEST_METADATA), type=_PartialMetadata)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return None
