"""TS037."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
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
    """Two ids of MongoDB are compared as objects, and are never the same one.

    An ``_id`` is an object of its own in every document that is read, so ``===`` is false for equal ids
    and ``!==`` true: a check of the owner refuses everybody, or stops nobody. Use
    ``a._id.equals(b._id)``.
    """

    ID = "TS037"
    NAME = "object-ids-compared"
    DEFECT_CLASS = "useless-comparison"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (".ts", ".js", ".mjs", ".cjs", ".mts", ".cts")
    WORDS = ("._id ",)
    ALSO = (("=== ", "!== ", "== ", "!= "),)
    TRIED_ON = (
        "the trees of hoppscotch, langfuse, formbricks, documenso (in part), redash, NodeBB, chatbot- "
        "ui, redux-toolkit, react-hook-form, TanStack/query, supabase/storage, lerna, chainlit and "
        "four Supabase starters (15,632 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import mongoose from 'mongoose';\nif (a._id.equals(b._id)) stop();\n"
            "if (String(a._id) === String(b._id)) stop();\n"
            "if (a._id === null || a.ref._id === undefined) go();\n",
            path="a.js",
        ),
        Valid("if (a._id === b._id) stop();\n", path="a.js"),
        Valid(
            "import React from 'react';\nif (a._id === b._id) stop();\n",
            path="a.js",
            others={"package.json": '{"dependencies": {"mongoose": "8"}}'},
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const mongoose = require('mongoose');\nif (user._id === req.user._id) stop();\n",
            path="a.js",
            line=2,
            column=5,
        ),
        Invalid(
            "const { User } = require('../models');\nif (post.author !== req.user._id && !admin) stop();\n",
            path="api/src/a.js",
            others={"api/package.json": '{"dependencies": {"mongoose": "8"}}'},
            line=2,
            column=5,
        ),
        Invalid(
            "import { Schema } from 'mongoose';\n"
            "const own = rows.filter((row) => row._id === req.params.id);\n",
            path="a.ts",
            line=2,
            column=34,
        ),
    ]

    def look(self) -> None:
        if not self._is_of_mongo():
            return
        for node in self.code.kinds("binary_expression"):
            if self.code.field(node, "operator") not in ("===", "!==", "==", "!="):
                continue
            left, right = (self.code.field(node, side).replace("?.", ".") for side in ("left", "right"))
            if any(_ID.search(a) and _MAYBE_ID.search(b) for a, b in ((left, right), (right, left))):
                self.say(node, "ids are objects, so two of them are never the same one; use equals")

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
        """The package.json that rules the file."""
        folder = self.source.path.rpartition("/")[0]
        while True:
            text = self.source.project.read(f"{folder}/package.json" if folder else "package.json")
            if text is not None:
                yield text
                return
            if not folder:
                return
            folder = folder.rpartition("/")[0]
