"""The command that installs bubblewrap fits the distribution."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.sandbox.distribution import install_bubblewrap


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=debian\n", "apt-get install bubblewrap"),
        ('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', "apt-get install bubblewrap"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install bubblewrap"),
        ("ID=fedora\n", "dnf install bubblewrap"),
        ("ID=manjaro\nID_LIKE=arch\n", "pacman -S bubblewrap"),
        ("ID=alpine\nVERSION_ID=3.20.0\n", "apk add bubblewrap"),
        ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', "zypper install bubblewrap"),
    ],
)
def test_the_command_is_that_of_the_distribution(tmp_path: Path, release: str, command: str) -> None:
    file = tmp_path / "os-release"
    file.write_text(release)

    assert install_bubblewrap((tmp_path / "absent", file)) == f"install the package bubblewrap: {command}"


@pytest.mark.parametrize("release", ["", "ID=plan9\n", "no fields at all\n"])
def test_an_unknown_distribution_gets_the_name_of_the_package(tmp_path: Path, release: str) -> None:
    file = tmp_path / "os-release"
    file.write_text(release)

    assert install_bubblewrap((file,)) == "install the package bubblewrap"
    assert install_bubblewrap((tmp_path / "absent",)) == "install the package bubblewrap"
