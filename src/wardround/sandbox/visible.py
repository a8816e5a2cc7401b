"""The part of the machine that a run can read: by language, and never secrets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from wardround.errors import SandboxError
from wardround.sandbox.model import Visible
from wardround.storage.paths import cache_dir, state_dir

INNER_ROOT = "/tree"
"""The path of the tree for a run."""
INNER_HOME = "/tmp/home"  # noqa: S108  (a folder that only the run has)
SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
"""Folders of programs and libraries that are links into ``/usr`` on most distributions."""
SYSTEM_FILES = (
    "/usr", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/mime.types", "/etc/protocols", "/etc/services", "/etc/ssl/certs", "/etc/pki/tls/certs",
    "/etc/timezone",
)  # fmt: skip
_SYSTEM_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
SYSTEM_PREFIXES = ("/usr", "/usr/local")
"""Installations that every run sees; others below ``/usr`` may lie in a private folder."""
_CLOSED_ROOTS = ("/dev", "/etc", "/proc", "/root/.ssh", "/run", "/sys", "/var/run")
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (its entries are folders of users)
_CREDENTIALS = (
    ".aws", ".azure", ".config", ".docker", ".git-credentials", ".gnupg", ".kube", ".netrc", ".npmrc",
    ".password-store", ".pypirc", ".ssh",
)  # fmt: skip


_PRIVATE_VARIABLES = (
    "HOME", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
)  # fmt: skip
"""Variables of the caller that name folders of its own."""


def python_profile(prefix: Path) -> Visible:
    """Return a view with one Python environment and its base interpreter.

    Args:
        prefix: the environment's folder, or an installation of Python.
    """
    interpreter = Path(os.path.realpath(prefix / "bin" / "python3"))
    installation = interpreter.parent.parent
    folders = [prefix] if str(installation) in SYSTEM_PREFIXES else [prefix, installation]
    return Visible(
        read_only=tuple(dict.fromkeys(folders)),
        programs=(prefix / "bin",),
        variables=(("PYTHONDONTWRITEBYTECODE", "1"), ("VIRTUAL_ENV", str(prefix))),
    )


def objection_to(visible: Visible, private: Sequence[Path], environ: Mapping[str, str]) -> str | None:
    """Return a sentence if a path must not be shown to a run; None if all of them can.

    Args:
        private: the root of the repository, and its git folders.
        environ: the caller's environment, for its home.
    """
    work_tree, *others = map(_real, private)
    home = _real(Path(environ.get("HOME") or Path.home()))
    closed = [*others, *map(Path, _CLOSED_ROOTS), *(home / name for name in _CREDENTIALS)]
    for path in (*visible.read_only, *visible.programs):
        if not path.is_absolute() or not path.exists():
            return f"{path} cannot be made visible; give the absolute path of a folder or file that exists"
        for location in {path, _real(path)}:
            if _contains_private_path(location, [home, work_tree]) or _overlaps_hidden_folder(
                location, closed
            ):
                return f"{path} would show private files to the run; make only folders of packages visible"
    return None


def hidden_folders(private: Sequence[Path], environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the outermost private folders below the system's, such as a work tree in ``/usr/src``.

    The system's folders are shown as a whole, so that these must be covered.

    Args:
        private: folders of the repository.
        environ: the caller's environment, for its home and the folders of its programs.

    Raises:
        SandboxError: a folder of the repository is one of the system's, so that it cannot be hidden.
    """
    system = {_real(Path(folder)) for folder in (*SYSTEM_LINKS, *SYSTEM_FILES)}
    of_repository = [*private, *(folder.parent for folder in private if folder.name == ".git")]
    for folder in map(_real, of_repository):
        if folder in system:
            raise SandboxError(
                f"{folder} is shown to every run; move the repository into a folder of its own"
            )
    found = map(_real, (*of_repository, *_named_folders(environ), cache_dir(), state_dir()))
    return _outermost(
        folder for folder in set(found) if folder.is_dir() and not system.isdisjoint(folder.parents)
    )


def _named_folders(environ: Mapping[str, str]) -> list[Path]:
    """Return the private folders that the environment names."""
    return [Path(value) for name in _PRIVATE_VARIABLES if (value := environ.get(name))]


def _outermost(folders: Iterable[Path]) -> tuple[Path, ...]:
    found: list[Path] = []
    for folder in sorted(folders):
        if found and folder.is_relative_to(found[-1]):
            continue
        found.append(folder)
    return tuple(found)


def environment(visible: Visible, environ: Mapping[str, str], home: str) -> dict[str, str]:
    """Return the environment of a run: the variables on the list of the view, and no others."""
    passed = {name: environ[name] for name in visible.environment if name in environ}
    programs = [*map(str, visible.programs), *_SYSTEM_PROGRAMS]
    own = {"HOME": home, "PATH": ":".join(programs), "TMPDIR": os.path.dirname(home)}
    return own | passed | dict(visible.variables)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _contains_private_path(path: Path, private: Iterable[Path]) -> bool:
    """Return True if a path is one of the private ones, or a parent of one."""
    return any(folder.is_relative_to(path) for folder in private)


def _overlaps_hidden_folder(path: Path, closed: Iterable[Path]) -> bool:
    """Return True if a path is in, at or above a closed folder; below shared memory are ordinary files."""
    if _SHARED_MEMORY in path.parents:
        closed = [folder for folder in closed if folder != _SHARED_MEMORY.parent]
    return any(path.is_relative_to(folder) or folder.is_relative_to(path) for folder in closed)
