"""TS037: object ids compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    pass

_ID = LazyPattern(r"\._id$")
_MAYBE_ID = LazyPattern(
    r"(?:\.|^)(?:_id|\w*Id|id|owner|author|user|creator|createdBy|sender|member|sub)$|^req\.(?:params|query|body)\."
)
_SHOWN = LazyPattern(r"(?m)^\s*import\b.*['\"](?:react|vue|svelte)['\"]")
_DOCUMENTS = LazyPattern(r"\bObjectId\b|\.findById(?:And[A-Z]\w+)?\(|\.populate\(|\.lean\(\)")
_PACKAGES = ('"mongoose"', '"mongodb"', '"@typegoose/typegoose"')


class ObjectIdsCompared(TreeCheck):
    """MongoDB ids are compared as objects, which are never identical.

    Each document that is read has its own ``_id`` object, so ``===`` is false for equal ids and ``!==`` true:
    an ownership check rejects everyone, or no one. Use ``a._id.equals(b._id)``.
    """

    ID = "TS037"
    NAME = "object-ids-compared"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "useless-comparison"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (".ts", ".js", ".mjs", ".cjs", ".mts", ".cts")
    WORDS = ("._id ",)
    ALSO = (("=== ", "!== ", "== ", "!= "),)
    CASE_PATH = "a.js"
    VALID = [
        code("""
            import mongoose from 'mongoose';
            if (a._id.equals(b._id)) stop();
            if (String(a._id) === String(b._id)) stop();
            if (a._id === null || a.ref._id === undefined) go();
        """),
        code("""
            if (a._id === b._id) stop();
        """),
    ]
    INVALID = [
        code("""
            const mongoose = require('mongoose');
            if («user._id === req.user._id») stop();
        """),
        code(
            """
            const { User } = require('../models');
            if («post.author !== req.user._id» && !admin) stop();
            """,
            path="api/src/a.js",
            others={
                "api/package.json": '{"dependencies": {"mongoose": "8"}}',
            },
        ),
    ]

    def check(self) -> None:
        if not self._is_of_mongo():
            return
        for node in self.code.kinds("binary_expression"):
            if self.code.field(node, "operator") not in ("===", "!==", "==", "!="):
                continue
            left, right = (self.code.field(node, side).replace("?.", ".") for side in ("left", "right"))
            if any(_ID.search(a) and _MAYBE_ID.search(b) for a, b in ((left, right), (right, left))):
                self.report_node(node, "ids are objects and never identical; use equals")

    def _is_of_mongo(self) -> bool:
        text = self.source.text
        if any(f"{package[1:-1]}'" in text or package in text for package in _PACKAGES):
            return True
        if _SHOWN.search(text):
            return False
        if _DOCUMENTS.search(text):
            return True
        return any(any(one in text for one in _PACKAGES) for text in self._packages())

    def _packages(self) -> Iterator[str]:
        """Return the package.json that governs the file."""
        folder = self.source.path.rpartition("/")[0]
        while True:
            text = self.source.project.read(f"{folder}/package.json" if folder else "package.json")
            if text is not None:
                yield text
                return
            if not folder:
                return
            folder = folder.rpartition("/")[0]
