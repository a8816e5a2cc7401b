"""Base images of Dockerfiles and actions of workflows, as dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.semantics.supply_chain.dependency import Dependency, Manifest, Scope

_FROM = LazyPattern(
    r"[ \t]*FROM[ \t]+(?:--platform=\S{1,200}[ \t]+)?(\S{1,500})(?:[ \t]+AS[ \t]+(\S{1,200}))?", 2
)
_COPY_FROM = LazyPattern(r"[ \t]*COPY[ \t]+(?:--\S{1,200}[ \t]+)*?--from=(\S{1,500})", re.IGNORECASE)
_USES = LazyPattern(r"[ \t]*(?:-[ \t]+)?[\"']?uses[\"']?[ \t]*:[ \t]*[\"']?([^\s\"'#]{1,500})")
_COMMIT = LazyPattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FULL_VERSION = LazyPattern(r"v?\d{1,9}\.\d{1,9}\.\d{1,9}[\w.+-]{0,100}")
_DIGEST = LazyPattern(r"sha256:[0-9a-f]{64}")


def read_dockerfile(text: str) -> Manifest:
    """Read the images of FROM and of COPY --from; stages and images by a variable are none."""
    stages: set[str] = set()
    found: list[Dependency] = []
    for number, line in enumerate(text.split("\n"), 1):
        if (entry := _FROM.match(line[:2_000])) is not None:
            if entry[1].lower() not in stages:
                found += _image(entry[1], number)
            if entry[2]:
                stages.add(entry[2].lower())
        elif (copied := _COPY_FROM.match(line[:2_000])) is not None and copied[1].lower() not in stages:
            found += _image(copied[1], number)
    return Manifest(tuple(found))


def _image(reference: str, line: int) -> Iterator[Dependency]:
    if "$" in reference or reference == "scratch" or reference.isdigit():
        return
    rest, _, digest = reference.partition("@")
    folder, slash, last = rest.rpartition("/")
    name, _, tag = last.partition(":")
    has_digest = bool(_DIGEST.fullmatch(digest))
    is_pinned = has_digest or bool(_FULL_VERSION.fullmatch(tag))
    requirement = "@".join(part for part in (tag, digest) if part)
    name = f"{folder}{slash}{name}"
    yield Dependency(
        "docker", name, Scope.IMAGE, requirement, is_pinned=is_pinned, has_hash=has_digest, line=line
    )


def read_workflow(text: str) -> Manifest:
    """Read the actions and reusable workflows of a workflow or an action; local ones are none."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        entry = _USES.match(line[:2_000])
        if entry is None or entry[1].startswith((".", "docker://")) or "@" not in entry[1]:
            continue
        name, _, revision = entry[1].partition("@")
        is_commit = bool(_COMMIT.fullmatch(revision))
        found.append(
            Dependency(
                "github-actions",
                name.lower(),
                Scope.ACTION,
                revision,
                is_pinned=is_commit,
                has_hash=is_commit,
                line=number,
            )
        )
    return Manifest(tuple(found))
