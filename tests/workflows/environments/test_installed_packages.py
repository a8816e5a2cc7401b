"""The packages of virtual environments, read from their folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.workflows.environments.installed_packages import installed_packages


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    packages = tmp_path / "lib" / "python3.12" / "site-packages"
    for name in ("attrs-22.1.0.dist-info", "Typing_Extensions-4.0.dist-info", "shop-1.0.dist-info", "attrs"):
        (packages / name).mkdir(parents=True)
    (packages / "shop-1.0.dist-info" / "direct_url.json").write_text('{"dir_info": {"editable": true}}')
    (tmp_path / "pyvenv.cfg").write_text("include-system-site-packages = false\n")
    return tmp_path


def test_packages_have_normal_names_and_versions_without_those_of_a_folder(prefix: Path) -> None:
    assert installed_packages(prefix) == {"attrs": "22.1.0", "typing-extensions": "4.0"}


def test_an_environment_with_the_packages_of_its_interpreter_is_not_known(prefix: Path) -> None:
    (prefix / "pyvenv.cfg").write_text("include-system-site-packages = true\n")

    assert installed_packages(prefix) is None


def test_a_folder_that_is_not_a_environment_is_not_known(tmp_path: Path) -> None:
    assert installed_packages(tmp_path) is None
