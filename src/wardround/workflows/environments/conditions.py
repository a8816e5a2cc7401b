"""The conditions under which an environment is built; none of them is from the change."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from wardround.config.sandbox_settings import PrivateRegistry
from wardround.sandbox.choices import AUTO
from wardround.sandbox.model import Limits


class BuildConditions(msgspec.Struct, frozen=True):
    """The conditions of one build.

    Attributes:
        limits: resource limits of each run of code.
        environ: the caller's environment, from which a build selects.
        isolation: ``auto`` or the name of a back end.
        registries: hosts, with a port or without, in addition to those of the caller.
        git_sources: beginnings of the addresses of packages that git fetches.
        private_registries: registries that require a token, which a variable of ``environ`` has.
        progress: called with a noun phrase before each step.
        day: the packages are those that existed on this day, as ``2021-03-31``; empty for the present ones.
    """

    limits: Limits
    environ: Mapping[str, str]
    isolation: str = AUTO
    registries: tuple[str, ...] = ()
    git_sources: tuple[str, ...] = ()
    private_registries: tuple[PrivateRegistry, ...] = ()
    progress: Callable[[str], None] = lambda _: None
    day: str = ""
