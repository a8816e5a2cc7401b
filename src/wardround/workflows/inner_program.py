"""The start of a program of ``wardround_in_sandbox`` in the sandbox, with the interpreter of the project."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wardround.sandbox.model import Visible
from wardround.sandbox.visible import INNER_ROOT

PACKAGE = Path(__file__).with_name("wardround_in_sandbox")
_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from {package}.{module} import main; del sys.path[0]; main()"
)


def program_command(module: str, folder: str, request: str) -> list[str]:
    """Return the command that runs the function ``main`` of a module.

    Args:
        module: relative to the package.
        folder: the working folder, absolute.
        request: the path of its request, as the run has it.
    """
    start = _START.format(package=PACKAGE.name, module=module)
    return [
        "sh", "-c", 'cd "$0" && exec "$@"', folder,
        "python3", "-c", start, str(PACKAGE.parent), request,
    ]  # fmt: skip


def program_view(visible: Visible, root: str) -> Visible:
    """Return a view of an environment with the package, and variables for the path of the tree in the run."""
    variables = tuple(
        (name, ":".join(_resolve_below(root, part) for part in value.split(":")))
        for name, value in visible.variables
    )
    return msgspec.structs.replace(visible, read_only=(*visible.read_only, PACKAGE), variables=variables)


def _resolve_below(root: str, path: str) -> str:
    is_in_tree = path == INNER_ROOT or path.startswith(f"{INNER_ROOT}/")
    return root + path[len(INNER_ROOT) :] if is_in_tree else path
