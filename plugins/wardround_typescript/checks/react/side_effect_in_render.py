from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PAGE = LazyPattern(
    r"^(?:(?:window|globalThis)\.)?(?:document\.(?:title|cookie|body\b|documentElement\b)|location\b)"
)
_DONE_TO_PAGE = LazyPattern(
    r"^(?:(?:window|globalThis)\.)?(?:(?:localStorage|sessionStorage)\.(?:setItem|removeItem|clear)"
    r"|document\.(?:body|documentElement|head)\.[\w.]*(?:add|remove|toggle|setAttribute|setProperty|appendChild)"
    r"|location\.(?:assign|replace|reload)|addEventListener|setInterval|setTimeout|alert"
    r"|scrollTo|history\.(?:pushState|replaceState))$"
    r"|^document\.addEventListener$|^(?:analytics|posthog|mixpanel|amplitude|gtag|dataLayer)(?:\.\w+)?$"
)
_LEADS = {"useNavigate": "", "useRouter": ".push .replace", "useHistory": ".push .replace", "useDispatch": ""}
_MADE_ONCE = LazyPattern(r"\.current\b|\binitiali[sz]ed\b|\btypeof window\s*={2,3}\s*['\"]undefined")
_NO_CLIENT = LazyPattern(r"(?m)^\s*['\"]use server['\"]|(^|/)(?:api|server)/")


class SideEffectInRender(TreeCheck):
    """Rendering has a side effect outside of React.

    React may render a component twice, discard a render, or render on the server without a page; the side
    effect runs each time, and before anything is shown. Move it into an effect, or into the handler of the
    event that causes it.
    """

    ID = "TS034"
    NAME = "side-effect-in-render"
    DEFECT_CLASS = "impure-render"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".tsx", ".jsx", ".js", ".ts")
    WORDS = (
        *("document.", "location", "Storage.", "addEventListener(", "setInterval(", "setTimeout("),
        *("useNavigate(", "useRouter(", "useHistory(", "useDispatch(", "analytics", "posthog", "fetch("),
    )
    ALSO = (("</", "/>", "use"),)
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            function Page({ title }) {
              useEffect(() => { document.title = title; }, [title]);
              const keep = () => localStorage.setItem('title', title);
              return <button onClick={keep}>{title}</button>;
            }
        """),
        code("""
            async function Page({ id }) {
              const row = await (await fetch(`/rows/${id}`)).json();
              return <b>{row.name}</b>;
            }
        """),
    ]
    INVALID = [
        code("""
            function Page({ title }) {
              if (title) {
                «document.title = title»;
              }
              return <h1>{title}</h1>;
            }
        """),
        code(
            """
            export const Guard = ({ user, children }) => {
              const navigate = useNavigate();
              if (!user) «navigate('/login')»;
              return <>{children}</>;
            };
            """,
            path="a.jsx",
        ),
    ]

    def check(self) -> None:
        code = self.code
        if _NO_CLIENT.search(code.module.text) or _NO_CLIENT.search(code.module.path):
            return
        seen: set[int] = set()
        for node in code.kinds("assignment_expression", "call_expression"):
            if not self._is_effect(node):
                continue
            component = self._rendering_function(node)
            if component is not None and component.id not in seen and not self._is_created_once(node):
                seen.add(component.id)
                self.report_node(
                    node, "rendering has a side effect here; move it into an effect or an event handler"
                )

    def _rendering_function(self, node: Node) -> Node | None:
        """Return the component or hook whose rendering itself contains a node."""
        from wardround.languages.script.code import function_around, is_async
        from wardround_typescript.analysis.react_components import is_component, is_hook

        function = function_around(node)
        if function is None or is_async(function):
            return None
        if is_component(self.code, function):
            return function if self._renders_markup(function) else None
        return function if is_hook(self.code, function) and self._is_hook(function) else None

    def _renders_markup(self, function: Node) -> bool:
        from wardround.languages.script.code import own_nodes

        return any(node.type.startswith("jsx_") for node in own_nodes(function))

    def _is_hook(self, function: Node) -> bool:
        """Return True if a function with the name of a hook is one: it calls a hook of React."""
        from wardround.languages.script.code import own_nodes

        return any(
            node.type == "call_expression"
            and self.code.callee(node).removeprefix("React.")
            in ("useState", "useEffect", "useRef", "useContext")
            for node in own_nodes(function)
        )

    def _is_effect(self, node: Node) -> bool:
        code = self.code
        if node.type == "assignment_expression":
            return _PAGE.search(code.field(node, "left")) is not None
        called = code.callee(node)
        if _DONE_TO_PAGE.search(called):
            return not called.startswith(("gtag", "dataLayer")) or called in ("gtag", "dataLayer.push")
        return self._is_navigation(called, node) or (called == "fetch" and self._is_sent(node))

    def _is_navigation(self, called: str, call: Node) -> bool:
        """Return True if the call navigates, or updates the store, through the result of a hook."""
        name, _, method = called.partition(".")
        created = self.code.value_of(name, call)
        maker = self.code.callee(created) if created is not None and created.type == "call_expression" else ""
        if maker not in _LEADS:
            return False
        return f".{method}" in _LEADS[maker].split() if method else not _LEADS[maker]

    def _is_sent(self, call: Node) -> bool:
        """Return True if the request is a statement of its own, and not awaited in a promise."""
        above: Node | None = call
        while above is not None and above.type in ("call_expression", "member_expression"):
            above = above.parent
        return above is not None and above.type == "expression_statement"

    def _is_created_once(self, node: Node) -> bool:
        return any(_MADE_ONCE.search(self.code.field(branch, "condition")) for branch in _ifs_around(node))


def _ifs_around(node: Node) -> Iterator[Node]:
    above = node.parent
    while above is not None:
        if above.type == "if_statement":
            yield above
        above = above.parent
