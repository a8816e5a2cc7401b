"""The documentation files of a repository, and those of them that describe the past."""

from __future__ import annotations

import enum
import re

from wardround.change.repository_view import RepositoryView
from wardround.lazy import LazyPattern

_READ_AT_MOST = 500
"""Above this number of documentation files, git searches for those that contain a name."""


class WordFile(enum.StrEnum):
    """The purpose of a documentation file."""

    PROSE = "prose"
    """Read by people."""
    EXAMPLE = "example"
    """Lists the environment variables of a program, to be copied and filled in."""
    COMMANDS = "commands"
    """Runs programs and sets their environment variables."""


_PROSE = LazyPattern(
    r"(^|/)readme[^/]*$|\.(?:md|mdx|markdown|rst|adoc|asciidoc)$|(^|/)docs?/(?:.*/)?[^/]+\.txt$"
    r"|(^|/)man\d?/[^/]+$|(^|/)[a-z][\w-]*\.[1-8]$|(^|/)completions?/[^/]+$"
    r"|\.(?:bash|zsh|fish)[-_]?completion$|(^|/)[^/]*completion[^/]*\.(?:bash|zsh|fish|sh)$",
    re.IGNORECASE,
)
_EXAMPLE = LazyPattern(
    r"(^|/)(?:\.?env[^/]*\.(?:example|sample|template|dist|tmpl|defaults?)|(?:example|sample|template)[^/]*\.env"
    r"|\.env\.(?:example|sample|template|dist)[^/]*)$",
    re.IGNORECASE,
)
_COMMANDS = LazyPattern(
    r"(^|/)\.github/workflows/[^/]+\.ya?ml$|(^|/)(?:docker-)?compose[^/]*\.ya?ml$|(^|/)action\.ya?ml$"
    r"|(^|/)(?:dockerfile[^/]*|[^/]+\.dockerfile|containerfile[^/]*)$|(^|/)\.gitlab-ci\.yml$",
    re.IGNORECASE,
)
_PAST = LazyPattern(
    r"(^|[/._-])(?:change[sd]?|changelogs?|history|news|newsfragments?|release[-_]?notes?|releases?|what'?s?[-_]?new"
    r"|upgrad\w*|migrat\w*|deprecat\w*|announce\w*|adrs?|rfcs?|proposals?|archived?|roadmap|todo"
    r"|changesets?|breaking[-_]changes?|versioned[-_]docs|licen[cs]es?|v?\d+\.(?:\d+|x)(?:\.\w+)?)([/._-]|$)"
    r"|(^|/)(?:blogs?|posts?)/",
    re.IGNORECASE,
)
_FOREIGN = LazyPattern(
    r"(^|/)(?:node_modules|vendor|vendored|third[-_]party|site-packages|tests?|testing|testdata|__tests__|fixtures?"
    r"|snapshots?|__snapshots__|locales?|i18n)/",
    re.IGNORECASE,
)


def kind_of_words(path: str) -> WordFile | None:
    """Return the purpose of a file; None for code, for vendored files, and for files about other versions."""
    if _FOREIGN.search(path):
        return None
    if _EXAMPLE.search(path):
        return WordFile.EXAMPLE
    if _COMMANDS.search(path):
        return WordFile.COMMANDS
    return WordFile.PROSE if _PROSE.search(path) and not _PAST.search(path) else None


def is_documentation(path: str) -> bool:
    """Return True if the content of a file cannot define the meaning of a name."""
    return bool(_EXAMPLE.search(path) or _COMMANDS.search(path) or _PROSE.search(path) or _PAST.search(path))


def word_files(project: RepositoryView, naming: frozenset[str]) -> list[tuple[str, WordFile]]:
    """Return the documentation files of the reviewed tree, by path.

    Args:
        naming: the files that contain one of the requested names, as far as git searched for them.
    """
    kinds = ((path, kind_of_words(path)) for path in project.paths(("*",)))
    found = [(path, kind) for path, kind in kinds if kind is not None]
    return [file for file in found if file[0] in naming] if len(found) > _READ_AT_MOST else found
