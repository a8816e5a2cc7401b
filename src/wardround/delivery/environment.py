"""The environment of a CI run, without settings by which the repository under review could start programs."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

from wardround.change.git_process import GitProcess
from wardround.change.git_programs import FILTERS, with_settings, without_filters

_GIT_SETTINGS = {"core.hooksPath": os.devnull, "core.fsmonitor": "false"}
"""Tools such as husky point git at programs of the work tree, which the change may have written."""


def harden(environ: MutableMapping[str, str], work_tree: Path) -> None:
    """Change variables for this process and for the programs it starts."""
    environ["PATH"] = outside(environ.get("PATH", os.defpath), work_tree)
    filters = GitProcess(work_tree, environ).settings(FILTERS)
    environ.update(with_settings(environ, {**_GIT_SETTINGS, **without_filters(filters)}))


def outside(search_path: str, work_tree: Path) -> str:
    """Return a ``PATH`` without relative folders and without those of a work tree.

    A workflow that adds ``node_modules/.bin`` to its ``PATH`` would otherwise let the change replace its git.
    """
    tree = os.path.realpath(work_tree)
    folders = (folder for folder in search_path.split(os.pathsep) if os.path.isabs(folder))
    return os.pathsep.join(f for f in folders if not Path(os.path.realpath(f)).is_relative_to(tree))
