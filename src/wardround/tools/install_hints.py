"""How to install a missing tool, where wardround runs in the environment of a hook runner."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence

from wardround.lazy import LazyPattern
from wardround.tools.tool import install_line

_OURS = LazyPattern(r"pip install 'wardround\[([\w,-]+)\]'")
_IN_HOOK = LazyPattern(r"give the hook additional_dependencies: \['wardround\[([\w,-]+)\]'\]")
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
    return _hook_line([extra[1]])


def extra_in_hint(hint: str) -> str | None:
    """Return the extra that ``install_hint`` names; None if it names another program's installation."""
    found = _OURS.fullmatch(hint) or _IN_HOOK.fullmatch(hint)
    return None if found is None else found[1]


def hint_for_extras(extras: Collection[str]) -> str:
    """Return one line that installs all of these extras.

    What a hook lists replaces what it listed before, so the line repeats the extras that are installed.
    """
    if _runner() is None:
        return install_line(",".join(sorted(extras)))
    return _hook_line(sorted({*extras, *_installed_extras()}))


def _hook_line(extras: Sequence[str]) -> str:
    """Return the line of a hook. A runner installs it together with the hook repository, whose pins count."""
    return f"give the hook additional_dependencies: ['wardround[{','.join(extras)}]']"


def _runner() -> str | None:
    """Return the program that made this environment for a hook and runs it now."""
    if os.environ.get("PRE_COMMIT") != "1":
        return None
    return next((name for name, prefix in _RUNNERS.items() if prefix.fullmatch(sys.prefix)), None)


def _installed_extras() -> Iterator[str]:
    """Yield the extras with pinned tools whose requirements are all installed."""
    from importlib.metadata import PackageNotFoundError, metadata, requires  # slow to import, rarely needed

    for extra in metadata("wardround").get_all("Provides-Extra") or ():
        try:
            required = [*_requirements(extra, requires("wardround") or ())]
        except PackageNotFoundError:
            continue
        if any("==" in requirement for requirement in required):
            yield extra


def _requirements(extra: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the requirements of an extra.

    Raises:
        PackageNotFoundError: one of them is not installed.
    """
    from importlib.metadata import distribution

    from packaging.requirements import Requirement

    for line in lines:
        name, _, marker = line.partition(";")
        if f"extra == '{extra}'" in marker.replace('"', "'"):
            distribution(Requirement(name.strip()).name)
            yield name.strip()
