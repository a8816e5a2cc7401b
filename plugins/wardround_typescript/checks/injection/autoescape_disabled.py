from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
    """A template engine does not escape interpolated values.

    User text becomes markup of the page, scripts included. Keep escaping enabled, and mark the few values
    that are markup after they were escaped or sanitized.
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
        CallOption("autoescape", _OFF, _ENGINES, "template values are not escaped; enable autoescape"),
        CallOption("autoEscape", _OFF, _ENGINES, "template values are not escaped; enable autoEscape"),
        CallOption("noEscape", _ON, _ENGINES, "values of this template are not escaped; remove noEscape"),
        CallOption(
            "escape", _SAME, _ENGINES, "template values are not escaped; keep the default escape function"
        ),
    )

    def check(self) -> None:
        if ".txt" not in self.source.text:  # text that is not HTML, such as the subject of a mail
            report_options(self, self.SETTINGS)
        for name, node, arguments in self.reader.calls():
            is_markup = name.endswith("SafeString") and node.type == "new_expression" and arguments
            if is_markup and not self._is_harmless(node, arguments[0]):
                self.report_node(node, "value is treated as markup without being escaped; escape it first")

    def _is_harmless(self, node: Node, value: Node) -> bool:
        """Return True for a constant, or if the helper escapes or sanitizes the value."""
        value = self.reader.scope.resolve(value)
        if _PLAIN.search(value.type) and "${" not in self.text(value):
            return True
        function = self.reader.function_around(node)
        text = self.text(function if function is not None else value)
        return _MARKED_UP.search(text.replace("SafeString", "")) is not None
