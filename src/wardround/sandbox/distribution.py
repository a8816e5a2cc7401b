"""The command that installs bubblewrap, by the distribution of the machine."""

from __future__ import annotations

from pathlib import Path

_COMMANDS = {
    "debian": "apt-get install bubblewrap",
    "ubuntu": "apt-get install bubblewrap",
    "fedora": "dnf install bubblewrap",
    "rhel": "dnf install bubblewrap",
    "centos": "dnf install bubblewrap",
    "arch": "pacman -S bubblewrap",
    "alpine": "apk add bubblewrap",
    "suse": "zypper install bubblewrap",
    "opensuse": "zypper install bubblewrap",
    "sles": "zypper install bubblewrap",
}
_RELEASE_FILES = (Path("/etc/os-release"), Path("/usr/lib/os-release"))


def install_bubblewrap(files: tuple[Path, ...] = _RELEASE_FILES) -> str:
    """Return a sentence part that names the command, or the package where the distribution is not known.

    Args:
        files: files in the format of os-release; the first that exists counts.
    """
    for name in _names(files):
        if name in _COMMANDS:
            return f"install the package bubblewrap: {_COMMANDS[name]}"
    return "install the package bubblewrap"


def _names(files: tuple[Path, ...]) -> list[str]:
    """Return the distribution's id, then those that it resembles, the closest first."""
    file = next((entry for entry in files if entry.is_file()), None)
    fields = {}
    for line in file.read_text("utf-8", "replace").splitlines() if file else ():
        key, _, value = line.partition("=")
        fields[key.strip()] = value.strip().strip("\"'")
    own = fields.get("ID", "")
    return [own, own.partition("-")[0], *fields.get("ID_LIKE", "").split()]
