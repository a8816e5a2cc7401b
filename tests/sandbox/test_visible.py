"""A profile shows one language environment, and no private folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wardround.sandbox.model import Visible
from wardround.sandbox.visible import environment, objection_to, python_profile


def test_a_profile_of_python_has_the_environment_and_its_installation() -> None:
    profile = python_profile(Path(sys.prefix))

    assert Path(sys.prefix) in profile.read_only
    assert profile.programs == (Path(sys.prefix) / "bin",)
    base = Path(sys.base_prefix).resolve()
    assert base.is_relative_to("/usr") or base in [item.resolve() for item in profile.read_only]


@pytest.mark.parametrize(
    "name", [".ssh", ".aws/credentials", ".config/tool", ".netrc", ".gnupg", ".docker/config.json"]
)
def test_folders_of_credentials_cannot_be_shown(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("secret")

    found = objection_to(Visible(read_only=(path,)), [tmp_path / "repo"], {"HOME": str(tmp_path)})

    assert found == f"{path} would show private files to the run; make only folders of packages visible"


def test_a_path_that_does_not_exist_is_rejected(tmp_path: Path) -> None:
    for path in (Path("relative"), tmp_path / "absent"):
        found = objection_to(Visible(read_only=(path,)), [tmp_path], {"HOME": str(tmp_path)})

        assert (
            found == f"{path} cannot be made visible; give the absolute path of a folder or file that exists"
        )


def test_programs_of_the_profile_come_first() -> None:
    env = environment(Visible(programs=(Path("/opt/env/bin"),)), {"PATH": "/home/user/bin"}, "/tmp/home")

    assert env["PATH"].split(":")[0] == "/opt/env/bin"
    assert "/home/user/bin" not in env["PATH"]
    assert (env["HOME"], env["TMPDIR"]) == ("/tmp/home", "/tmp")
