"""TS085: client open redirect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_HREF = LazyPattern(r"^((window|document|top|self|parent|globalThis)\.)?location(\.href)?$")
_GOES = LazyPattern(r"^((window|document|top|self|globalThis)\.)?location\.(assign|replace)$")
_ROUTER = LazyPattern(r"^\w*[rR]outer\.(push|replace)$")
_NEXT = LazyPattern(r"['\"]next/(navigation|router)['\"]")
_FROM_ADDRESS = LazyPattern(
    r"(?i)\b(search_?params|query_?params|url_?params|params|query|useSearchParams\(\)"
    r"|new URLSearchParams\([^()"
    r"]*(\([^()]*\))?[^()]*\))\??\.get\(\s*['\"][^'\"]*['\"]\s*\)!?$"
    r"|^(\$?route|router|useRoute\(\)|useRouter\(\)|this\.\$route)\.query\.\w+$"
    r"|^(window\.|document\.)?location\.hash(\.(slice|substring|substr)\(1\))?$"
    r"|^(window\.)?name$|^document\.referrer$"
)
_GUARDED = LazyPattern(
    r"startsWith\(|\.origin\b|\.host(name)?\b|includes\(|\.test\(|\.match\(|\.has\("
    r"|charAt\(|\[1\]|new URL\(|(?i:safe|allow|valid|sanit|internal|relative|whitelist"
    r"|known)"
)
_LEADS = frozenset({"href", "src", "action", "formAction", "xlinkHref", "srcdoc", "srcDoc"})
_PARAMETERS = LazyPattern(
    r"^(await\s+)?(useSearchParams\(|new URLSearchParams\((window\.|document\.)?location\.)"
)
_THROUGH = frozenset({"decodeURIComponent", "decodeURI", "String", "atob"})
_ELEMENTS = ("jsx_element", "jsx_self_closing_element")
_DEPTH = 4


class ClientOpenRedirect(TreeCheck):
    """The page redirects to a target from its own URL.

    The author of a link chooses the next page, for example a copy of your login, and a ``javascript:`` URL
    runs a script. Accept only paths that start with a single slash, or a list of known pages.
    """

    ID = "TS085"
    NAME = "client-open-redirect"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "open-redirect"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("location", "outer.push", "outer.replace", "href", "src")
    ALSO = (("arams", ".query.", "location.hash", "referrer"),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            function next() {
              const to = params.get('next');
              return to?.startsWith('/') && to[1] !== '/' ? to : '/';
            }
            location.assign(next());
        """),
        code("""
            const id = params.get('id');
            location.href = `/users/${id}`;
        """),
    ]
    INVALID = [
        code(
            """
            export function Back() {
              const [params] = useSearchParams();
              const back = params.get('back');
              return <a «href={back}»>Back</a>;
            }
            """,
            path="a.tsx",
        ),
        code(
            """
            const params = new URLSearchParams(location.search);
            «document.querySelector('iframe').src = params.get('page')»;
            """,
            path="a.js",
        ),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import argument

        code = self.code
        for node in code.kinds("assignment_expression"):
            if _HREF.search(code.field(node, "left")) and self._is_foreign(
                node.child_by_field_name("right"), _DEPTH
            ):
                self.report_node(
                    node, "page URL decides the redirect target; accept paths with a single slash only"
                )
        is_next = _NEXT.search(code.module.text) is not None
        for called, call in code.calls:
            if (_GOES.search(called) or (is_next and _ROUTER.search(called))) and self._is_foreign(
                argument(call, 0), _DEPTH
            ):
                self.report_node(
                    call, "page URL decides the redirect target; accept paths with a single slash only"
                )

        self._links()

    def _links(self) -> None:
        """Yield the attributes and properties of elements that navigate or load a resource."""
        for node, value in self._leading():
            if self._is_foreign(value, _DEPTH):
                self.report_node(
                    node, "page URL decides this address, which may be a javascript: URL; validate it"
                )

    def _leading(self) -> Iterator[tuple[Node, Node | None]]:
        code = self.code
        for node in code.kinds("jsx_attribute"):
            parts = node.named_children
            value = parts[1] if len(parts) == 2 and parts[1].type == "jsx_expression" else None
            if code.text(parts[0]) in _LEADS and value is not None and value.named_children:
                yield node, value.named_children[0]
        for node in code.kinds("assignment_expression"):
            left = node.child_by_field_name("left")
            name = code.field(left, "property") if left is not None else ""
            if name in _LEADS and not _HREF.search(code.text(left)):
                yield node, node.child_by_field_name("right")

    def _is_foreign(self, node: Node | None, depth: int) -> bool:
        """Return True if a value is read from the URL unchanged, without a test around it."""
        from wardround.languages.script.code import bare

        code = self.code
        one = bare(node)
        if one is None or depth == 0 or self._is_validated(one):
            return False
        text = code.text(one).replace("?.", ".")
        if one.type in ("call_expression", "member_expression") and _FROM_ADDRESS.search(text):
            return True
        if one.type == "binary_expression" and code.field(one, "operator") in ("??", "||"):
            return self._is_foreign(one.child_by_field_name("left"), depth)
        if one.type == "ternary_expression":
            return self._is_foreign(one.child_by_field_name("consequence"), depth)
        if one.type == "identifier":
            return self._is_name_foreign(one, depth)
        return one.type == "call_expression" and self._is_call_foreign(one, depth)

    def _is_call_foreign(self, call: Node, depth: int) -> bool:
        from wardround.languages.script.code import argument

        if self._reads_parameters(call):
            return True
        called = self.code.called(call)
        if called in _THROUGH:
            return self._is_foreign(argument(call, 0), depth)
        return "." not in called and self._is_result_foreign(self.code.function_of(called, call), depth)

    def _reads_parameters(self, call: Node) -> bool:
        """Return True if ``p.get("x")`` reads the URL: by the declaration of p."""
        owner, _, method = self.code.called(call).rpartition(".")
        declared = self.code.declaration(owner, call) if method == "get" and owner.isidentifier() else None
        return _PARAMETERS.search(self.code.field(declared, "value")) is not None

    def _is_result_foreign(self, function: Node | None, depth: int) -> bool:
        from wardround.languages.script.code import returned

        if function is None or _GUARDED.search(self.code.text(function)):
            return False
        return any(self._is_foreign(result, depth - 1) for result in returned(function))

    def _is_name_foreign(self, name: Node, depth: int) -> bool:
        """Return True for a variable or a parameter with such a value."""
        from wardround.languages.script.code import argument, function_around

        code = self.code
        text = code.text(name)
        value = code.value_of(text, name)
        if value is not None:
            return self._is_foreign(value, depth - 1)
        declaration, function = code.declaration(text, name), function_around(name)
        if (
            declaration is None
            or function is None
            or not declaration.type.endswith(("parameter", "identifier"))
        ):
            return False
        given = function.child_by_field_name("parameters")
        names = [code.field(one, "pattern") for one in given.named_children] if given is not None else [text]
        own = code.name_of(function)
        if not own or text not in names:
            return False
        place = names.index(text)
        return any(
            self._is_foreign(argument(call, place), depth - 1) for called, call in code.calls if called == own
        )

    def _is_validated(self, node: Node) -> bool:
        """Return True if the function around a value tests it; one in markup decides what is shown."""
        from wardround.languages.script.code import function_around

        around = function_around(node)
        text = self.code.text(around or node)
        if around is not None and not _is_in_markup(node, around):
            for element in self._markup_of(around):
                text = text.replace(self.code.text(element), "")
        return _GUARDED.search(text) is not None

    def _markup_of(self, function: Node) -> Iterator[Node]:
        """Yield the outermost elements of a function."""
        end = 0
        for element in sorted(self.code.kinds(*_ELEMENTS), key=lambda node: node.start_byte):
            if function.start_byte <= element.start_byte < function.end_byte and element.start_byte >= end:
                end = element.end_byte
                yield element


def _is_in_markup(node: Node, function: Node) -> bool:
    above: Node | None = node
    while above is not None and above != function:
        if above.type in _ELEMENTS:
            return True
        above = above.parent
    return False
