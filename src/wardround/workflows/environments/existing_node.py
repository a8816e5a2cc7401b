"""The packages of JavaScript that a person already has: the folders ``node_modules`` of the work tree."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Visible
from wardround.sandbox.visible import SYSTEM_PREFIXES
from wardround.workflows.environments.model import Environment

PACKAGES = "node_modules"
_TREE = "/tree"
_CACHES = frozenset({".cache", ".vite", ".vite-temp", ".vitest", ".nitro", ".astro"})
"""Folders that tools create in ``node_modules``; a run gets its own."""
_STATES = (".package-lock.json", ".pnpm/lock.yaml", ".yarn-state.yml", ".yarn-integrity")
"""Files in which package managers record the installed packages."""
_NODE = "JSON.stringify([process.versions.node, process.execPath])"
_START_S = 30


def existing_node(
    root: Path, folder: str, members: Iterable[str], environ: Mapping[str, str], source: str = ""
) -> Environment:
    """Return Node.js with the packages in a work tree.

    A tool may write next to the packages, as vite does, so that a run gets its own folder ``node_modules`` in
    which every package is a link. Links to members of a workspace lead to the tree of the run.

    Args:
        root: the root of the work tree, or a folder with the same layout.
        folder: folder of the project, relative to the root.
        members: other folders with a ``package.json`` whose packages the project may use.

    Raises:
        EnvironmentUnavailable: there are no packages, or Node.js is not installed.
    """
    holders = [
        candidate
        for candidate in sorted({*_ancestor_folders(folder), *members})
        if (root / candidate / PACKAGES).is_dir()
    ]
    nearest = next((parent for parent in reversed(_ancestor_folders(folder)) if parent in holders), None)
    if nearest is None:
        raise EnvironmentUnavailable(f"{root / folder} has no {PACKAGES}; install its packages")
    version, program = node(root, environ)
    shown = [root / holder / PACKAGES for holder in holders]
    view = node_view(program)
    own = [root / parent / PACKAGES / ".bin" for parent in reversed(_ancestor_folders(folder))]
    return Environment(
        language="javascript",
        source=source or f"the folder {posixpath.join(nearest, PACKAGES)}",
        digest=_digest(version, shown),
        visible=Visible(
            read_only=(*shown, *view.read_only), programs=(*filter(Path.is_dir, own), *view.programs)
        ),
        version=version,
        links=tuple(link for holder in holders for link in _links(root, holder)),
    )


def node(root: Path, environ: Mapping[str, str]) -> tuple[str, Path]:
    """Return the version and the program of the Node.js on the caller's PATH, never one in the repository.

    Raises:
        EnvironmentUnavailable: it is not installed, or does not start.
    """
    found = program_on_path("node", root, environ)
    if found is None:
        raise EnvironmentUnavailable("Node.js is not on PATH; install it")
    try:
        done = subprocess.run(
            [found, "-p", _NODE], capture_output=True, check=True, timeout=_START_S, env={}, cwd="/"
        )
        version, program = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as cause:
        raise EnvironmentUnavailable(f"{found} does not start ({cause}); reinstall Node.js") from cause
    return version, Path(program)


def node_view(program: Path) -> Visible:
    """Return a view with Node.js and npm."""
    prefix = program.parent.parent
    installation = () if str(prefix) in SYSTEM_PREFIXES else (prefix,)
    return Visible(read_only=installation, programs=(program.parent,))


def program_on_path(name: str, root: Path, environ: Mapping[str, str]) -> str | None:
    """Return a program outside of the repository; a change could replace one in it."""
    real = os.path.realpath(root)
    folders = [
        directory
        for directory in environ.get("PATH", "").split(os.pathsep)
        if os.path.isabs(directory) and not Path(os.path.realpath(directory)).is_relative_to(real)
    ]
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def _ancestor_folders(folder: str) -> list[str]:
    """Return a folder and those above it, the top first; the top of the repository is ``""``."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def _digest(version: str, folders: Iterable[Path]) -> str:
    found = hashlib.sha256(version.encode())
    for folder in folders:
        states = [folder / name for name in _STATES if (folder / name).is_file()]
        for state in states:
            found.update(state.read_bytes())
        if not states:
            found.update("\0".join(_versions(folder)).encode())
    return found.hexdigest()


def _versions(folder: Path) -> Iterator[str]:
    """Yield name and version of the packages in a folder."""
    for name, _ in _entries(folder):
        try:
            document = json.loads((folder / name / "package.json").read_bytes())
        except (OSError, ValueError):
            continue
        yield f"{name} {document.get('version') if isinstance(document, dict) else None}"


def _links(root: Path, folder: str) -> Iterator[tuple[str, str]]:
    """Yield the links for one folder of packages."""
    outside = root / folder / PACKAGES
    top = os.path.realpath(root)
    for name, is_link in _entries(outside):
        target = os.path.join(outside, name)
        if is_link:
            real = os.path.realpath(target)
            inside = os.path.relpath(real, top)
            if not inside.startswith("..") and PACKAGES not in inside.split("/"):
                target = posixpath.join(_TREE, inside)
        yield posixpath.join(folder, PACKAGES, name), target


def _entries(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the name of each package and program, and if it is a link; scopes are folders of packages."""
    for name in sorted(os.listdir(folder)):
        path = folder / name
        if name in _CACHES:
            continue
        if (name.startswith("@") or name == ".bin") and path.is_dir() and not path.is_symlink():
            yield from (
                (f"{name}/{entry}", (path / entry).is_symlink()) for entry in sorted(os.listdir(path))
            )
        else:
            yield name, path.is_symlink()
