from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane, SuggestedFix
from wardround.languages.python.literals import entries, literal
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_MAKO = frozenset({"mako.lookup.TemplateLookup", "mako.template.Template"})
_ENGINES = LazyPattern(
    r"(^|\.)(tornado\.web\.Application|tornado\.template\.\w+|django\.template\.(context\.)?(Request)?Context|"
    r"Jinja2Templates|TemplateLoader)$"
)
_PAGES = LazyPattern(
    r"(?i)html|flask|django|pyramid|starlette|fastapi|tornado|response|\bweb\b|bottle|cherrypy"
)
_MESSAGE = "autoescaping is off, so values reach the page unescaped; enable it"
_NO_PAGES = LazyPattern(
    r"(?i)(^|[/_])(mails?|emails?|sql|codegen|scaffold|generat\w*|configs?|latex|docs?)([/_.]|$)"
)


class AutoescapeDisabled(PythonCheck):
    """Template autoescaping is disabled.

    A name or a comment that contains a script then runs in the browser of everyone who views the page. Enable
    escaping for all templates, and mark the few values that hold trusted markup.
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
            self.report(self.module.span(node), _MESSAGE, self._switched_on(node.value))

    def visit_Dict(self, node: ast.Dict) -> None:
        value = entries(node).get("autoescape")
        if value is not None and literal(self.module, value) is False:
            self.report(self.module.span(value), _MESSAGE, self._switched_on(value))

    def _switched_on(self, value: ast.expr) -> SuggestedFix | None:
        return self.fix(value, lambda edit: edit.expression(value, "True"), "escape values")

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name in _MAKO:
            self._check_mako(node)
        elif _ENGINES.search(name):
            for keyword in node.keywords:
                is_off = isinstance(keyword.value, ast.Constant) and keyword.value.value in {None, False}
                if keyword.arg == "autoescape" and is_off:
                    self.report(self.module.span(keyword), _MESSAGE, self._default(keyword))

    def _default(self, keyword: ast.keyword) -> SuggestedFix | None:
        return self.fix(
            keyword, lambda edit: edit.remove_keyword(keyword), "escape values, as is the default"
        )

    def _check_mako(self, node: ast.Call) -> None:
        """Report Mako, which does not escape by default."""
        arguments = {keyword.arg: keyword.value for keyword in node.keywords}
        filters = arguments.get("default_filters")
        is_escaping = filters is not None and (
            not isinstance(filters, ast.List)
            or any(literal(self.module, element) in {"h", "html_escape", "x"} for element in filters.elts)
        )
        if not is_escaping and None not in arguments and _PAGES.search(self.source.text):
            self.report(self.module.span(node), "Mako does not escape by default; add 'h' to default_filters")
