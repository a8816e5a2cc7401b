"""Base images of Dockerfiles and actions of workflows, as dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.dependency import Dependency, Manifest, Scope

_FROM = LazyPattern(
    r"[ \t]*FROM[ \t]+(?:--platform=\S{1,200}[ \t]+)?(\S{1,500})(?:[ \t]+AS[ \t]+(\S{1,200}))?", 2
)
_ARG = LazyPattern(r"[ \t]*ARG[ \t]+(\w{1,100})=[\"']?([^\s\"']{1,300})", re.IGNORECASE)
_VARIABLE = LazyPattern(r"\$\{?(\w{1,100})\}?")
_LONGEST = 2_000
_COPY_FROM = LazyPattern(r"[ \t]*COPY[ \t]+(?:--\S{1,200}[ \t]+)*?--from=(\S{1,500})", re.IGNORECASE)
_USES = LazyPattern(r"[ \t]*(?:-[ \t]+)?[\"']?uses[\"']?[ \t]*:[ \t]*[\"']?([^\s\"'#]{1,500})")
_COMMIT = LazyPattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FULL_VERSION = LazyPattern(r"v?\d{1,9}\.\d{1,9}\.\d{1,9}[\w.+-]{0,100}")
_DIGEST = LazyPattern(r"sha256:[0-9a-f]{64}")


def read_dockerfile(text: str) -> Manifest:
    """Read the images of ``# syntax=``, FROM and COPY --from; stages and unknown variables are none."""
    stages: set[str] = set()
    arguments: dict[str, str] = {}
    found = _frontend(text)
    for number, line in enumerate((line[:_LONGEST] for line in text.split("\n")), 1):
        if (argument := _ARG.match(line)) is not None:
            arguments[argument[1]] = argument[2]
        elif (entry := _FROM.match(line)) is not None:
            if entry[1].lower() not in stages:
                found += _image(_fill_arguments(entry[1], arguments), number)
            stages.add((entry[2] or "").lower())
        elif (copied := _COPY_FROM.match(line)) is not None and copied[1].lower() not in stages:
            found += _image(_fill_arguments(copied[1], arguments), number)
    return Manifest(tuple(found))


def _frontend(text: str) -> list[Dependency]:
    """Return the image that BuildKit runs to read the file."""
    from wardround.languages.dockerfile import Dockerfile

    token = Dockerfile(text, {}, []).frontend
    return list(_image(token.text, text.count("\n", 0, token.start) + 1)) if token else []


def _fill_arguments(reference: str, arguments: Mapping[str, str]) -> str:
    """Return a reference with the defaults of its build arguments."""
    return _VARIABLE.sub(lambda found: arguments.get(found[1], found[0]), reference)


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
        entry = _USES.match(line[:_LONGEST])
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
                line=number,
            )
        )
    return Manifest(tuple(found))
