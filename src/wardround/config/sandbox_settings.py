"""The settings of the sandbox, which run code of the repository: only those of the base of a change apply."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Language = Literal["python", "javascript"]
SandboxBackend = Literal["auto", "bubblewrap", "namespaces", "docker", "podman"]
"""Running without isolation is not among them: only an option of the command line can choose it."""
_Mebibytes = Annotated[int, Meta(ge=1, le=1_048_576)]
_Name = Annotated[str, Meta(pattern=r"^(?!(?:PATH|HOME|TMPDIR|LD_.*)$)[A-Za-z_][A-Za-z0-9_]*$")]
"""A variable; those that the sandbox sets itself, and those of the loader, cannot be passed."""
_Image = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][\w./:@-]{0,254}$")]


_Host = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[0-9]{1,5})?$")]
_GitSource = Annotated[str, Meta(pattern=r"^https://[\w.-]+(?::[0-9]{1,5})?/[^\s@]{1,1000}$")]


class PrivateRegistry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A registry that requires a token, which only the proxy of a build gets.

    Attributes:
        url: the folder of its addresses, with ``/`` at the end.
        token: the variable of the caller with the token or password.
        user: for HTTP Basic; without one, the token is sent as ``Bearer``.
    """

    url: Annotated[
        str,
        Meta(
            pattern=r"^https://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[0-9]{1,5})?/(?:[A-Za-z0-9._~@-]{1,200}/){0,20}$"
        ),
    ]
    token: _Name
    user: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._@+-]{0,200}$")] = ""


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The most that one run may use.

    Attributes:
        wall_s: elapsed time.
        cpu_s: CPU time of all processes.
        memory_mib: resident memory of all processes.
        processes: processes and threads at a time.
        file_mib: the size of one file.
        tree_mib: the tree with its original content.
        open_files: open files of one process.
        output_mib: standard output and standard error.
    """

    wall_s: Annotated[float, Meta(gt=0, le=86_400)] = 600.0
    cpu_s: Annotated[float, Meta(gt=0, le=604_800)] = 1200.0
    memory_mib: _Mebibytes = 4096
    processes: Annotated[int, Meta(ge=1, le=65_536)] = 512
    file_mib: _Mebibytes = 512
    tree_mib: _Mebibytes = 2048
    open_files: Annotated[int, Meta(ge=16, le=1_048_576)] = 1024
    output_mib: _Mebibytes = 64


class SandboxSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The table ``sandbox``.

    Attributes:
        backend: the isolation; ``auto`` takes the first one that works.
        loopback: internet sockets work, on an interface that only the run has.
        python: the folder of a virtual environment, absolute or relative to the root of the repository;
            empty to find one.
        image: language -> image of a container engine.
        environment: names of variables that a run gets from the caller.
        registries: hosts of packages, with a port or without, to which a build of an environment may connect.
        git_sources: URL prefixes of repositories from which a build may install packages.
        private_registries: registries that require a token.
        limits: the most that one run may use.
    """

    backend: SandboxBackend = "auto"
    loopback: bool = False
    python: Annotated[str, Meta(max_length=4096)] = ""
    image: dict[Language, _Image] = {}
    environment: tuple[_Name, ...] = ()
    registries: tuple[_Host, ...] = ()
    git_sources: tuple[_GitSource, ...] = ()
    private_registries: tuple[PrivateRegistry, ...] = ()
    limits: LimitSettings = LimitSettings()

    def __post_init__(self) -> None:
        shared = {registry.token for registry in self.private_registries}.intersection(self.environment)
        if shared:
            raise ValueError(
                f"`{min(shared)}` is the token of a private registry, which no run may have; "
                "remove it from `environment`"
            )
