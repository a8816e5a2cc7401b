"""Build a wheel of a project through its build back end (PEP 517 and 660), in the sandbox.

The argument is a JSON object: ``folder`` of the project, or ``archive`` of a source distribution;
``backend``, ``backend_path``, ``installed`` requirements and ``out``, the folder for ``result.json``.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tarfile
from typing import Any


def main(argument: str) -> None:
    """Build, or name the requirements that are missing."""
    task = json.loads(argument)
    os.makedirs(task["out"], exist_ok=True)
    os.chdir(_unpack(task) if task["archive"] else task["folder"])
    sys.path[:0] = [os.path.abspath(path) for path in task["backend_path"]]
    backend = _backend(task["backend"])
    is_editable = not task["archive"] and hasattr(backend, "build_editable")
    kind = "editable" if is_editable else "wheel"
    requires = getattr(backend, "get_requires_for_build_" + kind, None)
    missing = (
        [requirement for requirement in requires(None) if requirement not in task["installed"]]
        if requires
        else []
    )
    result = {"missing": missing, "wheel": ""}
    if not missing:
        result["wheel"] = getattr(backend, "build_" + kind)(task["out"], None)
    with open(os.path.join(task["out"], "result.json"), "w") as file:
        json.dump(result, file)


def _unpack(task: dict[str, Any]) -> str:
    folder = os.path.join(task["out"], "source")
    with tarfile.open(task["archive"]) as archive:
        archive.extractall(folder)  # noqa: S202  (the sandbox bounds it)
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    return os.path.join(folder, names[0])


def _backend(name: str) -> Any:
    module, _, attributes = name.partition(":")
    found: Any = importlib.import_module(module)
    for attribute in filter(None, attributes.split(".")):
        found = getattr(found, attribute)
    return found


main(sys.argv[1])
