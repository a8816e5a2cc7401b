"""The Python environment that a person already has for a repository: active, or in its work tree."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.visible import python_profile
from wardround.workflows.environments.model import Environment
from wardround.workflows.environments.requirements import normal
from wardround.workflows.environments.source_folders import editable_folders, source_folders

_FOLDERS = (".venv", "venv")
_LIST = (
    "import importlib.metadata as m, json, sys; "
    "found = [(d.metadata['Name'] or '', d) for d in m.distributions()]; "
    "packages = sorted({(name, d.version or '') for name, d in found}); "
    "places = sorted({(name, str(d.locate_file(''))) for name, d in found}); "
    "json.dump([[sys.version.split()[0], sys.implementation.cache_tag, packages], places], sys.stdout)"
)
_LIST_S = 30
_LONGEST_REASON = 200


def existing_python(
    root: Path,
    environ: Mapping[str, str],
    folder: str = "",
    is_rejected: Callable[[Path], bool] = lambda _: False,
) -> Environment:
    """Return the environment that is active, or else the nearest one in the work tree.

    Args:
        folder: folder of the project, relative to the root.
        is_rejected: prefix -> True if its programs must not be started.

    Raises:
        EnvironmentUnavailable: there is none, or its interpreter does not start.
    """
    for prefix, source in candidates(root, folder, environ):
        if (prefix / "bin" / "python3").exists() and not is_rejected(prefix):
            return described_python(prefix, source, root, folder)
    raise EnvironmentUnavailable(
        f"{root / folder} has no Python environment; activate one, or create .venv with its packages"
    )


def candidates(root: Path, folder: str, environ: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield the prefix and the source of each environment to try, the first choice first."""
    if active := environ.get("VIRTUAL_ENV"):
        yield Path(active), "the variable VIRTUAL_ENV"
    parts = folder.split("/") if folder else []
    for count in range(len(parts), -1, -1):
        for name in _FOLDERS:
            path = "/".join((*parts[:count], name))
            yield root / path, f"the folder {path}"


def described_python(prefix: Path, source: str, root: Path, folder: str) -> Environment:
    """Return the environment at a prefix. Its interpreter is started, without the user's own packages, to
    list the installed ones.

    Args:
        root: the work tree.
        folder: folder of the project, relative to the root.

    Raises:
        EnvironmentUnavailable: the interpreter does not start.
    """
    try:
        done = subprocess.run(
            [prefix / "bin" / "python3", "-I", "-c", _LIST],
            capture_output=True, check=True, timeout=_LIST_S, env={},
        )  # fmt: skip
        listed, locations = json.loads(done.stdout)
        version = listed[0]
    except (OSError, ValueError, subprocess.SubprocessError) as cause:
        raise EnvironmentUnavailable(
            f"{source}: its interpreter does not list its packages ({_reason(cause)}); "
            "recreate it with Python 3.8 or later"
        ) from cause
    visible = python_profile(prefix)
    folders = dict.fromkeys((*source_folders(folder), *editable_folders(prefix, root)))
    paths = ("PYTHONPATH", ":".join(folders))
    return Environment(
        language="python",
        source=source,
        digest=hashlib.sha256(json.dumps(listed).encode()).hexdigest(),
        visible=msgspec.structs.replace(visible, variables=(*visible.variables, paths)),
        version=version,
        packages=frozenset(
            normal(name) for name, location in locations if _is_outside(location, prefix, root)
        ),
    )


def _reason(cause: Exception) -> str:
    """Return the last line of the output of a failed interpreter, or the error itself."""
    output = cause.stderr if isinstance(cause, subprocess.CalledProcessError) else b""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_LONGEST_REASON] if lines else str(cause)


def _is_outside(place: str, prefix: Path, root: Path) -> bool:
    """Return False for metadata in the work tree, as of an old editable installation; runs do not see it."""
    path = Path(place)
    return path.is_relative_to(prefix) or not path.is_relative_to(root)
