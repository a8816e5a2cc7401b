"""DC222."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, GITLAB, KUBERNETES, WORKFLOW, CiCheck
from wardround_docker_ci.models.image_reference import image_name, is_filled_in


class LoosenedImagePin(CiCheck):
    """The image was fixed to a version, and the change lets it move.

    A digest or a full version is the same image tomorrow; a tag such as `3-slim` is whatever was pushed last
    under it, so the next build may differ without any change here. Keep the version, and its digest if it had
    one.
    """

    ID = "DC222"
    NAME = "loosened-image-pin"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "image-pin-loosened"
    TRIED_ON = (
        "6107 changed files in the commits of 27 repositories: 22 hits, half of them on another version, "
        "which is left out since; 8 now, true"
    )
    KINDS = DOCKERFILE | COMPOSE | KUBERNETES | GITLAB | WORKFLOW
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("FROM a:1.3.0\n", path="Dockerfile", base="FROM a:1.2.9\n"),
        Valid("FROM a:1.2\n", path="Dockerfile", base="FROM a:1.1\n"),
        Valid("FROM a:1.2\n", path="Dockerfile"),
        Valid(f"FROM a:1.2@sha256:{'b' * 64}\n", path="Dockerfile", base="FROM a:1.2.3\n"),
        Valid("FROM a:2-slim\n", path="Dockerfile", base="FROM a:1.2.3-slim\n"),
        Valid("FROM a:2\nFROM a:1.2.3\n", path="Dockerfile", base="FROM a:1\nFROM a:1.2.3\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("FROM a:1-slim\n", line=1, column=6, path="Dockerfile", base="FROM a:1.2.3-slim\n"),
        Invalid(
            "FROM x/a:1.2\n", line=1, column=6, path="Dockerfile", base=f"FROM x/a:1.2@sha256:{'c' * 64}\n"
        ),
        Invalid(
            "services:\n  d:\n    image: postgres:17\n",
            line=3,
            column=12,
            path="compose.yml",
            base="services:\n  d:\n    image: postgres:17.2\n",
        ),
    ]

    def run(self) -> None:
        base = self.source.base_text
        if base is None or base == self.source.text:
            return
        for image in self.file.images:
            name = image_name(image.reference)
            if is_filled_in(image.reference) or name.digest or name.tag in ("", "latest") or not name.tag:
                continue
            written = re.findall(rf"(?<![\w./-]){re.escape(name.name)}:([\w.-]+)(@sha256:\w+)?", base)
            if not written or any(tag == name.tag and not digest for tag, digest in written):
                continue
            if all(_is_looser(name.tag, tag, digest) for tag, digest in written):
                said = f'before the change {name.name} was fixed to "{"".join(written[0])[:40]}"'
                self.report_at(image.start, image.end, said)


def _is_looser(now: str, tag: str, digest: str) -> bool:
    """Whether a tag lets more versions in than what stood there; another version is another choice."""
    new, old = _version(now), _version(tag)
    return bool(new) and (bool(digest) or (len(new) < len(old) and old[: len(new)] == new))


def _version(tag: str) -> list[str]:
    """The numbers at the front of a tag that is a version; none for the name of a commit."""
    found = re.match(r"v?(\d{1,5}(?:\.\d+)*)(?:[-_][A-Za-z][\w.-]*)?$", tag)
    return found.group(1).split(".") if found is not None else []
