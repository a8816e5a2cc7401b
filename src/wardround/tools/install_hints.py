"""How to install a missing tool, where wardround runs in the environment of a hook runner."""

from __future__ import annotations

import os
import sys

from wardround.lazy import LazyPattern
from wardround.tools.tool import install_line

HOOKS = {
    "web": ("wardround-web", "wardround-all"),
    "docker-ci": ("wardround-docker-ci", "wardround-all"),
    "secrets": ("wardround-all",),
}
"""The ids of ``.pre-commit-hooks.yaml`` that install the same as an extra."""

_OURS = LazyPattern(r"pip install 'wardround\[([\w-]+)\]'")
_RUNNERS = {
    "pre-commit": LazyPattern(r".*[/\\]py_env-[^/\\]+"),
    "prek": LazyPattern(r".*[/\\]hooks[/\\]python-[^/\\]+"),
}


def install_hint(install: str) -> str:
    """Return a tool's install line, or its equivalent in a hook's environment, which pip does not reach."""
    runner = _runner()
    if runner is None:
        return install
    if install == install_line():
        return f"{runner} clean recreates the hook's environment"
    extra = _OURS.fullmatch(install)
    if extra is None:
        return install  # a plugin's own line, or the project's own tool
    if extra[1] in HOOKS:
        pushing = "PRE_COMMIT_REMOTE_NAME" in os.environ
        ids = (id_.replace("-", "-push-", 1) if pushing else id_ for id_ in HOOKS[extra[1]])
        return f"use the hook id {' or '.join(ids)}"
    requirements = _extra_requirements(extra[1])
    return f"give the hook additional_dependencies: {requirements}, which replace those of its id"


def _runner() -> str | None:
    """Return the program that made this environment for a hook and runs it now."""
    if os.environ.get("PRE_COMMIT") != "1":
        return None
    return next((name for name, prefix in _RUNNERS.items() if prefix.fullmatch(sys.prefix)), None)


def _extra_requirements(extra: str) -> list[str]:
    """Return the requirements of an extra, by the metadata of the installed distribution."""
    from importlib.metadata import requires  # slow to import, and rarely needed

    lines = (line.partition(";") for line in requires("wardround") or ())
    return [name.strip() for name, _, marker in lines if f"extra == '{extra}'" in marker.replace('"', "'")]
