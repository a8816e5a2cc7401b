"""PY331: insecure xml."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
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
        name = self.module.dotted(node.func) or ""
        if name.rpartition(".")[2] == "setFeature" and len(node.args) == 2:
            feature = (self.module.dotted(node.args[0]) or "").rpartition(".")[2]
            is_on = isinstance(node.args[1], ast.Constant) and bool(node.args[1].value)
            parser = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            if feature in _EXTERNAL and is_on and not self._reads_own_text(parser):
                self.report(
                    self.module.span(node),
                    "the parser resolves external entities; disable them or use defusedxml",
                )
        elif name.rpartition(".")[2] in {"update", "dict", "setdefault"} and self._names_parser(node):
            if any(keyword.arg is not None and self._opens(keyword) for keyword in node.keywords):
                self.report(
                    self.module.span(node),
                    "the parser resolves external entities; disable them or use defusedxml",
                )
        elif name.startswith("lxml.") and any(self._opens(keyword) for keyword in node.keywords):
            if self._reads_own_text(node):
                return
            self.report(self.module.span(node), self._message_of(node))

    def _reads_own_text(self, parser: ast.expr) -> bool:
        """Return True if everything a parser reads is certain to be text of the module itself."""
        name: ast.expr | None = parser
        if isinstance(parser, ast.Call):
            held = self.module.parents[parser]
            name = held.targets[0] if isinstance(held, ast.Assign) else None
        function = self.module.function_of(parser)
        if not isinstance(name, ast.Name) or function is None:
            return False
        used = [
            node
            for node in walk(function)
            if isinstance(node, ast.Call) and any(_is_named(part, name.id) for part in _inputs_of(node))
        ]
        return bool(used) and all(item.args and self._is_own_text(item.args[0]) for item in used)

    def _is_own_text(self, node: ast.expr) -> bool:
        from wardround_python.dataflow.known_values import follows_from_program  # only before a report

        while isinstance(node, ast.Call):  # io.BytesIO(text.encode())
            inner = node.func.value if isinstance(node.func, ast.Attribute) else None
            is_wrapped = self.module.dotted(node.func) in {"io.BytesIO", "io.StringIO"}
            node = node.args[0] if is_wrapped and node.args else inner or ast.Name("?")
        return follows_from_program(self.module, node, self.source.project.read)

    def _message_of(self, node: ast.Call) -> str:
        opening = {keyword.arg for keyword in node.keywords if self._opens(keyword)}
        if opening == {"huge_tree"}:
            return (
                "a small document can expand to gigabytes: the parser's "
                "limits are disabled; leave huge_tree off"
            )
        return "the parser resolves external entities; disable them or use defusedxml"

    def _names_parser(self, node: ast.Call) -> bool:
        """Return True if a mapping that is created or filled here is the options of an lxml parser."""
        name = node.func.value if isinstance(node.func, ast.Attribute) else None
        parent = self.module.parents[node]
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            name = parent.targets[0]
        if not isinstance(name, (ast.Name, ast.Attribute)):
            return False
        spread = f"**{unparse(name)}"
        return any(
            isinstance(inner, ast.Call)
            and "Parser" in unparse(inner.func)
            and any(
                keyword.arg is None and f"**{unparse(keyword.value)}" == spread for keyword in inner.keywords
            )
            for inner in self.module.nodes
        )

    def _opens(self, keyword: ast.keyword) -> bool:
        if keyword.arg is None:
            return any(_is_open(key, value) for key, value in self._spread(keyword.value))
        return _is_open(keyword.arg, keyword.value)

    def _spread(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        if isinstance(node, ast.Name):
            from wardround_python.dataflow.known_value import KnownConstant
            from wardround_python.dataflow.known_values import (
                entries_of,  # few parsers have options of their own
            )

            held = entries_of(self.module, node) or {}
            if self._is_opened_elsewhere(node.id):
                return []
            if held:
                return [
                    (str(k), ast.Constant(v.value)) for k, v in held.items() if isinstance(v, KnownConstant)
                ]
            values = [
                inner.value
                for inner in self.module.nodes
                if isinstance(inner, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == node.id for target in inner.targets)
            ]
            node = values[0] if len(values) == 1 else node
        if not isinstance(node, ast.Dict):
            return []
        pairs = zip(node.keys, node.values, strict=True)
        return [(str(key.value), value) for key, value in pairs if isinstance(key, ast.Constant)]

    def _is_opened_elsewhere(self, name: str) -> bool:
        """Return True if ``name.update(...)`` is where a mapping gets the option that enables entities."""
        updates = (
            node
            for node in self.module.nodes
            if isinstance(node, ast.Call) and last_name(node.func) == "update"
        )
        return any(
            isinstance(update.func, ast.Attribute)
            and _is_named(update.func.value, name)
            and any(k.arg is not None and _is_open(k.arg, k.value) for k in update.keywords)
            for update in updates
        )


def _inputs_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call, and the receiver it reads with."""
    on = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "parse" else None
    return [*call.args, *(keyword.value for keyword in call.keywords), *([on] if on is not None else [])]


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_open(name: str, value: ast.expr) -> bool:
    expected = _OPENING.get(name)
    return expected is not None and isinstance(value, ast.Constant) and value.value is expected
