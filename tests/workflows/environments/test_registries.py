"""A download takes packages from registries, by the options and settings of the caller only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.workflows.environments.conftest import program, repository_with, wheel
from wardround.change.repository import INDEX
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.http_messages import Address, address_of
from wardround.sandbox.model import Limits
from wardround.sandbox.proxy import Proxy
from wardround.workflows.environments.built import build_environment
from wardround.workflows.environments.registries import Registries, require_registry
from wardround.workflows.environments.store import store_folder
from wardround.workflows.environments.uv import Uv
from wardround.workflows.test.project.projects import DetectedProject

PROJECT = DetectedProject("", "python")
PUBLIC = Registries(frozenset({Address("pypi.org", 443)}))


@pytest.mark.parametrize(
    "line",
    [
        "--no-binary leaf",
        " --no-binary :all:",
        "leaf\n--no-binary :all:",
        "leaf\r--no-binary :all:",
        "--index-url https://pypi.org/simple --no-binary :all:",
        "--find-links https://pypi.org/simple",
        "-r /etc/passwd",
    ],
)
def test_an_option_among_the_requirements_is_rejected(line: str) -> None:
    with pytest.raises(EnvironmentUnavailable, match=r"which is an option; remove it$"):
        require_registry(line, "pyproject.toml", PUBLIC)


@pytest.mark.parametrize("path", ["../other/leaf", "%2e%2e/other/leaf", "..\\other/leaf"])
def test_a_path_that_leads_out_of_a_permitted_folder_of_repositories_is_rejected(path: str) -> None:
    registries = Registries(PUBLIC.addresses, ("https://github.com/known/",))
    with pytest.raises(EnvironmentUnavailable, match="from git"):
        require_registry(f"leaf @ git+https://github.com/known/{path}", "requirements.txt", registries)


def test_no_option_in_a_manifest_makes_code_of_a_package_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    manifest = '[project]\nname = "demo"\nversion = "1"\ndependencies = ["leaf\\n--no-binary leaf"]\n'
    environ = {"PATH": os.pathsep.join((program("uv"), os.environ["PATH"]))}
    with (
        repository_with(tmp_path / "repo", {"pyproject.toml": manifest}) as repository,
        pytest.raises(EnvironmentUnavailable, match="is an option; remove it"),
    ):
        build_environment(PROJECT, repository, INDEX, limits=Limits(), environ=environ)

    assert list(store_folder().iterdir()) == []


def test_packages_come_from_the_index_in_the_callers_own_settings(
    tmp_path: Path, index: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    settings = tmp_path / "home" / ".config" / "uv" / "uv.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'index-url = "{index[1]}"\n')
    for name in ("coverage", "leaf"):
        wheel(index[0], name, "1.0", {f"{name}.py": ""})
    environ = {
        "PATH": os.pathsep.join((program("uv"), os.environ["PATH"])),
        "HOME": str(tmp_path / "home"),
    }
    with repository_with(tmp_path / "repo", {"requirements.txt": "leaf"}) as repository:
        found = build_environment(PROJECT, repository, INDEX, limits=Limits(), environ=environ)

    assert found.environment.packages == {"coverage", "leaf"}


def test_uv_starts_no_interpreter_and_reads_no_settings_of_the_folder_in_which_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "uv.toml").write_text('index-url = "https://evil.example/simple"\n')
    (tmp_path / ".python-version").write_text("3.1")
    interpreter = tmp_path / ".venv" / "bin" / "python3"
    interpreter.parent.mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    for location in (interpreter, interpreter.with_name("python")):
        location.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
        location.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    uv = Uv(tmp_path / "repo", {"PATH": os.pathsep.join((program("uv"), os.environ["PATH"]))})

    assert "https://evil.example/simple" not in uv.indexes
    assert not uv.interpreter(()).startswith(str(tmp_path))
    assert not (tmp_path / "started").exists()


def test_without_a_working_sandbox_nothing_is_downloaded_and_the_reason_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    environ = {"PATH": os.pathsep.join((program("uv"), os.environ["PATH"]))}
    with (
        repository_with(tmp_path / "repo", {"requirements.txt": "leaf"}) as repository,
        pytest.raises(EnvironmentUnavailable, match=r"^uv cannot .*: there is no isolation 'other'; choose"),
    ):
        build_environment(PROJECT, repository, INDEX, limits=Limits(), environ=environ, isolation="other")

    assert list(store_folder().iterdir()) == []


@pytest.mark.parametrize(
    "text", ["https://pypi.org\x1b[2J/", "pypi.org\n:443", "https://pypi.org:port/", "https:///x", "a b"]
)
def test_a_text_that_is_not_a_address_is_none(text: str) -> None:
    assert address_of(text) is None


def test_the_hosts_that_a_proxy_rejects_and_reports_are_bounded() -> None:
    proxy = Proxy((), {})
    for number in range(1000):
        assert proxy.connection(Address(f"host-{number}.example", 443)) is None

    assert 0 < len(proxy.refused) <= 20
