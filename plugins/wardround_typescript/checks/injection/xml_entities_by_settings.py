from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

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


class XmlEntitiesBySettings(TreeCheck):
    """An XML parser expands external entities.

    With ``noent`` or ``dtdload`` the author of the document includes files of the server or responses from
    its network, or exhausts the server with nested entities. Disable both options.
    """

    ID = "TS342"
    NAME = "xml-entities-by-settings"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "xml-external-entities"
    WORDS = ("libxml", "noent", "replaceEntities", "xml2json", "node-expat", "processEntities")
    VALID = [
        code("""
            const libxmljs = require('libxmljs2');
            const OPTIONS = { noent: false, dtdload: false, nonet: true };
            libxmljs.parseXml(xml, OPTIONS);
        """),
        code("""
            const libxmljs = require('libxmljs');
            libxmljs.parseXml(xml);
        """),
    ]
    INVALID = [
        code("""
            import { spawn } from 'node:child_process';
            const FLAGS = ['--format', '--noent', '-'];
            const child = «spawn('xmllint', FLAGS)»;
        """),
        code("""
            const libxml = require('libxmljs');
            function parse(source, { external = false } = {}) {
              return «libxml.parseXmlString(source, { dtdload: external, replaceEntities: external })»;
            }
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            if name.rpartition(".")[2] in _STARTS and self._is_xmllint(arguments):
                self.report_node(
                    node,
                    "xmllint expands external entities, which include files of the server; remove the option",
                )
            if name.rpartition(".")[2] in _PARSES and "libxml" in name.lower() and len(arguments) > 1:
                for option in _READS:
                    value = self.reader.option(arguments[1], option)
                    if value is not None and self.text(value) not in {"false", "0", "undefined"}:
                        self.report_node(
                            node,
                            "parser expands external entities, which include files of the server; "
                            "disable the option",
                        )
                        break

    def _is_xmllint(self, arguments: list[Node]) -> bool:
        given = [self.reader.scope.resolve(argument) for argument in arguments[:2]]
        words = " ".join(
            self.text(argument)
            for argument in given
            if argument.type in {"string", "template_string", "array"}
        )
        return "xmllint" in words and ("--noent" in words or "--loaddtd" in words)
