"""Image references: registry, name, tag, digest."""

from __future__ import annotations

from msgspec import Struct


class ImageName(Struct, frozen=True):
    """A parsed reference; ``tag`` and ``digest`` are empty if absent."""

    name: str
    tag: str
    digest: str

    @property
    def short(self) -> str:
        """The last part of the name: ``postgres`` of ``docker.io/library/postgres``."""
        return self.name.rpartition("/")[2].lower()


def image_name(reference: str) -> ImageName:
    """Parse a reference; a colon before the last slash is a port."""
    rest, _, digest = reference.strip().removeprefix("docker://").partition("@")
    folder, slash, last = rest.rpartition("/")
    name, _, tag = last.partition(":")
    return ImageName(folder + slash + name, tag, digest)


_MOVING = frozenset(
    {
        "stable", "edge", "nightly", "lts", "current", "mainline", "rolling", "main", "master", "canary",
        "next", "dev", "devel", "develop", "unstable", "testing", "sid", "alpine", "slim", "dind",
        "rootless", "git", "cli", "fpm", "apache", "tip", "head", "trunk", "staging", "production", "prod",
    }
)  # fmt: skip


_CODENAMES = frozenset(
    {
        "buster", "bullseye", "bookworm", "trixie", "forky", "bionic", "focal", "jammy", "noble", "resolute",
        "xenial", "trusty",
    }
)  # fmt: skip
_OF_A_DISTRIBUTION = ("debian", "ubuntu", "buildpack-deps", "base", "raspbian", "devuan")


def is_moving(name: ImageName) -> bool:
    """Return True if a tag is a release line or variant without a version: ``lts-slim``, ``dind``.

    ``latest`` is not included.
    The codename of a distribution's release is a version of the distribution only: it is one in
    ``debian:bookworm`` and not in ``python:bookworm``.
    """
    words = _MOVING | (frozenset() if any(d in name.name for d in _OF_A_DISTRIBUTION) else _CODENAMES)
    return bool(name.tag) and all(part in words for part in name.tag.lower().split("-"))


def is_filled_in(reference: str) -> bool:
    """Return True if the reference contains a variable or a template."""
    return any(sign in reference for sign in ("$", "{{", "%", "<", "@@"))
