"""Discovery of the project's virtual environment, which wardround reads and never writes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from wardround.errors import ConfigError
from wardround_python.options import PythonOptions

_USUAL = (".venv", "venv", "env")
PROJECT_FILES = ("*.py", "*.pyi", "py.typed")
"""The files by which tools resolve imports."""


def project_environment(root: Path, options: PythonOptions) -> Path | None:
    """Return the configured environment, else a usual folder in the repository, else the activated one.

    The environment of wardround itself is not the project's: hook runners activate it.

    Raises:
        ConfigError: the configured folder is not a virtual environment.
    """
    if options.environment is not None:
        chosen = root / options.environment
        if not (chosen / "bin" / "python").exists():
            raise ConfigError(
                f"python.environment: {options.environment} is not a virtual environment in {root}; "
                "give the folder that holds bin/python"
            )
        return chosen
    for name in _USUAL:
        if (root / name / "pyvenv.cfg").is_file():
            return root / name
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if active and Path(active).resolve() != Path(sys.prefix).resolve():
        return Path(active) if (Path(active) / "bin" / "python").exists() else None
    return None
