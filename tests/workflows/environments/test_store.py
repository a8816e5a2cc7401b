"""Built environments are found by their key until they are unused for a month."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from wardround.workflows.environments.store import (
    BuiltEnvironment,
    find_built,
    keep,
    remove_unused,
    store_folder,
)

MONTH_S = 31 * 24 * 3600


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def made(key: str, version: str, packages: tuple[str, ...] = (), installation: str = "") -> Path:
    built = store_folder() / "building" / "built"
    built.mkdir(parents=True)
    return keep(built, key, BuiltEnvironment("python", "uv.lock", version, installation, packages))


def test_an_environment_is_found_by_its_key_and_the_version_of_the_interpreter() -> None:
    made("key", "3.11.7")
    made("key", "3.12.1")

    assert find_built("other") is None
    assert find_built("key", "3.11.") is not None
    assert find_built("key", "3.13.") is None


def test_a_repeated_build_replaces_the_environment() -> None:
    made("key", "3.11.7", ("leaf-1",))
    made("key", "3.11.7", ("leaf-2",))

    found = find_built("key")

    assert found is not None
    assert found[1].packages == ("leaf-2",)


def test_an_environment_without_its_interpreter_or_its_description_is_not_found(tmp_path: Path) -> None:
    made("key", "3.11.7", installation=str(tmp_path / "removed"))
    (made("other", "3.11.7") / "environment.json").write_text("{")

    assert find_built("key") is None
    assert find_built("other") is None


def test_environments_that_are_used_stay_and_others_are_removed_after_a_month() -> None:
    used, unused = made("used", "3.11.7"), made("unused", "3.11.7")
    for folder in (used, unused):
        os.utime(folder, (time.time() - MONTH_S, time.time() - MONTH_S))
    find_built("used")

    remove_unused()

    assert used.exists()
    assert not unused.exists()
