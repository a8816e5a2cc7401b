"""TS351."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.analysis.call_options import CallOption, report_options
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ON = LazyPattern(r"^true$")
_OFF = LazyPattern(r"^false$")
_SAME = LazyPattern(r"^\(?\s*(?P<one>\w+)(:\s*\w+)?\s*\)?(:\s*\w+)?\s*=>\s*(String\()?(?P=one)\)?$")
_ENGINES = LazyPattern(
    r"(?i)nunjucks|swig|\beta\b|handlebars|hbs|\bejs\b|mustache|\bdot\b|liquid|twig|squirrelly"
)
_MARKED_UP = LazyPattern(r"(?i)escape|saniti|purif|encode|\bsafe|trusted")
_PLAIN = LazyPattern(r"^(string|number|true|false|null|undefined|template_string)$")


class AutoescapeDisabled(TreeCheck):
    """A template engine no longer escapes what it fills in.

    Text that people wrote then becomes markup of the page, scripts included. Leave escaping on, and mark
    the few pieces that are markup, after they were escaped or cleaned.
    """

    ID = "TS351"
    NAME = "autoescape-disabled"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "html-injection"
    WORDS = ("autoescape", "autoEscape", "noEscape", "SafeString", "escape")
    ALSO = (("njucks", "swig", "eta", "andlebars", "hbs", "ejs", "ustache", "dot", "liquid", "twig"),)
    VALID = [
        code("""
            const nunjucks = require('nunjucks');
            nunjucks.configure('views', { autoescape: true });
        """),
        code("""
            const Handlebars = require('handlebars');
            Handlebars.registerHelper('link', (url) => {
              const href = Handlebars.escapeExpression(url);
              return new Handlebars.SafeString(`<a href="${href}">here</a>`);
            });
        """),
    ]
    INVALID = [
        code("""
            const nunjucks = require('nunjucks');
            nunjucks.configure('views', { «autoescape: false» });
        """),
        code(r"""
            const Handlebars = require('handlebars');
            Handlebars.registerHelper('at', (text) => {
              const html = String(text).replace(/@(\w+)/g, '<b>$1</b>');
              return «new Handlebars.SafeString(html)»;
            });
        """),
    ]
    SETTINGS = (
        CallOption("autoescape", _OFF, _ENGINES, "what templates fill in is no longer escaped"),
        CallOption("autoEscape", _OFF, _ENGINES, "what templates fill in is no longer escaped"),
        CallOption("noEscape", _ON, _ENGINES, "what this template fills in is not escaped"),
        CallOption("escape", _SAME, _ENGINES, "what templates fill in is no longer escaped"),
    )

    def check(self) -> None:
        report_options(self, self.SETTINGS)
        for name, node, arguments in self.reader.calls():
            is_markup = name.endswith("SafeString") and node.type == "new_expression" and arguments
            if is_markup and not self._is_harmless(node, arguments[0]):
                self.report_node(node, "what is filled in here is taken for markup, and nothing escaped it")

    def counts(self, node: Node) -> bool:
        """Texts that are no pages, as subjects of mails, are not escaped."""
        return ".txt" not in self.source.text

    def _is_harmless(self, node: Node, given: Node) -> bool:
        """Whether it is a text of the program, or something in the helper escapes or cleans it."""
        found = self.reader.scope.resolved(given)
        if _PLAIN.search(found.type) and "${" not in self.text(found):
            return True
        function = self.reader.function_around(node)
        said = self.text(function if function is not None else found)
        return _MARKED_UP.search(said.replace("SafeString", "")) is not None
