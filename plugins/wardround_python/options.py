"""The keys of ``[tool.wardround.python]``."""

from __future__ import annotations

import msgspec


class PythonOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The settings of the Python specialist for a project.

    Attributes:
        environment: the project's virtual environment, relative to the repository root.
        settings_modules: glob patterns of the modules that may read environment variables.
    """

    environment: str | None = None
    settings_modules: tuple[str, ...] = (
        "*config*.py", "*settings*.py", "*settings*/*.py", "*config*/*.py", "*conf.py", "*env*.py",
    )  # fmt: skip
