"""The kind of a file by its path and text."""

from __future__ import annotations

import enum
import re

from wardround.lazy import LazyPattern
from wardround.text.globs import matches_whole


class FileKind(enum.StrEnum):
    """The kinds of files that this specialist reviews."""

    DOCKERFILE = "dockerfile"
    COMPOSE = "compose"
    WORKFLOW = "github-workflow"
    ACTION = "github-action"
    DEPENDABOT = "dependabot"
    PRE_COMMIT = "pre-commit"
    GITLAB_CI = "gitlab-ci"
    JENKINSFILE = "jenkinsfile"
    SHELL = "shell"
    KUBERNETES = "kubernetes"
    HELM_VALUES = "helm-values"
    HELM_TEMPLATE = "helm-template"


SHELLS = ("sh", "bash", "dash", "ksh", "ksh93", "mksh", "ash", "bats")
"""The programs of a ``#!`` line whose scripts shellcheck can parse."""

_BY_NAME: tuple[tuple[FileKind, tuple[str, ...]], ...] = (
    (
        FileKind.DOCKERFILE,
        (
            "dockerfile", "containerfile", "*.dockerfile", "*.containerfile",
            "dockerfile.*", "containerfile.*", "dockerfile-*", "containerfile-*",
        ),
    ),
    (FileKind.ACTION, ("action.yml", "action.yaml")),
    (
        FileKind.COMPOSE,
        tuple(
            f"{stem}.{ending}"
            for stem in ("docker-compose", "docker-compose[.-]*", "compose", "compose[.-]*")
            for ending in ("yml", "yaml")
        ),
    ),
    (FileKind.PRE_COMMIT, (".pre-commit-config.yaml", ".pre-commit-hooks.yaml")),
    (FileKind.GITLAB_CI, (".gitlab-ci.yml", ".gitlab-ci.yaml", "*.gitlab-ci.yml", "*.gitlab-ci.yaml")),
    (FileKind.JENKINSFILE, ("jenkinsfile", "jenkinsfile.*", "jenkinsfile-*", "*.jenkinsfile")),
    (FileKind.SHELL, ("*.sh", "*.bash", "*.bats", "*.ksh")),
)  # fmt: skip
_BY_FOLDER: tuple[tuple[FileKind, LazyPattern], ...] = (
    (FileKind.WORKFLOW, LazyPattern(r"(?:.*/)?\.github/workflows/[^/]+\.ya?ml")),
    (FileKind.DEPENDABOT, LazyPattern(r"(?:.*/)?\.github/dependabot\.ya?ml")),
    (FileKind.GITLAB_CI, LazyPattern(r"(?:.*/)?\.gitlab(?:-ci|/ci)/.+\.ya?ml")),
)
_NOT_ITSELF = LazyPattern(
    r"\.(?:dockerignore|containerignore|template|tmpl|tpl|j2|jinja2?|erb|mustache|hbs|gotmpl|em|in|m4|ejs|njk"
    r"|md|txt|rst|py|js|ts|go|rs|rb|json|patch|diff|orig|bak|html|lock)$",
    re.IGNORECASE,
)
"""Suffixes of files about a file of that name, or of templates for it."""
_MANIFEST = tuple(
    LazyPattern(pattern, re.MULTILINE)
    for pattern in (r"^(?:- )?apiVersion:\s*\S", r"^(?:- |  )?kind:\s*[A-Z\"']")
)
_PIPELINE = LazyPattern(
    r"^[ \t]*(?:pipeline|node|podTemplate)[ \t]*(?:\([^)\n]*\)[ \t]*)?\{"
    r"|^[ \t]*(?:with(?:Credentials|Env)|stage)[ \t]*\("
    r"|^[ \t]*sh[ \t]*(?:\([ \t]*)?(?:script:[ \t]*)?['\"]",
    re.MULTILINE,
)
"""Text that distinguishes a pipeline, or a step of a shared library, from other Groovy."""
_CHART = LazyPattern(r"(?:^|/)(?:charts?|helm\w*|[\w-]+-chart)/")
_TEMPLATE = LazyPattern(r"(?:^|/)templates/")
_VALUES = LazyPattern(r"^(?:replicaCount|podSecurityContext|nameOverride|imagePullSecrets):", re.MULTILINE)
_FILLED_IN = LazyPattern(r"^[^#\n]*\{\{[-\s.$]", re.MULTILINE)


def kind_of(path: str, text: str) -> FileKind | None:
    """Return the kind of a file; None if this specialist does not review it.

    The name decides if it is specific. Another YAML file is a Kubernetes manifest if it has its keys, Groovy
    is a pipeline if it contains pipeline steps, and a file without an extension is a script by its ``#!``
    line.
    """
    kind = _kind_by_name(path)
    if kind is FileKind.SHELL:
        return kind if _is_for_a_shell(text, otherwise=True) else None
    return kind if kind is not None else _kind_by_content(path, text)


def _kind_by_content(path: str, text: str) -> FileKind | None:
    name = path.rpartition("/")[2]
    if name.endswith((".yml", ".yaml")):
        return _kind_of_yaml(path, text)
    if name.endswith((".groovy", ".jenkins", ".pipeline")):
        return FileKind.JENKINSFILE if _PIPELINE.search(text) else None
    return FileKind.SHELL if "." not in name and _is_for_a_shell(text, otherwise=False) else None


def _kind_of_yaml(path: str, text: str) -> FileKind | None:
    is_values = path.rpartition("/")[2].startswith("values")
    if is_values and (_CHART.search(path) or _VALUES.search(text)):
        return FileKind.HELM_VALUES
    if not all(part.search(text) for part in _MANIFEST):
        return None
    if _FILLED_IN.search(text):
        return FileKind.HELM_TEMPLATE if _TEMPLATE.search(path) else None
    return FileKind.KUBERNETES


def _kind_by_name(path: str) -> FileKind | None:
    for kind, pattern in _BY_FOLDER:
        if pattern.fullmatch(path):
            return kind
    name = path.rpartition("/")[2].lower()
    if _NOT_ITSELF.search(name):
        return None
    return next((kind for kind, globs in _BY_NAME if matches_whole(name, globs)), None)


def _is_for_a_shell(text: str, *, otherwise: bool) -> bool:
    """Return True if the ``#!`` line names a supported shell; ``otherwise`` without such a line."""
    if not text.startswith("#!"):
        return otherwise
    words = text.split("\n", 1)[0][2:].split()
    names = [word.rpartition("/")[2] for word in words]
    if names and names[0] == "env":
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    return bool(names) and names[0] in SHELLS
