"""Catalogues of sources, sinks and sanitizers."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from wardround.errors import WardroundError
from wardround.semantics.dataflow.catalogue import catalogue_files, load_catalogue


class _Sinks(msgspec.Struct, forbid_unknown_fields=True):
    functions: list[str]


def test_a_catalogue_that_is_absent_is_named() -> None:
    with pytest.raises(WardroundError, match=r"dataflow/cobol/sinks\.yml"):
        load_catalogue("cobol", "sinks", _Sinks)


def test_a_catalogue_of_another_shape_is_an_error() -> None:
    with pytest.raises(WardroundError, match=r"python/sinks\.yml is not a catalogue"):
        load_catalogue("python", "sinks", _Sinks)


def test_the_catalogues_of_all_languages_are_listed() -> None:
    files = [Path(file).relative_to(Path(file).parents[1]).as_posix() for file in catalogue_files()]
    assert {"python/sinks.yml", "typescript/sanitizers.yml", "typescript/sinks.yml"} <= set(files)
