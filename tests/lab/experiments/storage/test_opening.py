"""A storage is named by a path, a URL, or the environment."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from wardround.errors import UsageError
from wardround_lab.experiments.storage.opening import VARIABLE, default_file, open_storage


def test_the_option_counts_before_the_environment_and_the_local_file(tmp_path: Path) -> None:
    own, team = tmp_path / "own.sqlite", tmp_path / "team.sqlite"
    open_storage(str(own), {VARIABLE: str(team)}).close()
    assert (own.exists(), team.exists(), default_file().exists()) == (True, False, False)
    open_storage("", {VARIABLE: str(team)}).close()
    assert (team.exists(), default_file().exists()) == (True, False)
    open_storage("", {}).close()
    assert default_file().exists()


def test_the_configuration_of_a_repository_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".wardround.toml").write_text('[lab]\nstorage = "postgresql://attacker/x"\n')
    monkeypatch.chdir(tmp_path)
    with closing(open_storage("", {})) as storage:
        assert storage.runs() == []
    assert default_file().exists()


def test_an_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as refused:
        open_storage("mongodb://host/lab", {})
    assert str(refused.value) == (
        "a storage cannot be of the kind 'mongodb'; give a file, postgresql://USER@HOST:PORT/DATABASE, with "
        "percent-codes for special characters in its parts, or a URL of a kind that plugins have: firestore"
    )


def test_reading_creates_no_file(tmp_path: Path) -> None:
    file = tmp_path / "lab.sqlite"
    with pytest.raises(UsageError) as refused:
        open_storage(str(file), {}, create=False)
    assert str(refused.value) == f"the storage {file}: there is no such file; wardround lab run creates it"
    assert not file.exists()
