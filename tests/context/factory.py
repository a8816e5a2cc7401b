"""Contexts of changes that are given as a diff, without git."""

from __future__ import annotations

from pathlib import Path

from tests.variants import specialist
from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext, build_context
from wardround.change.change_source import PatchChangeSource
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config, Layer
from wardround.host import PluginHost
from wardround.specialists import Specialist

PYTHON = specialist("python", ("*.py",))
ANY_TEXT = specialist("text", (), reviews_all_text=True)
ADDED = "--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{count} @@\n{lines}"


def added(path: str, text: str) -> str:
    """A diff that adds a file."""
    lines = text.splitlines(keepends=True)
    return ADDED.format(path=path, count=len(lines), lines="".join(f"+{line}" for line in lines))


def modified(path: str, before: str, after: str) -> str:
    """A diff that replaces the only line of a file."""
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{before}\n+{after}\n"


def renamed(before: str, after: str) -> str:
    """A diff that renames a file with one line, and adds a second line."""
    return (
        f"diff --git a/{before} b/{after}\nrename from {before}\nrename to {after}\n"
        f"--- a/{before}\n+++ b/{after}\n@@ -1 +1,2 @@\n x = 1\n+y = 2\n"
    )


def context(
    root: Path,
    *diffs: str,
    specialists: tuple[Specialist, ...] = (PYTHON,),
    request: ReviewRequest | None = None,
    exclude: tuple[str, ...] = (),
) -> ReviewContext:
    """The context of a change; the folder ``root`` has the old versions."""
    source = PatchChangeSource("".join(diffs), root)
    layers = (Layer("", ".wardround.toml", {"exclude": exclude}),) if exclude else ()
    config = Config(layers=layers, specialists=specialists)
    host = PluginHost(specialists)
    return build_context(ChangeUnderReview(source, source.change, host, request or ReviewRequest(), config))
