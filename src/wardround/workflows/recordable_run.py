"""A run as a record can keep it: without secrets, paths of the machine and addresses, in a fixed order."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.change.encoding import escape_undecodable
from wardround.change.repository import Repository
from wardround.change.snapshot import scratch_root
from wardround.context.run_evidence import RunEvidence
from wardround.lazy import LazyPattern
from wardround.text.redaction import beginning, redact_literals, redact_secrets

_FREE_TEXTS = {
    "detail": 400, "mutation_problem": 400, "excerpt": 2_000, "call": 500, "returned": 500, "raised": 500,
    "arguments": 500, "printed": 500, "part": 500, "before": 200, "after": 200,
}  # fmt: skip
"""Fields whose text the code under test can choose -> the maximum number of characters in a record."""
_OF_CODE = frozenset({"call", "part", "returned", "raised", "arguments"})
"""Those with values as source code shows them."""
_MOST_EXCERPTS = 100
_TREE = "/tree/"
"""The folder of the tree in the sandbox."""
_ADDRESS = LazyPattern(r"\b0x[0-9a-fA-F]{5,16}\b")
_ORDER = {
    "tests": ("id",), "lines": ("path",), "delta": ("path",), "not_compared": ("path", "function"),
    "unnoticed": ("path", "line", "before", "after"), "differences": ("path", "line", "call"),
    "compared": ("path", "function"),
}  # fmt: skip


class MachineFolders(msgspec.Struct, frozen=True):
    """The folders of this machine whose paths no record may have.

    Attributes:
        names: folder -> what replaces it, the longest folder first.
        trees: matches the folder of a tree that ran without a sandbox.
    """

    names: Mapping[str, str]
    trees: re.Pattern[str]

    def without(self, text: str) -> str:
        """Return a text with paths relative to these folders."""
        text = self.trees.sub("", text.replace(_TREE, ""))
        for folder, name in self.names.items():
            text = text.replace(folder, name)
        return text


def machine_folders(repository: Repository, environ: Mapping[str, str]) -> MachineFolders:
    """Return the folders of the repository, of Python and of the user."""
    folders = {str(repository.root): ".", str(repository.git_dir): ".git", sys.prefix: "<python>"}
    folders |= {sys.base_prefix: "<python>", str(Path.home()): "~"}
    if active := environ.get("VIRTUAL_ENV"):
        folders[active] = "<python>"
    usable = {folder: name for folder, name in folders.items() if len(Path(folder).parts) > 2}
    scratch = re.escape(str(scratch_root(repository.root)))
    return MachineFolders(
        dict(sorted(usable.items(), key=lambda pair: -len(pair[0]))), re.compile(rf"{scratch}/[^/\s]+/tree/?")
    )


def recordable(run: RunEvidence, folders: MachineFolders) -> RunEvidence:
    """Return the run as a record can keep it."""
    return msgspec.convert(_order_lists(_clean(msgspec.to_builtins(run), "", folders)), RunEvidence)


def _clean(value: Any, field: str, folders: MachineFolders) -> Any:
    if isinstance(value, str):
        return _read_field(value, field, folders)
    if isinstance(value, Mapping):
        return {name: _clean(part, name, folders) for name, part in value.items()}
    if isinstance(value, Sequence):
        return [_clean(part, field, folders) for part in value]
    return value


def _read_field(text: str, field: str, folders: MachineFolders) -> str:
    text = escape_undecodable(text)
    limit = _FREE_TEXTS.get(field)
    if limit is None:
        return text
    head, separator, rest = text.partition("(") if field == "call" else ("", "", text)
    redacted = redact_literals if field in _OF_CODE else redact_secrets
    clean = redacted(_ADDRESS.sub("0x...", folders.without(rest)))
    return head + separator + _shorten(clean, limit, from_end=field == "excerpt")


def _shorten(text: str, limit: int, *, from_end: bool) -> str:
    """Return the beginning of a text, or the end of an excerpt, whose last line is the failure."""
    if len(text) <= limit:
        return text
    return text[-limit:].partition("\n")[2] or "***" if from_end else f"{beginning(text, limit)}..."


def _order_lists(run: dict[str, Any]) -> dict[str, Any]:
    """Return the run with its lists in an order that does not depend on the run, and few excerpts."""
    for part in run.values():
        for name, keys in _ORDER.items():
            if part is not None and part.get(name):
                part[name].sort(key=lambda item, keys=keys: [item[key] for key in keys])
    tests = run["tests"] or {}
    with_excerpt = [test for test in tests.get("tests", ()) if test["excerpt"]]
    for test in with_excerpt[_MOST_EXCERPTS:]:
        test["excerpt"] = ""
    return run
