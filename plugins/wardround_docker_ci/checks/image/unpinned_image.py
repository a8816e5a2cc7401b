from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import (
    COMPOSE,
    DOCKERFILE,
    GITLAB,
    HELM,
    JENKINS,
    KUBERNETES,
    STEPS,
    TEMPLATE,
    CiCheck,
)
from wardround_docker_ci.contents.images import Image
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.image_reference import ImageName, image_name, is_filled_in, is_moving

_LATEST_BY_DEFAULT = LazyPattern(
    r"\bimage:[^\n]*\{\{[^\n}]*\b(default[ \t]+[\"'](?:latest|master|main)[\"'])"
)

_DEFINITIONS = ("*ockerfile*", "*.yml", "*.yaml", "Jenkinsfile*")


class UnpinnedImage(CiCheck):
    """An image has no tag, or one without a version, so every build may use another image.

    The tested and the deployed build then differ, and a broken or malicious push to the registry is used
    without review. Pin a version, preferably with its digest.
    """

    ID = "DC007"
    NAME = "unpinned-image"
    SEVERITY = Severity.INFO
    PLANE = Plane.SEMANTIC
    DEFECT_CLASS = "image-latest-tag"
    KINDS = DOCKERFILE | COMPOSE | GITLAB | JENKINS | KUBERNETES | STEPS | HELM | TEMPLATE
    VALID = [
        code(
            """
            services:
              a:
                image: acme/shop:${RELEASE:-stable}
            """,
            path="compose.yml",
        ),
        code("""
            FROM alpine:3.20
            FROM scratch
        """),
    ]
    INVALID = [
        code(
            """
            on: push
            jobs:
              a:
                steps:
                  - uses: «docker://koalaman/shellcheck:stable»
            """,
            path=".github/workflows/a.yml",
        ),
        code(
            """
            image:
              repository: ghcr.io/a/b
              tag: «latest»
            """,
            path="charts/a/values-prod.yaml",
        ),
    ]

    def run(self) -> None:
        for found in _LATEST_BY_DEFAULT.finditer(self.file.text) if self.file.kind in TEMPLATE else ():
            message = "without a tag in the values this is the newest push; default to the chart's appVersion"
            self.report_at(found.start(1), found.end(1), message, severity=Severity.INFO)
        for image in self.file.images:
            reference = _fill_default_tag(image.reference)
            if not (is_filled_in(reference) or image.built or reference == "scratch"):
                self._check(image, image_name(reference), reference)

    def _check(self, image: Image, name: ImageName, reference: str) -> None:
        if name.digest or not _has_newest(name):
            return
        is_choice = image.chosen or reference != image.reference
        if is_choice and _is_release_channel(name):
            return
        is_minor = is_choice or self._may_move(name)
        if is_minor and self._had_same_reference(image.reference):
            return
        severity = Severity.INFO if is_minor else None
        message = f"{name.name} {_state_of(name)}; pin a version"
        self.report_at(image.start, image.end, message, severity=severity)

    def _may_move(self, name: ImageName) -> bool:
        # A job's service containers are temporary, and many projects want them to be up to date.
        return is_moving(name) or self.file.kind is FileKind.WORKFLOW

    def _had_same_reference(self, reference: str) -> bool:
        """Return True if the project used the same reference before this change, in any file."""
        if _contains_image(self.source.read_base() or "", reference):
            return True
        project, name = self.source.project, image_name(reference).name.rpartition("/")[2]
        others = project.files_with_word([name], _DEFINITIONS) if name else ()
        return any(
            _contains_image(project.read(path) or "", reference)
            for path in others
            if path != self.source.path and not self.source.is_changed(path)
        )


def _is_release_channel(name: ImageName) -> bool:
    return is_moving(name) and name.tag != "latest"


def _has_newest(name: ImageName) -> bool:
    return is_moving(name) or name.tag in ("", "latest")


def _state_of(name: ImageName) -> str:
    return f'with tag "{name.tag}" is the newest push' if name.tag else "has no tag, so it is latest"


def _contains_image(text: str, reference: str) -> bool:
    """Return True if a string contains an image by its full reference."""
    return re.search(rf"(?<![\w./:@-]){re.escape(reference)}(?![\w./:@-])", text) is not None


def _fill_default_tag(reference: str) -> str:
    """Return a reference with the default of its tag: ``redis:${TAG:-latest}``."""
    name, colon, tag = reference.rpartition(":${")
    found = re.fullmatch(r"\w+:?-([\w.-]+)\}", tag) if colon and "$" not in name else None
    return f"{name}:{found.group(1)}" if found is not None else reference
