"""The navigation of the site: that of ``zensical.toml``, with the lists of generated pages."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

_FILE = "docs/site/zensical.toml"


class NavigationError(Exception):
    """The navigation and the pages do not agree."""


def fill_lists(configuration: str, lists: Mapping[str, Sequence[str]]) -> str:
    """Return a configuration in which each list of one page has all of its pages.

    Args:
        configuration: its navigation has lists such as ``["rules/index.md"]``.
        lists: path of the first page -> the paths of the further ones.
    """
    for first, others in lists.items():
        short = json.dumps([first])
        if short not in configuration:
            raise NavigationError(f"{_FILE}: nav has no list {short}; add it")
        configuration = configuration.replace(short, json.dumps([first, *others]))
    return configuration


def require_complete(configuration: str, pages: Collection[str], written: Collection[str]) -> None:
    """Require that the navigation names existing pages only, and each of those that were written by hand.

    Args:
        pages: the paths of all pages of the site.
        written: those that are not generated.

    Raises:
        NavigationError: a page is missing in one of them.
    """
    named = set(_paths(tomllib.loads(configuration)["project"]["nav"]))
    for path in sorted(named - set(pages)):
        raise NavigationError(f"{_FILE}: nav names {path}, which is not a page; correct it")
    for path in sorted(set(written) - named):
        raise NavigationError(f"{_FILE}: nav does not name {path}; add it where people look for it")


def _paths(entry: Any) -> Iterator[str]:
    match entry:
        case str():
            yield entry
        case dict():
            yield from _paths(list(entry.values()))
        case list():
            for child in entry:
                yield from _paths(child)
