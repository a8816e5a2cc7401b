"""The components of a record: digests of the sources that produced it."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.records.record import source_digest


def test_a_plugin_of_one_module_has_a_digest_of_its_source(
    isolated_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in (("acme_one", "A = 1\n"), ("acme_two", "A = 1\n"), ("acme_three", "A = 2\n")):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    item, two, three = (source_digest(name) for name in ("acme_one", "acme_two", "acme_three"))
    assert item == two != three


DATA = (
    "rules/a.yml",
    "prompts/intent.md",
    "prompts/intent.schema.json",
    "words.txt",
    "base.cjs",
    "inner/b.py",
)


def package(folder: Path, name: str) -> Path:
    """A package with files of each kind."""
    for file in ("__init__.py", *DATA):
        (folder / name / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / name / file).write_text("1\n", encoding="utf-8")
    return folder / name


def test_the_digest_of_a_package_is_the_same_in_another_folder(
    isolated_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    package(tmp_path, "acme_four")
    compiled = package(tmp_path, "acme_five") / "inner" / "__pycache__"
    compiled.mkdir()
    (compiled / "b.cpython-311.pyc").write_bytes(b"compiled")
    (compiled.parent / "cel.cpython-311-x86_64-linux-gnu.so").write_bytes(b"compiled")
    assert source_digest("acme_four") == source_digest("acme_five")


@pytest.mark.parametrize("file", DATA)
def test_an_edited_data_file_alone_changes_the_digest(
    isolated_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    edited = package(tmp_path, "acme_six") / file
    before = source_digest("acme_six")
    edited.write_text("22\n", encoding="utf-8")
    assert source_digest("acme_six") != before
