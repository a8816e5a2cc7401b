"""Adds the compiled CEL evaluator to the wheel, with its licence and its bill of materials.

The distribution common-expression-language requires the libraries of its command line, 30 MiB that a review
never imports. Only the build requires it; the wheel contains its extension module and its license tags.

WARDROUND_CEL_WHEEL names a wheel of that distribution for another Python or platform: the wheel that is built
gets its tag. Nothing is compiled, so one machine builds for all.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_BUNDLED = "common-expression-language"
_FOLDER = "wardround/policy/cel"
_WHEEL = "WARDROUND_CEL_WHEEL"


class BundleCel(BuildHookInterface[Any]):
    """The hook of the build backend. An editable install is not changed and imports the installed
    distribution.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files to a standard wheel.

        Raises:
            FileNotFoundError: the distribution lacks a file.
        """
        if version == "editable":
            return
        self._unpacked = tempfile.TemporaryDirectory(prefix="wardround-cel-")
        source = _source(Path(self._unpacked.name))
        extension = _file(source, "cel/cel.*.so", "cel/cel.*.pyd")
        licence = _file(source, "*.dist-info/licenses/LICENSE")
        build_data["force_include"] |= {
            str(extension): f"{_FOLDER}/{extension.name}",
            str(licence): f"{_FOLDER}/LICENSE",
        }
        build_data["sbom_files"].append(str(_file(source, "*.dist-info/sboms/cel.cyclonedx.json")))
        build_data["pure_python"] = False
        build_data["tag"] = _tag(source)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was unpacked."""
        if version != "editable":
            self._unpacked.cleanup()


def _source(folder: Path) -> Distribution:
    """Return the distribution for this Python, or that of the wheel that the environment names."""
    wheel = os.environ.get(_WHEEL)
    if not wheel:
        return distribution(_BUNDLED)
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder)
    (found,) = Distribution.discover(name=_BUNDLED, path=[str(folder)])
    return found


def _file(source: Distribution, *patterns: str) -> Path:
    for file in source.files or ():
        if any(file.match(pattern) for pattern in patterns):
            return Path(str(file.locate()))
    raise FileNotFoundError(f"{_BUNDLED} {source.version} has no file {' or '.join(patterns)}")


def _tag(source: Distribution) -> str:
    """Return the compressed tag of the distribution's wheel: its extension runs nowhere else."""
    lines = (source.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    return "-".join(".".join(sorted(set(part))) for part in zip(*tags, strict=True))
