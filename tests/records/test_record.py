"""The components of a record: digests of the sources that produced it."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.records.record import source_digest


def test_a_plugin_of_one_module_has_a_digest_of_its_source(
    own_places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in (("acme_one", "A = 1\n"), ("acme_two", "A = 1\n"), ("acme_three", "A = 2\n")):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    one, two, three = (source_digest(name) for name in ("acme_one", "acme_two", "acme_three"))
    assert one == two != three
