"""Passwords of containers that a CI job or a development set-up starts for itself: they open nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wardround.lazy import LazyPattern
from wardround_secrets.detection.assignments import Assignment
from wardround_secrets.detection.passwords import denotes_password

_PIPELINES = LazyPattern(
    r"(?:^|/)\.(?:github|gitea|forgejo)/workflows/[^/]+$|(?:^|/)\.circleci/"
    r"|(?:^|/)(?:\.gitlab-ci|\.travis|\.drone|\.woodpecker|bitbucket-pipelines|azure-pipelines)[^/]*$"
)
_FOR_DEVELOPMENT = LazyPattern(
    r"(?:^|/)(?=[^/]*compose[^/]*$)(?:[^/]*[._-])?(?:dev|devel|development|local|ci)\b[^/]*$"
    r"|(?:^|/)(?:dev|development|local)/(?:docker-)?compose[^/]*$"
)
_SERVICES = LazyPattern(r"^([ \t]*)(?:- )?services:[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_INITIAL = LazyPattern(
    r"(?:^|_)(?:POSTGRES(?:QL)?|MYSQL(?:_ROOT)?|MARIADB(?:_ROOT)?|(?:MSSQL_)?SA|RABBITMQ_DEFAULT"
    r"|MONGO_INITDB_ROOT|MINIO_ROOT|PG)_?PASS(?:WORD)?$"
)
"""Variables from which images of databases set the password of a new instance."""


def passwords_of(path: str, text: str, assignments: Iterable[Assignment]) -> frozenset[str]:
    """Return the passwords of the containers that a pipeline or a Compose file for development starts."""
    if "services:" not in text or not (_PIPELINES.search(path) or _FOR_DEVELOPMENT.search(path)):
        return frozenset()
    blocks = list(_blocks(text))
    return frozenset(
        assignment.value
        for assignment in assignments
        if denotes_password(assignment.name)
        and (_INITIAL.search(assignment.name) or any(start < assignment.start < end for start, end in blocks))
    )


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each block under a key ``services``: until a line that is indented less."""
    for key in _SERVICES.finditer(text):
        after: re.Match[str] | None = re.compile(rf"^[ \t]{{0,{len(key[1])}}}[^\s#-]", re.MULTILINE).search(
            text, key.end()
        )
        yield key.end(), after.start() if after else len(text)
