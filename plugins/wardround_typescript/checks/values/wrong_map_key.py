"""TS046: wrong map key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_NAMED = LazyPattern(r"^[a-z]\w*?By(?P<key>[A-Z]\w*)$")
_BY = LazyPattern(r"(?:^|\.)(?:keyBy|groupBy|indexBy|countBy|uniqBy|sortBy|orderBy)$")
_PATH = LazyPattern(r"^[\w$]+(?:\??\.[\w$]+)+$")
_SHAPED = LazyPattern(r"^\.(?:toLowerCase|toUpperCase|trim|toString|slice|valueOf)\(")
_ALIKE = {
    "email": "mail",
    "mail": "email",
    "key": "",
    "uuid": "id",
    "uid": "id",
    "ids": "id",
    "name": "title",
    "slug": "",
}


class WrongMapKey(TreeCheck):
    """A collection that is named after its key is filled under another key.

    A lookup in ``usersById`` by id finds nothing, or another user. Rename the collection after its key.
    """

    ID = "TS046"
    NAME = "wrong-map-key"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "misleading-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("By",)
    ALSO = (("new Map(", "fromEntries(", "keyBy(", "groupBy(", "indexBy("),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const usersById = new Map(users.map((user) => [user.id, user]));
        """),
        code("""
            const usersByEmail = new Map(users.map((u) => [u.email.toLowerCase(), u]));
        """),
    ]
    INVALID = [
        code("""
            const «usersByExternalId» = new Map(users.map((u) => [u.email.toLowerCase(), u]));
        """),
        code("""
            const «rowsByStatus» = keyBy(rows, 'owner');
        """),
    ]

    def check(self) -> None:
        code = self.code
        for declarator in code.kinds("variable_declarator"):
            name = declarator.child_by_field_name("name")
            match = _NAMED.search(code.text(name)) if name is not None and name.type == "identifier" else None
            if name is None or match is None:
                continue
            for key in self._keys(declarator.child_by_field_name("value")):
                if not _matches_name(key, match["key"]):
                    self.report_node(
                        name,
                        f"key {key} does not match the name of the collection; rename it or use the "
                        "right key",
                    )

    def _keys(self, value: Node | None) -> Iterator[str]:
        """Yield the path of the key of a collection, if it can be read."""
        from wardround.languages.script.code import bare

        code = self.code
        value = bare(value)
        if value is None or value.type not in ("call_expression", "new_expression"):
            return
        if value.type == "call_expression" and _BY.search(code.called(value)):
            yield from self._key_of_grouping(value)
        elif (code.field(value, "constructor") or code.called(value)) in ("Map", "Object.fromEntries"):
            yield from self._key_of_entries(value)

    def _key_of_grouping(self, call: Node) -> Iterator[str]:
        """Yield the key of ``keyBy(rows, "id")``."""
        from wardround.languages.script.code import FUNCTIONS, argument

        key = argument(call, 1)
        if key is not None and key.type == "string":
            yield f"x.{self.code.text(key)[1:-1]}"
        elif key is not None and key.type in FUNCTIONS:
            yield from self._path(key.child_by_field_name("body"))

    def _key_of_entries(self, call: Node) -> Iterator[str]:
        """Yield the key of ``new Map(rows.map((row) => [row.id, row]))``."""
        from wardround.languages.script.code import FUNCTIONS, argument, bare

        mapped = bare(argument(call, 0))
        if (
            mapped is None
            or mapped.type != "call_expression"
            or not self.code.called(mapped).endswith(".map")
        ):
            return
        function = argument(mapped, 0)
        if function is None or function.type not in FUNCTIONS:
            return
        pair = bare(function.child_by_field_name("body"))
        if pair is not None and pair.type == "array" and pair.named_children:
            yield from self._path(pair.named_children[0])

    def _path(self, node: Node | None) -> Iterator[str]:
        """Return a chain of fields, without a final call that only formats the text."""
        text = self.code.text(node)
        head, dot, shape = text.rpartition(".")
        path = head if _SHAPED.search(f"{dot}{shape}") else text
        if _PATH.search(path):
            yield path


def _matches_name(path: str, key: str) -> bool:
    """Return True if the fields of a path contain a word that the name states for the key."""
    from wardround.text.stemming import stem
    from wardround.text.tokens import parts

    fields = {stem(word) for field in path.replace("?", "").split(".")[1:] for word in parts(field)}
    wanted = {stem(word) for word in parts(key)}
    alike = {stem(_ALIKE.get(word, word)) for word in parts(key)}
    return bool(fields & (wanted | alike)) or not wanted or _is_short_for(key.lower(), path.lower())


def _is_short_for(short: str, text: str) -> bool:
    """Return True if all letters of a word occur in a text in order: ``ws`` for workspace."""
    at = 0
    for letter in short:
        at = text.find(letter, at) + 1
        if not at:
            return False
    return True
