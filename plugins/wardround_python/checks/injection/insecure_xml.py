from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import assigned_values_of, constant_entries, is_named
from wardround_python.syntax.calls import called_method, passed_values

_EXTERNAL = frozenset({"feature_external_ges", "feature_external_pes"})
_OPENING = {
    "resolve_entities": True,
    "load_dtd": True,
    "no_network": False,
    "huge_tree": True,
    "dtd_validation": True,
}


_RESOLVES = "the parser resolves external entities; disable them or use defusedxml"
_UNLIMITED = "a small document can expand to gigabytes: the parser's limits are disabled; leave huge_tree off"


class InsecureXml(PythonCheck):
    """An XML parser resolves external entities.

    An entity in a crafted document then names a file of this machine or an internal address, and its content
    is returned in the response. Leave entities and DTDs disabled; ``defusedxml`` does so everywhere.
    """

    ID = "PY331"
    NAME = "insecure-xml"
    WORDS = ("resolve_entities", "load_dtd", "no_network", "feature_external", "dtd_validation", "huge_tree")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "xml-external-entities"
    VALID = [
        code("""
            from lxml import etree
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
        """),
        code("""
            from xml.sax.handler import feature_external_ges
            def read(reader):
                reader.setFeature(feature_external_ges, False)
        """),
    ]
    INVALID = [
        code("""
            from lxml import etree
            def read(text):
                options = {'no_network': True}
                options['resolve_entities'] = True
                parser = «etree.XMLParser(**options)»
                return etree.fromstring(text, parser=parser)
        """),
        code("""
            from lxml import etree
            def parser():
                options = {}
                «options.update(load_dtd=True, no_network=False)»
                return etree.XMLParser(**options)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.qualified_name(node.func) or ""
        last = name.rpartition(".")[2]
        if last == "setFeature" and len(node.args) == 2:
            self._check_feature(node)
        elif last in {"update", "dict", "setdefault"} and self._names_parser(node):
            if any(map(_is_opening, node.keywords)):
                self.report(self.module.span(node), _RESOLVES)
        elif name.startswith("lxml."):
            self._check_parser(node)

    def _check_parser(self, node: ast.Call) -> None:
        if any(map(self._is_open_keyword, node.keywords)) and not self._parses_literal_text(node):
            self.report(self.module.span(node), self._message_of(node))

    def _check_feature(self, node: ast.Call) -> None:
        """Report ``setFeature`` that lets a parser resolve external entities."""
        feature, value = node.args
        name = (self.module.qualified_name(feature) or "").rpartition(".")[2]
        if name not in _EXTERNAL or not isinstance(value, ast.Constant) or not value.value:
            return
        parser = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        if not self._parses_literal_text(parser):
            self.report(self.module.span(node), _RESOLVES)

    def _parses_literal_text(self, parser: ast.expr) -> bool:
        """Return True if everything a parser reads is certain to be text of the module itself."""
        name = self._name_of(parser)
        function = self.module.function_of(parser)
        if not isinstance(name, ast.Name) or function is None:
            return False
        reading = [
            node for node in walk(function) if isinstance(node, ast.Call) and _has_input(node, name.id)
        ]
        return bool(reading) and all(call.args and self._is_literal_text(call.args[0]) for call in reading)

    def _name_of(self, parser: ast.expr) -> ast.expr | None:
        """Return the variable that a created parser is assigned to; a named parser itself."""
        if not isinstance(parser, ast.Call):
            return parser
        statement = self.module.parents[parser]
        return statement.targets[0] if isinstance(statement, ast.Assign) else None

    def _is_literal_text(self, node: ast.expr) -> bool:
        from wardround_python.dataflow.known_values import follows_from_program  # only before a report

        while isinstance(node, ast.Call):  # io.BytesIO(text.encode())
            inner = node.func.value if isinstance(node.func, ast.Attribute) else None
            is_wrapped = self.module.qualified_name(node.func) in {"io.BytesIO", "io.StringIO"}
            node = node.args[0] if is_wrapped and node.args else inner or ast.Name("?")
        return follows_from_program(self.module, node, self.source.project.read)

    def _message_of(self, node: ast.Call) -> str:
        opening = {keyword.arg for keyword in node.keywords if self._is_open_keyword(keyword)}
        return _UNLIMITED if opening == {"huge_tree"} else _RESOLVES

    def _names_parser(self, node: ast.Call) -> bool:
        """Return True if a mapping that is created or filled here is the options of an lxml parser."""
        name = node.func.value if isinstance(node.func, ast.Attribute) else None
        parent = self.module.parents[node]
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            name = parent.targets[0]
        if not isinstance(name, (ast.Name, ast.Attribute)):
            return False
        text = unparse(name)
        calls = [inner for inner in self.module.nodes if isinstance(inner, ast.Call)]
        return any("Parser" in unparse(call.func) and _spreads_name(call, text) for call in calls)

    def _is_open_keyword(self, keyword: ast.keyword) -> bool:
        if keyword.arg is None:
            return any(_is_open(key, value) for key, value in self._spread(keyword.value))
        return _is_open(keyword.arg, keyword.value)

    def _spread(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """Return the options in a mapping that is spread into a call."""
        if isinstance(node, ast.Name):
            if self._is_opened_elsewhere(node.id):
                return []
            known = self._known_entries(node)
            if known is not None:
                return known
            values = assigned_values_of(self.module.nodes, node.id)
            node = values[0] if len(values) == 1 else node
        return constant_entries(node) if isinstance(node, ast.Dict) else []

    def _known_entries(self, name: ast.Name) -> list[tuple[str, ast.expr]] | None:
        """Return the constants of a mapping that data flow in its function knows; None if it knows none."""
        from wardround_python.dataflow.known_value import KnownConstant
        from wardround_python.dataflow.known_values import entries_of  # few parsers have options of their own

        entries = entries_of(self.module, name)
        if not entries:
            return None
        constants = ((key, value) for key, value in entries.items() if isinstance(value, KnownConstant))
        return [(str(key), ast.Constant(value.value)) for key, value in constants]

    def _is_opened_elsewhere(self, name: str) -> bool:
        """Return True if ``name.update(...)`` is where a mapping gets the option that enables entities."""
        calls = (node for node in self.module.nodes if isinstance(node, ast.Call))
        updates = (call for call in calls if called_method(call) == "update")
        return any(
            is_named(update.func.value, name) and any(map(_is_opening, update.keywords))
            for update in updates
            if isinstance(update.func, ast.Attribute)
        )


def _has_input(call: ast.Call, name: str) -> bool:
    """Return True if a call receives a name as an argument, or parses with it."""
    parser = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "parse" else None
    return any(is_named(value, name) for value in (parser, *passed_values(call)))


def _is_opening(keyword: ast.keyword) -> bool:
    return keyword.arg is not None and _is_open(keyword.arg, keyword.value)


def _spreads_name(call: ast.Call, name: str) -> bool:
    """Return True if a call gets ``**name``."""
    return any(keyword.arg is None and unparse(keyword.value) == name for keyword in call.keywords)


def _is_open(name: str, value: ast.expr) -> bool:
    expected = _OPENING.get(name)
    return expected is not None and isinstance(value, ast.Constant) and value.value is expected
