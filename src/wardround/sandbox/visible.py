"""The part of the machine that a run sees: by language, and never what holds secrets."""

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
    """Return a view with one Python environment and the interpreter that it was made from.

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
        for one in {path, _real(path)}:
            if _holds(one, [home, work_tree]) or _overlaps(one, closed):
                return f"{path} would show private files to the run; make only folders of packages visible"
    return None


def hidden_folders(private: Sequence[Path], environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the outermost private folders below the system's, such as a work tree in ``/usr/src``.

    The system's folders are shown as a whole, so that these must be covered.

    Args:
        private: folders of the repository.
        environ: the caller's environment, for its home and the folders of its programs.

    Raises:
        SandboxError: a folder of the repository is one of the system's, so that it cannot be covered.
    """
    system = {_real(Path(one)) for one in (*SYSTEM_LINKS, *SYSTEM_FILES)}
    of_repository = [*private, *(folder.parent for folder in private if folder.name == ".git")]
    for folder in map(_real, of_repository):
        if folder in system:
            raise SandboxError(
                f"{folder} is shown to every run; move the repository into a folder of its own"
            )
    named = [Path(value) for name in _PRIVATE_VARIABLES if (value := environ.get(name))]
    found = {_real(folder) for folder in (*of_repository, *named, cache_dir(), state_dir())}
    return _outermost(folder for folder in found if folder.is_dir() and not system.isdisjoint(folder.parents))


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


def _holds(path: Path, private: Iterable[Path]) -> bool:
    """Return True if a path is one of the private ones, or above one."""
    return any(one.is_relative_to(path) for one in private)


def _overlaps(path: Path, closed: Iterable[Path]) -> bool:
    """Return True if a path is in, at or above a closed folder; below shared memory are ordinary files."""
    if _SHARED_MEMORY in path.parents:
        closed = [one for one in closed if one != _SHARED_MEMORY.parent]
    return any(path.is_relative_to(one) or one.is_relative_to(path) for one in closed)
