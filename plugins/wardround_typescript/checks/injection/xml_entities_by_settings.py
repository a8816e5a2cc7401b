"""TS342."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.analysis.call_options import ServerCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PARSES = frozenset(
    {
        "parseXml",
        "parseXmlString",
        "parseXmlAsync",
        "parseString",
        "fromXml",
        "parse",
        "SaxParser",
        "parseHtml",
    }
)
_STARTS = frozenset({"spawn", "spawnSync", "execFile", "execFileSync", "exec", "execSync", "execa"})
_READS = ("noent", "replaceEntities", "dtdload", "expandEntities")


class XmlEntitiesBySettings(ServerCheck):
    """The parser reads what the document names: files of the server, addresses inside its network.

    With noent or dtdload whoever sends the document has them put into what you read, or keeps the server busy
    with entities in entities. Leave both off.
    """

    ID = "TS342"
    NAME = "xml-entities-by-settings"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "xml-external-entities"
    WORDS = ("libxml", "noent", "replaceEntities", "xml2json", "node-expat", "processEntities")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const libxmljs = require('libxmljs2');\n"
            "const OPTIONS = { noent: false, dtdload: false, nonet: true };\n"
            "libxmljs.parseXml(xml, OPTIONS);\n",
            path="case.ts",
        ),
        Valid(
            "const libxmljs = require('libxmljs');\nlibxmljs.parseXml(xml);\n",
            path="case.ts",
        ),
        Valid(
            "const { XMLParser } = require('fast-xml-parser');\n"
            "new XMLParser({ ignoreAttributes: false }).parse(xml);\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import { spawn } from 'node:child_process';\n"
            "const FLAGS = ['--format', '--noent', '-'];\nconst child = spawn('xmllint', FLAGS);\n",
            line=3,
            column=15,
            path="case.ts",
        ),
        Invalid(
            "const libxml = require('libxmljs');\n"
            "function parse(source, { external = false } = {}) {\n"
            "  return libxml.parseXmlString(source, { dtdload: external, replaceEntities: external });\n"
            "}\n",
            line=3,
            column=10,
            path="case.ts",
        ),
        Invalid(
            "import libxmljs from 'libxmljs2';\n"
            "const PARSE = { noblanks: true, noent: true };\n"
            "export const parse = (text) => libxmljs.parseXml(text, PARSE);\n",
            line=3,
            column=32,
            path="case.ts",
        ),
        Invalid(
            "import libxmljs from 'libxmljs2';\n"
            "const doc = libxmljs.parseXmlString(String(req.body.metadata), { replaceEntities: true });\n",
            line=2,
            column=13,
            path="case.ts",
        ),
    ]

    def look(self) -> None:
        for name, node, arguments in self.calls():
            if name.rpartition(".")[2] in _STARTS and self._is_xmllint(arguments):
                self.say(node, "xmllint puts in what the document names, files of the server among it")
            if name.rpartition(".")[2] in _PARSES and "libxml" in name.lower() and len(arguments) > 1:
                for option in _READS:
                    value = self.option(arguments[1], option)
                    if value is not None and self.text(value) not in {"false", "0", "undefined"}:
                        self.say(
                            node, "the parser puts in what the document names, files of the server among it"
                        )
                        break

    def _is_xmllint(self, arguments: list[Node]) -> bool:
        given = [self.scope.resolved(one) for one in arguments[:2]]
        words = " ".join(
            self.text(one) for one in given if one.type in {"string", "template_string", "array"}
        )
        return "xmllint" in words and ("--noent" in words or "--loaddtd" in words)
