from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_docker_ci.check import COMPOSE, DOCKERFILE, GITLAB, KUBERNETES, WORKFLOW, CiCheck
from wardround_docker_ci.models.image_reference import ImageName, image_name, is_filled_in


class LoosenedImagePin(CiCheck):
    """A change replaces a pinned image version by a moving tag.

    A digest or a full version is the same image tomorrow; a tag such as `3-slim` moves with every push to it,
    so the next build may differ without a change here. Keep the version, and its digest if it had one.
    """

    ID = "DC222"
    NAME = "loosened-image-pin"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "image-pin-loosened"
    KINDS = DOCKERFILE | COMPOSE | KUBERNETES | GITLAB | WORKFLOW
    VALID = [
        code(
            """
            FROM a:1.3.0
            """,
            base="""
            FROM a:1.2.9
            """,
        ),
        code(
            """
            FROM a:1.2
            """,
            base="""
            FROM a:1.1
            """,
        ),
    ]
    INVALID = [
        code(
            """
            FROM «a:1-slim»
            """,
            base="""
            FROM a:1.2.3-slim
            """,
        ),
        code(
            """
            FROM «x/a:1.2»
            """,
            base="""
            FROM x/a:1.2@sha256:cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
            """,
        ),
    ]

    def run(self) -> None:
        base = self.source.base_text
        if base is None or base == self.source.text:
            return
        for image in self.file.images:
            name = image_name(image.reference)
            if not is_filled_in(image.reference) and not name.digest and name.tag not in ("", "latest"):
                former = _former_pin(name, base)
                if former:
                    message = f'{name.name} was pinned to "{former[:40]}" before this change; keep the pin'
                    self.report_at(image.start, image.end, message)


def _is_looser(current: str, tag: str, digest: str) -> bool:
    """Return True if a tag matches more versions than the former one; another version is deliberate."""
    new, old = _version(current), _version(tag)
    return bool(new) and (bool(digest) or (len(new) < len(old) and old[: len(new)] == new))


def _version(tag: str) -> list[str]:
    """Return the leading numbers of a version tag; none for the name of a commit."""
    found = re.match(r"v?(\d{1,5}(?:\.\d+)*)(?:[-_][A-Za-z][\w.-]*)?$", tag)
    return found.group(1).split(".") if found is not None else []


def _former_pin(name: ImageName, base: str) -> str:
    """Return the tag and digest that an image had if its new tag is looser; empty otherwise."""
    written = re.findall(rf"(?<![\w./-]){re.escape(name.name)}:([\w.-]+)(@sha256:\w+)?", base)
    is_unchanged = any(tag == name.tag and not digest for tag, digest in written)
    if not written or is_unchanged or not all(_is_looser(name.tag, *pin) for pin in written):
        return ""
    return "".join(written[0])
