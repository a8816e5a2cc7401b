"""TS091: hooks in server component."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_APP = LazyPattern(r"(^|/)app/")
_ROUTE_FILE = LazyPattern(r"(^|/)(page|layout|template|loading|not-found|default)\.[jt]sx?$")
_ROUTE_FILES = tuple(
    f"{name}.{kind}" for name in ("page", "layout", "template") for kind in ("tsx", "jsx", "js")
)
_CLIENT = LazyPattern(r"^\s*(/\*[^*]*\*/\s*|//[^\n]*\n\s*)*['\"]use client['\"]")
_HOOKS = (
    "useState", "useEffect", "useReducer", "useRef", "useLayoutEffect", "useContext", "useSyncExternalStore",
    "useTransition", "useOptimistic", "useActionState", "useFormState", "useRouter", "usePathname",
    "useSearchParams", "useParams", "createContext",
)  # fmt: skip
_OF_BROWSER = frozenset({"react", "react-dom", "next/navigation"})
_HANDLER = LazyPattern(
    r"^on(Click|Change|Select|Close|Open|Submit|Key[A-Z]\w*|Mouse[A-Z]\w*|Focus|Blur|Input|Drag\w*|Drop|Scroll)$"
)
_BUILT_BY_OTHERS = LazyPattern(
    r"['\"](react-router|@remix-run|expo-router|@tanstack/(react-router|start|react-start))"
)
_FOLDERS_UP = 3
_SHARED = LazyPattern(r"^((?:[\w.-]+/){0,3}?)(?:components|ui|features|providers|lib)/")
_FIRST_ROUTES = ("app/page.tsx", "app/layout.tsx")


class HooksInServerComponent(TreeCheck):
    """Browser-only code is in a component that Next.js runs on the server.

    Files under app are server components unless they start with "use client": hooks for state and effects
    break the build there, and an event handler cannot be passed to the browser. Start the file with "use
    client".
    """

    ID = "TS091"
    NAME = "hooks-in-server-component"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "hooks-in-server-component"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (".tsx", ".jsx", ".js")
    WORDS = (
        *(f"{hook}(" for hook in _HOOKS),
        "useState<",
        "useRef<",
        "onClick=",
        "onChange=",
        "onSubmit=",
        "onSelect=",
    )
    CASE_PATH = "app/page.tsx"
    VALID = [
        code("""
            'use client';
            import { useState } from 'react';
            export default function Page() {
              const [a] = useState(0);
              return <p>{a}</p>;
            }
        """),
        code(
            """
            import { useState } from 'react';
            export default function Box() {
              const [a] = useState(0);
              return <p>{a}</p>;
            }
            """,
            path="app/box.tsx",
            others={
                "app/page.tsx": """
                'use client';
                import Box from './box';
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            «import { useState } from 'react';»
            export default function Count() {
              const [n] = useState(0);
              return <p>{n}</p>;
            }
            """,
            path="src/components/Count.tsx",
            others={
                "src/app/page.tsx": """
                import Count from '../components/Count';
                export default () => <Count />;
                """,
            },
        ),
        code("""
            «import { useState } from 'react';»
            export default function Page() {
              const [a] = useState(0);
              return <p>{a}</p>;
            }
        """),
    ]

    def check(self) -> None:
        path, text = self.source.path, self.source.text
        is_near = _APP.search(path) is not None or _SHARED.search(path) is not None
        if not is_near or _CLIENT.search(text) or _BUILT_BY_OTHERS.search(text):
            return
        place = self._hook() or self._handler()
        if place is not None and self._is_of_server():
            self.report_node(place, 'works only in the browser; add "use client" at the top of the file')

    def _hook(self) -> Node | None:
        """Return the import of the first browser hook that is called here."""
        code = self.code
        for call in code.calls_of(*_HOOKS):
            name = code.called(call).rpartition(".")[2]
            local = name if name in code.imports else "React"
            if code.imports.get(local) not in _OF_BROWSER:
                continue
            for node in code.kinds("import_statement"):
                if code.field(node, "source")[1:-1] in _OF_BROWSER and local in code.text(node):
                    return node
        return None

    def _handler(self) -> Node | None:
        """Return an event handler passed to an element of the page, or written for a browser component."""
        code = self.code
        for attribute in code.kinds("jsx_attribute"):
            if not _HANDLER.search(code.text(attribute.named_children[0])):
                continue
            name = code.field(attribute.parent, "name")
            if name[:1].islower() or (self._is_function(attribute) and self._is_of_browser(name)):
                return attribute
        return None

    def _is_function(self, attribute: Node) -> bool:
        """Return True if the value of an attribute is an inline function."""
        value = attribute.named_children[-1]
        inner = value.named_children[0] if value.type == "jsx_expression" and value.named_children else value
        return inner.type in ("arrow_function", "function_expression")

    def _is_of_browser(self, name: str) -> bool:
        """Return True if a component is imported from a file with "use client"."""
        from wardround_typescript.analysis.call_resolution import origin, script_of

        found = origin(name, script_of(self.source.path, self.source.text), self.source.project)
        return found is not None and _CLIENT.search(found[0].text) is not None

    def _is_of_server(self) -> bool:
        """Return True for a page or layout, or a file that a nearby server page or layout imports."""
        if _ROUTE_FILE.search(self.source.path):
            return True
        return any(self._imports_this(path, text) for path, text in self._routes_near())

    def _routes_near(self) -> Iterator[tuple[str, str]]:
        shared = _SHARED.search(self.source.path)
        if shared is not None and not _APP.search(self.source.path):
            for place in _FIRST_ROUTES:
                text = self.source.project.read(shared[1] + place)
                if text is not None and not _CLIENT.search(text):
                    yield shared[1] + place, text
            return
        folder = posixpath.dirname(self.source.path)
        for _ in range(_FOLDERS_UP):
            for name in _ROUTE_FILES:
                path = posixpath.join(folder, name)
                text = self.source.project.read(path)
                if text is not None and not _CLIENT.search(text):
                    yield path, text
            folder = posixpath.dirname(folder)
            if not folder:
                return

    def _imports_this(self, path: str, text: str) -> bool:
        from wardround_typescript.analysis.call_resolution import script_of, stems_meant

        own = self.source.path.rpartition(".")[0].removesuffix("/index")
        modules = sorted({module for module, _ in script_of(path, text).imports.values()})
        return any(
            own in (stem, stem.removesuffix(".tsx")) for one in modules for stem in stems_meant(one, path)
        )
