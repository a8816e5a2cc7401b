"""Which files of a repository are words about its code, and which of those tell what was once so."""

from __future__ import annotations

import enum
import re

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import RepositoryView

_READ_AT_MOST = 500
"""With more files of words, git is asked which of them hold a name."""


class WordFile(enum.StrEnum):
    """What a file of words is for."""

    PROSE = "prose"
    """Read by people."""
    EXAMPLE = "example"
    """Lists the variables a program reads, to be copied and filled in."""
    COMMANDS = "commands"
    """Runs programs and gives them variables."""


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
    """What a file is for; None for code, for what others wrote, and for what tells of other versions."""
    if _FOREIGN.search(path):
        return None
    if _EXAMPLE.search(path):
        return WordFile.EXAMPLE
    if _COMMANDS.search(path):
        return WordFile.COMMANDS
    return WordFile.PROSE if _PROSE.search(path) and not _PAST.search(path) else None


def is_documentation(path: str) -> bool:
    """Whether what stands in a file cannot be what makes a name mean something."""
    return bool(_EXAMPLE.search(path) or _COMMANDS.search(path) or _PROSE.search(path) or _PAST.search(path))


def word_files(project: RepositoryView, naming: frozenset[str]) -> list[tuple[str, WordFile]]:
    """The files of words of the reviewed tree, by path.

    Args:
        naming: the files that hold one of the names asked for, as far as git was asked about them.
    """
    kinds = ((path, kind_of_words(path)) for path in project.paths(("*",)))
    found = [(path, kind) for path, kind in kinds if kind is not None]
    return [one for one in found if one[0] in naming] if len(found) > _READ_AT_MOST else found
