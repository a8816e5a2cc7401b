"""An instance names the environment in which its tests were verified, and experiments find it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from wardround.config.sandbox_settings import SandboxSettings
from wardround.sandbox.model import Visible
from wardround.workflows.environments.model import Environment
from wardround.workflows.environments.store import PREFIX, BuiltEnvironment, keep, store_folder
from wardround_lab.experiments.instances.commit_environment import CommitEnvironment, environ_of
from wardround_lab.experiments.instances.model import MinedInstance

KEY = "0123456789abcdef" * 2
ENVIRON = {"PATH": "/bin"}
MINED = MinedInstance(
    id="1",
    repository="own/shop",
    commit="c",
    parent="p",
    base="b",
    date="2021-01-01T00:00:00Z",
    text="",
    gold="",
)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment in the store."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    built = store_folder() / "building"
    (built / PREFIX).mkdir(parents=True)
    return keep(built, KEY, BuiltEnvironment("python", "setup.py with the releases of 2021-01-01", "3.9.1"))


def described(prefix: Path) -> str:
    visible = Visible(variables=(("VIRTUAL_ENV", str(prefix)),))
    environment = Environment("python", "the environment built from setup.py", "digest", visible, "3.9.1")
    return CommitEnvironment(environment, "", SandboxSettings()).description


def test_the_environment_of_an_instance_becomes_the_active_one(stored: Path) -> None:
    text = described(stored / PREFIX)

    assert text == f"Python 3.9.1, the environment built from setup.py [{KEY}-3.9.1]"
    assert environ_of(replace(MINED, environment=text), ENVIRON) == ENVIRON | {
        "VIRTUAL_ENV": str(stored / PREFIX)
    }


def test_an_environment_that_is_not_in_the_store_has_no_name(stored: Path, tmp_path: Path) -> None:
    assert described(tmp_path / "venv") == "Python 3.9.1, the environment built from setup.py"


@pytest.mark.parametrize("text", ["", f"Python [{KEY}-3.9.2]", "Python [../../other]"])
def test_an_environment_that_is_gone_changes_nothing(stored: Path, text: str) -> None:
    assert environ_of(replace(MINED, environment=text), ENVIRON) == ENVIRON
