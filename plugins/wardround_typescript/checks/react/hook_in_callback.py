"""TS066: hook in callback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_HOOK = LazyPattern(r"^(?:React\.)?use(?:[A-Z]\w*)$")
_COMPILED = LazyPattern(
    r"^(React\.)?(useMemo|useCallback|useEffect|useLayoutEffect|useReducer|useState"
    r"|useInsertionEffect)$"
)
_REACT = LazyPattern(
    r"['\"](react|preact(/hooks)?|react-dom|react-native|next/[\w/]+|react-router(-dom)?"
    r"|react-redux|@tanstack/react-[\w-]+|swr|react-hook-form|react-i18next|next-auth/react)"
    r"['\"]"
)
_NO_HOOKS = frozenset(
    {"useFakeTimers", "useRealTimers", "useValue", "useClass", "useFactory", "useStrict", "useHistoryState"}
)
_PLAIN_NAME = LazyPattern(r"^[a-z_$]")


class HookInCallback(TreeCheck):
    """A hook is called in a function that React does not call during rendering.

    React matches hooks to their state by the order of the calls in a render. In an event handler, an effect,
    the callback of a loop or a plain function nothing is being rendered, and the call throws. Call the
    hook in the component and use its result.
    """

    ID = "TS066"
    NAME = "hook-in-callback"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "hooks-order"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (".tsx", ".jsx", ".ts", ".js")
    WORDS = ("use",)
    ALSO = (("react", "next"),)
    CASE_PATH = "a.tsx"
    VALID = [
        code(
            """
            import { test } from 'react';
            const use = (plugin) => app.use(plugin);
            function setup() {
              app.useRouter(router);
            }
            """,
            path="a.ts",
        ),
        code(
            """
            import { create } from 'react';
            const store = create(() => ({}));
            export const factory = () => {
              return useStore;
            };
            """,
            path="a.ts",
        ),
    ]
    INVALID = [
        code("""
            import { useNavigate } from 'react-router-dom';
            export function Item({ id }) {
              const handleClick = () => {
                const navigate = «useNavigate()»;
                navigate(`/orders/${id}`);
              };
              return <button onClick={handleClick} />;
            }
        """),
        code("""
            import { useState } from 'react';
            export const Page = () => <button onClick={() => «useStore(1)»} />;
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import function_around

        if not _REACT.search(self.code.module.text):
            return
        for called, call in self.code.calls:
            name = called.removeprefix("React.")
            if not _HOOK.search(called) or name in _NO_HOOKS:
                continue
            function = function_around(call)
            if function is not None and self._is_outside_render(function):
                self.report_node(
                    call,
                    f"{name} is called outside of rendering, where React throws; call it in the component",
                )

    def _is_outside_render(self, function: Node) -> bool:
        from wardround.languages.script.code import function_around, is_async
        from wardround_typescript.analysis.react_components import is_component, is_hook

        code = self.code
        if is_component(code, function) or is_hook(code, function):
            return False
        if function.type == "method_definition":
            return False
        around = function_around(function)
        name = code.name_of(function)
        if around is not None and (is_component(code, around) or is_hook(code, around)):
            return self._is_callback(function) or (bool(name) and not self._is_called_in(around, name))
        # A plain async function cannot be a component of the browser.
        return bool(name) and _PLAIN_NAME.search(name) is not None and is_async(function) and around is None

    def _is_called_in(self, component: Node, name: str) -> bool:
        """Return True if a component calls a function of its own while it renders."""
        from wardround.languages.script.code import function_around

        return any(function_around(call) == component for call in self.code.calls_named(name))

    def _is_callback(self, function: Node) -> bool:
        """Return True if a function is an event handler, or passed to a hook or a list method."""
        given = function.parent
        if given is None:
            return False
        if (
            given.type == "jsx_expression"
            and given.parent is not None
            and given.parent.type == "jsx_attribute"
        ):
            return self.code.text(given.parent.named_children[0])[:2] == "on"
        call = given.parent if given.type == "arguments" else None
        if call is None:
            return False
        called = self.code.called(call)
        return _COMPILED.search(called) is not None or called.endswith(
            (".then", ".map", ".forEach", ".filter")
        )
