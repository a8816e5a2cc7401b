"""Hints name the command that starts this installation, wherever it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround import own_command
from wardround.cli.messages import echo_err


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The scripts of an environment, in a folder whose name has a space."""
    folder = tmp_path / "py env" / "bin"
    folder.mkdir(parents=True)
    (folder / "wardround").write_text("#!/bin/sh\n")
    (folder / "wardround").chmod(0o755)
    return folder


def test_a_program_on_path_has_its_name(scripts: Path) -> None:
    assert own_command._command({"PATH": f"/bin:{scripts}"}, scripts) == "wardround"


def test_a_link_on_path_as_of_uv_tool_has_its_name(scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "local").mkdir()
    (tmp_path / "local" / "wardround").symlink_to(scripts / "wardround")
    assert own_command._command({"PATH": str(tmp_path / "local")}, scripts) == "wardround"


@pytest.mark.parametrize("environ", [{"PATH": "/bin"}, {"PRE_COMMIT": "1", "PATH": "SCRIPTS:/bin"}])
def test_elsewhere_and_in_a_hook_it_is_the_full_path(scripts: Path, environ: dict[str, str]) -> None:
    environ = {name: value.replace("SCRIPTS", str(scripts)) for name, value in environ.items()}
    assert own_command._command(environ, scripts) == f"'{scripts / 'wardround'}'"


def test_messages_name_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(own_command, "own_command", lambda: "/env/bin/wardround")
    echo_err("wardround: run wardround index, or `wardround baseline write`; src/wardround review")
    assert capsys.readouterr().err == (
        "wardround: run /env/bin/wardround index, or `/env/bin/wardround baseline write`; "
        "src/wardround review\n"
    )
