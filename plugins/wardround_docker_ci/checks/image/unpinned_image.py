"""DC007."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
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
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.image_reference import image_name, is_filled_in, is_moving

_LATEST_BY_DEFAULT = LazyPattern(
    r"\bimage:[^\n]*\{\{[^\n}]*\b(default[ \t]+[\"'](?:latest|master|main)[\"'])"
)

_DEFINITIONS = ("*ockerfile*", "*.yml", "*.yaml", "Jenkinsfile*")


class UnpinnedImage(CiCheck):
    """An image is taken by no tag, or by one without a version, so every build may get another one.

    The build that passed and the one that ships are then made from different things, and a broken or hostile
    push to the registry arrives unseen. Name a version, best with its digest.
    """

    ID = "DC007"
    NAME = "unpinned-image"
    PLANE = Plane.SEMANTIC
    DEFECT_CLASS = "image-latest-tag"
    TRIED_ON = (
        "trees of 79 repositories: 175 hits; 885 commits of 28 that touch such files: 92; 40 read, "
        "all true; images of charts, mounts and steps, in 85: 11 more, all true; defaults of "
        "templates, in 27: none; 500 commits of ten more: 9, 8 of a channel that a variable replaces, left "
        "out since, and one of a job that another workflow has as well, left out too"
    )
    KINDS = DOCKERFILE | COMPOSE | GITLAB | JENKINS | KUBERNETES | STEPS | HELM | TEMPLATE
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("services:\n  a:\n    image: acme/shop:${RELEASE:-stable}\n", path="compose.yml"),
        Valid("FROM alpine:3.20\nFROM scratch\n", path="Dockerfile"),
        Valid("ARG BASE\nFROM ${BASE}\n", path="Dockerfile"),
        Valid("ARG V=3.20\nFROM alpine:$V AS a\nFROM a\n", path="Dockerfile"),
        Valid("ARG X=Build\nFROM alpine:3.20 AS build\nFROM ${X}\n", path="Dockerfile"),
        Valid("ARG V=slim\nFROM alpine:3.20 AS base-slim\nFROM base-$V AS last\n", path="Dockerfile"),
        Valid("FROM debian:bookworm-slim\nFROM ubuntu:noble\nFROM x/base:jammy\n", path="Dockerfile"),
        Valid("FROM gcr.io/distroless/static-debian12:nonroot\n", path="Dockerfile"),
        Valid("FROM localhost:5000/app@sha256:0000\n", path="Dockerfile"),
        Valid("services:\n  web:\n    build: .\n    image: web\n", path="compose.yml"),
        Valid("test:\n  image: $CI_REGISTRY_IMAGE\n  script: make\n", path=".gitlab-ci.yml"),
        Valid(  # the nightly run has had the same one for long
            "on: push\njobs:\n  a:\n    services:\n      mail:\n        image: axllent/mailpit:latest\n"
            "    steps: []\n",
            path=".github/workflows/probe.yml",
            others={
                ".github/workflows/night.yml": "jobs:\n  b:\n    services:\n      post:\n"
                "        image: axllent/mailpit:latest\n"
            },
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on: push\njobs:\n  a:\n    steps:\n      - uses: docker://koalaman/shellcheck:stable\n",
            line=5,
            column=15,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "image:\n  repository: ghcr.io/a/b\n  tag: latest\n",
            line=3,
            column=8,
            path="charts/a/values-prod.yaml",
        ),
        Invalid("services:\n  a:\n    image: redis:${TAG:-latest}\n", line=3, column=12, path="compose.yml"),
        Invalid(
            "FROM a:1\nRUN --mount=type=bind,from=ghcr.io/astral-sh/uv:latest,target=/uv true\n",
            line=2,
            column=28,
            path="Dockerfile",
        ),
        Invalid("FROM alpine\n", line=1, column=6, path="Dockerfile"),
        Invalid(
            "FROM --platform=linux/amd64 localhost:5000/app AS a\n", line=1, column=29, path="Dockerfile"
        ),
        Invalid("ARG V=latest\nFROM alpine:${V}\n", line=1, column=7, path="Dockerfile"),
        Invalid("ARG BASE=docker.io/ubuntu\nFROM ${BASE} AS a\n", line=1, column=10, path="Dockerfile"),
        Invalid(
            "FROM a:1\nCOPY --from=ghcr.io/x/uv:latest /uv /bin/\n", line=2, column=13, path="Dockerfile"
        ),
        Invalid("FROM node:lts-slim\n", line=1, column=6, path="Dockerfile"),
        Invalid("ARG X=build\nFROM $X\nFROM alpine:3.20 AS build\n", line=1, column=7, path="Dockerfile"),
        Invalid("FROM mcr.microsoft.com/playwright:jammy\n", line=1, column=6, path="Dockerfile"),
        Invalid(
            "a:\n  services:\n    - name: docker:dind\n  script: make\n",
            line=3,
            column=13,
            path=".gitlab-ci.yml",
        ),
        Invalid("services:\n  db:\n    image: postgres\n", line=3, column=12, path="compose.yml"),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    container: 'node:latest'\n    steps: []\n",
            line=5,
            column=17,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "a:\n  image:\n    name: node:latest\n  script: make\n", line=3, column=11, path=".gitlab-ci.yml"
        ),
        Invalid(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    image: nginx:latest\n",
            line=6,
            column=12,
            path="pod.yaml",
        ),
        Invalid(
            "node { docker.image('maven').inside { sh 'mvn' } }\n", line=1, column=22, path="Jenkinsfile"
        ),
        Invalid(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
            '      - name: a\n        image: a:{{ .Values.tag | default "latest" }}\n',
            8,
            35,
            path="charts/a/templates/a.yaml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    container: axllent/mailpit:latest\n    steps: []\n",
            line=4,
            column=16,
            path=".github/workflows/probe.yml",
            others={".github/workflows/night.yml": "jobs:\n  b:\n    container: axllent/mailpit:v1.21\n"},
        ),
    ]

    def run(self) -> None:
        for found in _LATEST_BY_DEFAULT.finditer(self.file.text) if self.file.kind in TEMPLATE else ():
            said = "without a tag in the values this is whatever was pushed last; take the chart's appVersion"
            self.report_at(found.start(1), found.end(1), said, severity=Severity.INFO)
        for image in self.file.images:
            reference = _by_default(image.reference)
            if is_filled_in(reference) or image.built or reference == "scratch":
                continue
            name = image_name(reference)
            moves = is_moving(name)
            if name.digest or not (moves or name.tag in ("", "latest")):
                continue
            said = (
                f'"{name.tag}" is whatever was pushed last' if name.tag else "has no tag, which means latest"
            )
            is_choice = image.chosen or reference != image.reference
            if is_choice and moves and name.tag != "latest":
                continue  # a channel of releases that whoever runs it can leave
            # The services of a job are thrown away with it, and many want to hear of what is new.
            is_slight = is_choice or moves or self.file.kind is FileKind.WORKFLOW
            if is_slight and self._stood_before(image.reference):
                continue
            severity = Severity.INFO if is_slight else None
            self.report_at(image.start, image.end, f"{name.name} {said}; name a version", severity=severity)

    def _stood_before(self, reference: str) -> bool:
        """Whether the project took the very same one before this change, here or in another file."""
        if _names(self.source.read_base() or "", reference):
            return True
        project, name = self.source.project, image_name(reference).name.rpartition("/")[2]
        others = project.files_with_word([name], _DEFINITIONS) if name else ()
        return any(
            _names(project.read(path) or "", reference)
            for path in others
            if path != self.source.path and not self.source.is_changed(path)
        )


def _names(text: str, reference: str) -> bool:
    """Whether a text has an image by its whole reference."""
    return re.search(rf"(?<![\w./:@-]){re.escape(reference)}(?![\w./:@-])", text) is not None


def _by_default(reference: str) -> str:
    """A reference with the tag it has where nobody sets its variable: ``redis:${TAG:-latest}``."""
    name, colon, tag = reference.rpartition(":${")
    found = re.fullmatch(r"\w+:?-([\w.-]+)\}", tag) if colon and "$" not in name else None
    return f"{name}:{found.group(1)}" if found is not None else reference
