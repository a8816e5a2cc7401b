"""Catalogues of sources, sinks and sanitizers."""

from __future__ import annotations

import msgspec
import pytest

from wardround.errors import WardroundError
from wardround.semantics.dataflow.catalogue import load_catalogue


class _Sinks(msgspec.Struct, forbid_unknown_fields=True):
    functions: list[str]


def test_a_catalogue_that_is_absent_is_named() -> None:
    with pytest.raises(WardroundError, match=r"dataflow/cobol/sinks\.yml"):
        load_catalogue("cobol", "sinks", _Sinks)


def test_a_catalogue_of_another_shape_is_an_error() -> None:
    with pytest.raises(WardroundError, match=r"python/sinks\.yml is not a catalogue"):
        load_catalogue("python", "sinks", _Sinks)
