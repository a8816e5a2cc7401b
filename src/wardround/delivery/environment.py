"""The environment of a CI run, without settings by which the repository under review could start programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from wardround.change.git_process import GitProcess

_GIT_SETTINGS = {"core.hooksPath": os.devnull, "core.fsmonitor": "false"}
"""Tools such as husky point git at programs of the work tree, which the change may have written."""
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
"""Commands that git runs in the work tree: ``python -m nbstripout`` there imports modules of the change."""


def harden(environ: MutableMapping[str, str], work_tree: Path) -> None:
    """Change variables for this process and for the programs it starts."""
    environ["PATH"] = outside(environ.get("PATH", os.defpath), work_tree)
    git = GitProcess(work_tree, environ)
    names = git.output("config", "--null", "--name-only", "--get-regexp", _FILTERS, allow=(0, 1)).split("\0")
    filters = {name: "false" if name.endswith(".required") else "" for name in sorted(set(names)) if name}
    environ.update(_in_environment({**_GIT_SETTINGS, **filters}, environ.get("GIT_CONFIG_COUNT", "")))


def outside(search_path: str, work_tree: Path) -> str:
    """Return a ``PATH`` without relative folders and without those of a work tree.

    A workflow that adds ``node_modules/.bin`` to its ``PATH`` would otherwise let the change choose its git.
    """
    tree = os.path.realpath(work_tree)
    folders = (folder for folder in search_path.split(os.pathsep) if os.path.isabs(folder))
    return os.pathsep.join(f for f in folders if not Path(os.path.realpath(f)).is_relative_to(tree))


def _in_environment(settings: Mapping[str, str], count: str) -> dict[str, str]:
    """Settings for every git, after those that the caller has put into the environment."""
    start = int(count) if count.isdecimal() else 0
    variables = {"GIT_CONFIG_COUNT": str(start + len(settings))}
    for number, (key, value) in enumerate(settings.items(), start):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables
