from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_WHOLE = LazyPattern(
    r"^(__dirname|process\.cwd\(\)|import\.meta\.dirname|os\.homedir\(\)|homedir\(\)|['\"`](\.|\./|/|\.\."
    r"|\.\./|~)['\"`])$"
    r"|^(path\.)?(join|resolve)\(\s*((__dirname|process\.cwd\(\)"
    r"|import\.meta\.dirname)\s*)?(,?\s*['\"]\.{1,2}/?['\"]\s*)*\)$"
)
_MODULES = LazyPattern(r"(^|[/'\"`])node_modules/?['\"`]\s*\)?$")
_STATIC = frozenset(
    {"express.static", "serve-static", "koa-static", "serve-static.default", "sirv", "koa-static.default"}
)
_PLUGINS = frozenset({"@fastify/static", "fastify-static", "@fastify/static.default"})


class SourceFilesServed(TreeCheck):
    """Source or configuration files of the program are publicly served.

    Serving a folder exposes everything in it besides the pages: sources, settings with passwords, directory
    listings. Keep public files in a separate folder, and serve that.
    """

    ID = "TS353"
    NAME = "source-files-served"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "files-exposed"
    WORDS = ("static", "serveIndex", "serve-index", "sirv")
    VALID = [
        code("""
            const express = require('express');
            app.use(express.static(path.join(__dirname, 'public')));
        """),
        code("""
            import express from 'express';
            app.use('/lib', express.static('node_modules/swagger-ui-dist'));
        """),
    ]
    INVALID = [
        code("""
            const express = require('express');
            app.use(«express.static(__dirname)»);
        """),
        code("""
            import express from 'express';
            const ROOT = path.join(__dirname, '..');
            app.use('/files', «express.static(ROOT)»);
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            if not arguments:
                continue
            if name in _STATIC:
                self._check_served_folder(node, arguments[0], arguments[1] if len(arguments) > 1 else None)
            elif name in {"serve-index", "serve-index.default"}:
                self.report_node(node, "anyone can list the files of this folder; disable the listing")
            elif (
                name.endswith("register")
                and self.reader.scope.qualified_name(arguments[0]) in _PLUGINS
                and len(arguments) > 1
            ):
                root = self.reader.option(arguments[1], "root")
                if root is not None:
                    self._check_served_folder(node, root, arguments[1])

    def _check_served_folder(self, node: Node, folder: Node, options: Node | None) -> None:
        if _WHOLE.search(self.text(self.reader.scope.resolve(folder))):
            self.report_node(
                node, "source and settings of the program are served; serve a separate public folder"
            )
        elif _MODULES.search(self.text(self.reader.scope.resolve(folder))):
            self.report_node(
                node, "all installed packages are served; serve single files or a bundle", Severity.INFO
            )
        elif options is not None and self.reader.literal(self.reader.option(options, "dotfiles")) == "allow":
            self.report_node(node, "dotfiles such as .env are served; remove this option")
