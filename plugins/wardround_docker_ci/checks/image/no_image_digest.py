from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_docker_ci.check import DOCKERFILE, CiCheck
from wardround_docker_ci.models.image_reference import image_name, is_filled_in


class NoImageDigest(CiCheck):
    """An image is referenced by a tag, which its owner can move.

    The same commit can then build from other bytes than before. Add the digest to the tag:
    `python:3.12-slim@sha256:...`, and let a bot update it.
    """

    ID = "DC008"
    NAME = "no-image-digest"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    OFF = "Few projects pin digests; those that do can enable the rule."
    KINDS = DOCKERFILE
    VALID = [
        code("""
            FROM alpine:3.20@sha256:0000
        """),
        code("""
            FROM alpine
        """),
    ]
    INVALID = [
        code("""
            FROM «alpine:3.20»
        """),
        code("""
            FROM alpine:3.20@sha256:0 AS a
            FROM «node:22»
        """),
    ]

    def run(self) -> None:
        for image in self.file.images:
            name = image_name(image.reference)
            if not is_filled_in(image.reference) and name.tag not in ("", "latest") and not name.digest:
                self.report_at(
                    image.start,
                    image.end,
                    f"{name.name}:{name.tag} can be moved to another image; add its digest",
                )
