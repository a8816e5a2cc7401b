"""The declarations of tools that concern the files of any specialist, read without an import of the tools.

Specialists name their tools lazily. The declarations are read once and cached on disk until a source file of
the tools or of their specialist changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround import __version__
from wardround.lazy import LazySequence, package_state
from wardround.specialists import Specialist
from wardround.storage.digest import sha256
from wardround.storage.memo import memoize_on_disk
from wardround.tools.excluded_files import ExcludedFiles
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.tool import Tool


class ToolDeclarations(msgspec.Struct, frozen=True, array_like=True):
    """Declarations of the tools of one specialist, and of its own."""

    ignore_comments: tuple[IgnoreComment, ...] = ()
    excluded_files: tuple[ExcludedFiles, ...] = ()


def declarations(specialists: Sequence[Specialist]) -> Sequence[ToolDeclarations]:
    """Return, in order, the ignore comments and excluded files that each specialist and its tools declare."""
    lazy = [specialist for specialist in specialists if isinstance(specialist.tools, LazySequence)]
    cached = iter(_cached_declarations(lazy))
    found = []
    for specialist in specialists:
        of_tools = (
            next(cached)
            if isinstance(specialist.tools, LazySequence)
            else _tool_declarations(specialist.tools)
        )
        own = specialist.ignore_comments
        found.append(msgspec.structs.replace(of_tools, ignore_comments=(*of_tools.ignore_comments, *own)))
    return found


def _cached_declarations(specialists: Sequence[Specialist]) -> Sequence[ToolDeclarations]:
    name = sha256("\n".join(_states(specialists)).encode("utf-8", "surrogateescape")).hexdigest()
    return memoize_on_disk(
        "tools",
        name,
        lambda: tuple(_tool_declarations(specialist.tools) for specialist in specialists),
        tuple[ToolDeclarations, ...],
    )


def _states(specialists: Iterable[Specialist]) -> Iterator[str]:
    """Yield texts that change with the sources of the tools and of their specialists."""
    yield __version__
    yield package_state("wardround.tools")
    for specialist in specialists:
        yield specialist.name
        yield package_state(type(specialist).__module__)
        if isinstance(specialist.tools, LazySequence):
            yield package_state(specialist.tools.module)


def _tool_declarations(tools: Sequence[Tool]) -> ToolDeclarations:
    return ToolDeclarations(
        tuple(comment for tool in tools for comment in tool.ignore_comments),
        tuple(setting for tool in tools for setting in tool.excluded_files),
    )
