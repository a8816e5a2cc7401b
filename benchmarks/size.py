"""Measure the size of installed environments and of the models in them, without running anything.

    python benchmarks/size.py 3.13=FOLDER 3.11=FOLDER web=FOLDER --json docs/cost.json

Each FOLDER is a fresh virtual environment into which a distribution was installed: ``3.11`` and ``3.13`` with
that version of Python and no extra, ``web`` like 3.13 with ``[web,docker-ci]``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import figures

_MIB = 1024 * 1024
_MODELS = "wardround_adapters"


def mib(folder: Path) -> int:
    """Return the disk space of the files of a folder, each counted once."""
    sizes = {(found.st_dev, found.st_ino): found.st_blocks * 512 for found in _states(folder)}
    return round(sum(sizes.values()) / _MIB)


def _states(folder: Path) -> Iterator[os.stat_result]:
    for at, _, names in os.walk(folder):
        for name in names:
            yield os.lstat(f"{at}/{name}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("environments", nargs="+", metavar="NAME=FOLDER")
    figures.add_json_option(parser)
    options = parser.parse_args()
    found = {}
    for name, _, folder in (text.partition("=") for text in options.environments):
        models = next(Path(folder).rglob(_MODELS), None)
        found[name] = {"mib": mib(Path(folder)), "models_mib": 0 if models is None else mib(models)}
        print(f"{name}: {found[name]['mib']} MiB, {found[name]['models_mib']} of them models")
    figures.write(options.json, "size", found)


if __name__ == "__main__":
    main()
