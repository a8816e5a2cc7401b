"""Where the models of the package lie, and at a glance whether they have a say; without what runs models."""

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
"""The LoRA weights a model was made of, as peft names them, and how they are to be put on the base."""
PLOT_FILES = (
    "precision-recall.svg", "scores.svg", "calibration.svg", "probabilities.svg", "training.svg",
)  # fmt: skip
"""Pictures beside a card."""
LARGEST_METADATA = 16 * 1024 * 1024
MODEL_FILE = "model.onnx"
"""As every model's file is called; one without metadata beside it is a model that lost them."""


class _Glance(msgspec.Struct, frozen=True):
    """What a glance at the metadata of a model reads."""

    name: str
    state: str = ""


def package_folder() -> Path | None:
    """Where the models that come with wardround lie."""
    spec = importlib.util.find_spec(PACKAGE)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def extra_folders(root: Path, names: Sequence[str]) -> list[Path]:
    """The model folders that a configuration names, as seen from the root of its repository."""
    return [root / Path(name).expanduser() for name in names]


def require_models(root: Path, names: Sequence[str], file: str) -> None:
    """See that each model folder of a configuration is there and holds a model, readable or not.

    Args:
        file: that of the configuration, for the message.

    Raises:
        ConfigError: one is not, or does not.
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
    """The folder itself if it is a model's, else those directly below that are, by name.

    Raises:
        OSError: it is no folder that can be listed.
    """
    if _is_models(place):
        return [place]
    return sorted(path for path in place.iterdir() if _is_models(path))


def _is_models(folder: Path) -> bool:
    """Whether a folder has what a model has; in doubt it is, so that what is wrong is told."""
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
    """Whether the package has all models of these names, every one in shadow; in doubt they are not."""
    own = package_folder()
    if own is None:
        return False
    states = {one.name: one.state for one in _glances(own)}
    return all(states.get(name) == "shadow" for name in names)


def _glances(folder: Path) -> Iterator[_Glance]:
    for file in folder.glob(f"*/{METADATA_FILE}"):
        if (glance := _glance(file)) is not None:
            yield glance


def peek_name(folder: Path) -> str | None:
    """The name of the model in a folder, whatever else is wrong with it; None where nothing says it."""
    glance = _glance(folder / METADATA_FILE)
    return None if glance is None else glance.name


def _glance(file: Path) -> _Glance | None:
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return None
        with file.open("rb") as stream:
            return msgspec.json.decode(stream.read(LARGEST_METADATA), type=_Glance)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return None
