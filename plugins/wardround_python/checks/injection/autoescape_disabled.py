"""PY349."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, SuggestedFix
from wardround.languages.python.literals import entries, literal
from wardround_python.check import PythonCheck

_MAKO = frozenset({"mako.lookup.TemplateLookup", "mako.template.Template"})
_ENGINES = LazyPattern(
    r"(^|\.)(tornado\.web\.Application|tornado\.template\.\w+|django\.template\.(context\.)?(Request)?Context|"
    r"Jinja2Templates|TemplateLoader)$"
)
_PAGES = LazyPattern(
    r"(?i)html|flask|django|pyramid|starlette|fastapi|tornado|response|\bweb\b|bottle|cherrypy"
)
_TOLD = "values go into the pages as they are"
_NO_PAGES = LazyPattern(
    r"(?i)(^|[/_])(mails?|emails?|sql|codegen|scaffold|generat\w*|configs?|latex|docs?)([/_.]|$)"
)


class AutoescapeDisabled(PythonCheck):
    """The templates of pages put values in as they are.

    A name or a comment with a script in it then runs in the browser of whoever looks at the page. Switch
    escaping on for all templates, and mark the few values that hold markup of your own.
    """

    ID = "PY349"
    NAME = "autoescape-disabled"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "html-injection"
    WORDS = ("autoescape", "mako")
    VALID = [
        code("""
            from mako.lookup import TemplateLookup
            from pyramid.response import Response
            lookup = TemplateLookup(directories=['t'], default_filters=['h'])
        """),
        code("""
            from mako.template import Template
            print(Template('-- ${name}').render(name='x'))
        """),
    ]
    INVALID = [
        code("""
            from mako.lookup import TemplateLookup
            from pyramid.response import Response
            lookup = «TemplateLookup(directories=['t'])»
        """),
        code(
            """
            «app.jinja_env.autoescape = False»
            """,
            fixed="""
            app.jinja_env.autoescape = True
            """,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _NO_PAGES.search(source.path)

    def visit_Assign(self, node: ast.Assign) -> None:
        is_off = literal(self.module, node.value) is False
        if is_off and any(isinstance(t, ast.Attribute) and t.attr == "autoescape" for t in node.targets):
            self.report(self.module.span(node), _TOLD, self._switched_on(node.value))

    def visit_Dict(self, node: ast.Dict) -> None:
        value = entries(node).get("autoescape")
        if value is not None and literal(self.module, value) is False:
            self.report(self.module.span(value), _TOLD, self._switched_on(value))

    def _switched_on(self, value: ast.expr) -> SuggestedFix | None:
        return self.fix(value, lambda one: one.expression(value, "True"), "escape values")

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name in _MAKO:
            self._look_at_mako(node)
        elif _ENGINES.search(name):
            for keyword in node.keywords:
                is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value in {None, False}
                if keyword.arg == "autoescape" and is_off:
                    self.report(self.module.span(keyword), _TOLD, self._default(keyword))

    def _default(self, keyword: ast.keyword) -> SuggestedFix | None:
        return self.fix(keyword, lambda one: one.without_keyword(keyword), "escape values, as is the default")

    def _look_at_mako(self, node: ast.Call) -> None:
        """Mako escapes nothing unless it is told to."""
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        filters = given.get("default_filters")
        is_escaping = filters is not None and (
            not isinstance(filters, ast.List)
            or any(literal(self.module, one) in {"h", "html_escape", "x"} for one in filters.elts)
        )
        if not is_escaping and None not in given and _PAGES.search(self.source.text):
            self.report(self.module.span(node), "Mako escapes nothing unless default_filters has 'h'")
