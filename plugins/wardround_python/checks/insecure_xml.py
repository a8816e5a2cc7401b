"""PY331."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround_python.check import PythonCheck

_EXTERNAL = frozenset({"feature_external_ges", "feature_external_pes"})
_OPENING = {
    "resolve_entities": True,
    "load_dtd": True,
    "no_network": False,
    "huge_tree": True,
    "dtd_validation": True,
}


class InsecureXml(PythonCheck):
    """The parser follows what the document tells it to load.

    An entity in a crafted document then names a file of this machine or an internal address, and its content
    comes back in the answer. Leave entities and DTDs off; ``defusedxml`` does so everywhere.
    """

    ID = "PY331"
    NAME = "insecure-xml"
    WORDS = ("resolve_entities", "load_dtd", "no_network", "feature_external", "dtd_validation", "huge_tree")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "xml-external-entities"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding; "
        "widened, over twenty-eight trees of 1.3 million lines: none"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from lxml import etree\nparser = etree.XMLParser(resolve_entities=False, no_network=True)\n",
        "from xml.sax.handler import feature_external_ges\ndef read(reader):\n"
        "    reader.setFeature(feature_external_ges, False)\n",
        "from lxml import etree\nparser = etree.XMLParser(remove_blank_text=True)\n",
        "def parse(resolve_entities=True):\n    return build(resolve_entities=True)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from lxml import etree\ndef parser():\n    options = {}\n"
            "    options.update(load_dtd=True, no_network=False)\n    return etree.XMLParser(**options)\n",
            4,
            5,
        ),
        Invalid("from lxml import etree\nparser = etree.XMLParser(resolve_entities=True)\n", 2, 10),
        Invalid("from lxml import etree\nparser = etree.XMLParser(huge_tree=True)\n", 2, 10),
        Invalid(
            "from lxml import etree\n"
            "for _, node in etree.iterparse(source, load_dtd=True):\n    print(node)\n",
            2,
            16,
        ),
        Invalid(
            "from xml.sax.handler import feature_external_ges\ndef read(reader):\n"
            "    reader.setFeature(feature_external_ges, True)\n",
            3,
            5,
        ),
        Invalid(
            "from lxml import etree\nOPEN = {'resolve_entities': True}\nparser = etree.XMLParser(**OPEN)\n",
            3,
            10,
        ),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.dotted(node.func) or ""
        if name.rpartition(".")[2] == "setFeature" and len(node.args) == 2:
            feature = (self.module.dotted(node.args[0]) or "").rpartition(".")[2]
            is_on = isinstance(node.args[1], ast.Constant) and bool(node.args[1].value)
            if feature in _EXTERNAL and is_on:
                self.report(self.module.span(node), "the parser loads whatever the document names")
        elif name.rpartition(".")[2] in {"update", "dict", "setdefault"} and self._names_parser(node):
            if any(keyword.arg is not None and self._opens(keyword) for keyword in node.keywords):
                self.report(self.module.span(node), "the parser loads whatever the document names")
        elif name.startswith("lxml.") and any(self._opens(keyword) for keyword in node.keywords):
            self.report(self.module.span(node), self._told(node))

    def _told(self, node: ast.Call) -> str:
        opening = {keyword.arg for keyword in node.keywords if self._opens(keyword)}
        if opening == {"huge_tree"}:
            return "a small document may grow to gigabytes here: the parser's limits are off"
        return "the parser loads whatever the document names"

    def _names_parser(self, node: ast.Call) -> bool:
        """Whether a mapping that is made or filled here is handed to a parser of lxml as its options."""
        name = node.func.value if isinstance(node.func, ast.Attribute) else None
        parent = self.module.parents[node]
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            name = parent.targets[0]
        if not isinstance(name, (ast.Name, ast.Attribute)):
            return False
        spread = f"**{ast.unparse(name)}"
        return any(
            isinstance(one, ast.Call)
            and "Parser" in ast.unparse(one.func)
            and any(
                keyword.arg is None and f"**{ast.unparse(keyword.value)}" == spread
                for keyword in one.keywords
            )
            for one in self.module.nodes
        )

    def _opens(self, keyword: ast.keyword) -> bool:
        if keyword.arg is None:
            return any(_is_open(key, value) for key, value in self._spread(keyword.value))
        return _is_open(keyword.arg, keyword.value)

    def _spread(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        if isinstance(node, ast.Name):
            made = [
                one.value
                for one in self.module.nodes
                if isinstance(one, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == node.id for target in one.targets)
            ]
            node = made[0] if len(made) == 1 else node
        if not isinstance(node, ast.Dict):
            return []
        pairs = zip(node.keys, node.values, strict=True)
        return [(str(key.value), value) for key, value in pairs if isinstance(key, ast.Constant)]


def _is_open(name: str, value: ast.expr) -> bool:
    wanted = _OPENING.get(name)
    return wanted is not None and isinstance(value, ast.Constant) and value.value is wanted
