"""TS066."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
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
    """A hook is called in a function that React does not call while rendering.

    React matches hooks to their state by the order of the calls in a render. In an event handler, an
    effect, a loop's callback or a plain function there is no render, and the call throws. Call it in the
    component and use what it gave.
    """

    ID = "TS066"
    NAME = "hook-in-callback"
    DEFECT_CLASS = "hooks-order"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (".tsx", ".jsx", ".ts", ".js")
    WORDS = ("use",)
    ALSO = (("react", "next"),)
    TRIED_ON = (
        "the trees of hoppscotch, langfuse, react-hook-form, redash, redux-toolkit, shadcn-ui/ui, "
        "formbricks, chainlit, chatbot-ui, lerna, webpack-cli, three Supabase starters and NodeBB "
        "(17,758 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import { useState } from 'react';\nexport function useRows() {\n"
            "  const [rows] = useState([]);\n  return rows;\n"
            "}\n"
            "export const Page = memo(() => {\n  const rows = useRows();\n"
            "  return <p>{rows}</p>;\n});\n"
            "const withRows = (Inner) => function Rows(props) {\n"
            "  const rows = useRows();\n  return <Inner rows={rows} />;\n"
            "};\n",
            path="a.tsx",
        ),
        Valid(
            "import { test } from 'react';\n"
            "const use = (plugin) => app.use(plugin);\n"
            "function setup() {\n  app.useRouter(router);\n"
            "}\n",
            path="a.ts",
        ),
        Valid(
            "import { create } from 'react';\nconst store = create(() => ({}));\n"
            "export const factory = () => {\n  return useStore;\n"
            "};\n",
            path="a.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import { useNavigate } from 'react-router-dom';\n"
            "export function Item({ id }) {\n  const handleClick = () => {\n"
            "    const navigate = useNavigate();\n"
            "    navigate(`/orders/${id}`);\n"
            "  };\n  return <button onClick={handleClick} />;\n"
            "}\n",
            path="a.tsx",
            line=4,
            column=22,
        ),
        Invalid(
            "import { useState } from 'react';\n"
            "export const Page = () => <button onClick={() => "
            "useStore(1)} />;\n",
            path="a.tsx",
            line=2,
            column=50,
        ),
        Invalid(
            "import { useQuery } from '@tanstack/react-query';\n"
            "async function loadRows() {\n  const { data } = useQuery(rows);\n"
            "  return data;\n}\n",
            path="a.ts",
            line=3,
            column=20,
        ),
    ]

    def look(self) -> None:
        from wardround.languages.script.code import function_around

        if not _REACT.search(self.code.module.text):
            return
        for called, call in self.code.calls:
            name = called.removeprefix("React.")
            if not _HOOK.search(called) or name in _NO_HOOKS:
                continue
            function = function_around(call)
            if function is not None and self._is_no_place(function):
                self.say(call, f"{name} is called outside of a render: React throws here")

    def _is_no_place(self, function: Node) -> bool:
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
            return bool(name) or self._is_callback(function)
        # A plain async function can be no component of the browser.
        return bool(name) and _PLAIN_NAME.search(name) is not None and is_async(function) and around is None

    def _is_callback(self, function: Node) -> bool:
        """Whether a function is an event handler, or handed to a hook or a method of a list."""
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
