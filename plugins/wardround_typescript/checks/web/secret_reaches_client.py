"""TS058: secret reaches client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_SECRET = LazyPattern(
    r"^(?:process\.env|import\.meta\.env|env|Deno\.env|privateEnv|serverEnv|config)\.(?!(?:NEXT_PUBLIC"
    r"|VITE|PUBLIC|REACT_APP|EXPO_PUBLIC|NUXT_PUBLIC|GATSBY)_)"
    r"\w*(?:SECRET(?:_KEY|_ACCESS_KEY|_TOKEN)?|PASSWORD|PASSWD|PRIVATE_KEY|SIGNING_KEY"
    r"|SERVICE_ROLE(?:_KEY)?|SERVICE_KEY"
    r"|ADMIN_KEY|ADMIN_TOKEN|DATABASE_URL|DB_URL|AUTH_TOKEN|ACCESS_TOKEN|(?<!PUBLISHABLE_)"
    r"(?<!MAPS_)(?<!SEARCH_)(?<!PUBLIC_)API_KEY|API_TOKEN|BOT_TOKEN)!?$"
)
_ALL = LazyPattern(
    r"^(?:process\.env|env|import\.meta\.env|loadEnv\(.*\)|\{\s*\.\.\.process\.env\s*,?\s*\})"
    r"$"
)
_BUILD_KEYS = frozenset({"define", "env", "publicRuntimeConfig", "public"})
_BUILDERS = LazyPattern(
    r"^(defineConfig|defineNuxtConfig|mergeConfig|withBundleAnalyzer|\w*DefinePlugin"
    r"|\w*EnvironmentPlugin)$"
)
_WRAPPED = frozenset({"JSON.stringify", "String"})
_LOADERS = frozenset({"getServerSideProps", "getStaticProps", "getInitialProps", "loader", "clientLoader"})
_SERVER_FILE = LazyPattern(
    r"(\.server\.|/server/|\+(page|layout)\.server|/api/|route\.[tj]s$|middleware\.[tj]s$)"
)
_APP_FOLDER = LazyPattern(r"(^|/)app/")
_HEAD = 400
"""Number of characters at the start of a file that may contain a directive."""
_WINDOW = LazyPattern(r"^(window|globalThis)\.")


class SecretReachesClient(TreeCheck):
    """A secret of the server is included in what browsers load.

    The ``define`` option of a bundler, every prop of a client component, and the result of a loader or
    ``getServerSideProps`` are in the JavaScript or HTML that anyone can read. Use the secret on the server
    only, and rotate it.
    """

    ID = "TS058"
    NAME = "secret-reaches-client"
    DEFECT_CLASS = "secret-in-client"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("env",)
    ALSO = (
        (
            "define",
            "DefinePlugin",
            "EnvironmentPlugin",
            "publicRuntimeConfig",
            "runtimeConfig",
            "/>",
            "</",
            "getServerSideProps",
            "getStaticProps",
            "loader",
            "envPrefix",
            "window.",
        ),
    )
    CASE_PATH = "vite.config.ts"
    VALID = [
        code("""
            export default defineConfig(({ mode }) => {
              const env = loadEnv(mode, process.cwd(), '');
              return { define: { __VERSION__: JSON.stringify(env.npm_package_version) },
                server: { proxy: { '/api': { headers: { token: env.API_TOKEN } } } } };
            });
        """),
        code(
            """
            const settings = { url: process.env.SITE_URL, key: process.env.MAPS_API_KEY };
            export default function Layout() { return <Settings value={settings} />; }
            """,
            path="app/layout.tsx",
        ),
    ]
    INVALID = [
        code("""
            export default defineConfig(({ mode }) => {
              const env = loadEnv(mode, process.cwd(), '');
              return {
                define: {
                  __AI__: JSON.stringify({
                    key: «env.AI_API_KEY»,
                  }),
                },
              };
            });
        """),
        code(
            """
            const settings = {
              url: process.env.SITE_URL,
              token: «process.env.STATS_ADMIN_SECRET»,
            };
            export default function Layout() { return <Settings value={settings} />; }
            """,
            path="app/layout.tsx",
        ),
    ]

    def check(self) -> None:
        seen: set[int] = set()
        for node in [*self._built_in(), *self._passed_as_props(), *self._loaded(), *self._on_window()]:
            if node.id not in seen:
                seen.add(node.id)
                self.report_node(
                    node, "secret is included in what browsers load; use it on the server only and rotate it"
                )

    def _built_in(self) -> Iterator[Node]:
        """Yield secrets under the keys that a bundler replaces in the code."""
        code = self.code
        for pair in code.kinds("pair"):
            key = code.field(pair, "key").strip("'\"")
            if key in _BUILD_KEYS and self._is_of_build(pair):
                value = pair.child_by_field_name("value")
                yield from self._secrets(value)
                yield from self._everything(value)
        for node in code.kinds("new_expression"):
            if _BUILDERS.search(code.field(node, "constructor").rpartition(".")[2]):
                arguments = node.child_by_field_name("arguments")
                yield from self._secrets(arguments)
                yield from self._everything(arguments)

    def _is_of_build(self, pair: Node) -> bool:
        code = self.code
        above = pair.parent
        while above is not None:
            if above.type == "call_expression" and _BUILDERS.search(code.called(above)):
                return True
            if above.type == "assignment_expression" and code.field(above, "left") == "module.exports":
                return True
            if above.type == "variable_declarator" and code.field(above, "name").lower().endswith("config"):
                return True
            if above.type == "export_statement" and "config" in self.source.path.rpartition("/")[2]:
                return True
            above = above.parent
        return False

    def _everything(self, held: Node | None) -> Iterator[Node]:
        """Yield the complete environment as the value of a replacement."""
        code = self.code
        for pair in held.named_children if held is not None else ():
            value = pair.child_by_field_name("value") if pair.type == "pair" else None
            if value is None:
                continue
            inner = self._unwrapped(value)
            text = code.text(inner)
            if inner is not None and _ALL.search(text) and self._is_environment(inner, text):
                yield inner

    def _is_environment(self, node: Node, text: str) -> bool:
        """Return True if a name refers to all variables, without a prefix that selects the public ones."""
        if text != "env":
            return "loadEnv" not in text or text.rstrip(")").endswith(("''", '""'))
        value = self.code.text(self.code.value_of(text, node))
        return value.startswith("process.env") or (
            value.startswith("loadEnv(") and value[:-1].endswith(("''", '""'))
        )

    def _unwrapped(self, node: Node | None) -> Node | None:
        from wardround.languages.script.code import argument, bare

        node = bare(node)
        if node is not None and node.type == "call_expression" and self.code.called(node) in _WRAPPED:
            return bare(argument(node, 0))
        return node

    def _secrets(self, node: Node | None) -> Iterator[Node]:
        """Yield the secrets in an object or an expression, through variables of the file."""
        node = self._unwrapped(node)
        if node is None:
            return
        code = self.code
        if node.type == "member_expression":
            if _SECRET.search(code.text(node).replace("['", ".")):
                yield node
        elif node.type == "identifier":
            yield from self._held_by(node)
        elif node.type in ("object", "array", "arguments"):
            for part in node.named_children:
                yield from self._secrets_of_part(part)
        elif node.type == "binary_expression" and code.field(node, "operator") in ("??", "||"):
            yield from self._secrets(node.child_by_field_name("left"))

    def _secrets_of_part(self, part: Node) -> Iterator[Node]:
        if part.type == "shorthand_property_identifier":
            yield from self._held_by(part)
        elif part.type == "spread_element":
            yield from self._secrets(part.named_children[0])
        else:
            value = part.child_by_field_name("value") or (part if part.type != "pair" else None)
            yield from self._secrets(value)

    def _held_by(self, name: Node) -> Iterator[Node]:
        value = self.code.value_of(self.code.text(name), name)
        if (
            value is not None
            and value.type
            in (
                "object",
                "member_expression",
                "call_expression",
                "binary_expression",
            )
            and (value.type != "call_expression" or self.code.called(value) in _WRAPPED)
        ):
            yield from self._secrets(value)

    def _passed_as_props(self) -> Iterator[Node]:
        code = self.code
        for attribute in code.kinds("jsx_attribute"):
            element = attribute.parent
            value = attribute.named_children[-1]
            if element is None or value.type != "jsx_expression" or not value.named_children:
                continue
            if code.field(element, "name")[:1].isupper() and self._is_client(code.field(element, "name")):
                yield from self._secrets(value.named_children[0])

    def _is_client(self, name: str) -> bool:
        """Return True if the element is not a known server component."""
        from wardround_typescript.analysis.call_resolution import origin, script_of

        if not _APP_FOLDER.search(self.source.path):
            return True
        if name in self.code.declared:
            return "use client" in self.source.text[:_HEAD]
        found = origin(name, script_of(self.source.path, self.source.text), self.source.project)
        return found is None or "use client" in found[0].text[:_HEAD]

    def _loaded(self) -> Iterator[Node]:
        """Yield the values that the loader of a page returns to its component."""
        from wardround.languages.script.code import FUNCTIONS, returned

        code = self.code
        if _SERVER_FILE.search(self.source.path):
            return
        for function in code.kinds(*sorted(FUNCTIONS)):
            if code.name_of(function) not in _LOADERS:
                continue
            for result in returned(function):
                yield from self._secrets(self._answered(result))

    def _answered(self, node: Node) -> Node | None:
        """Return the content of a response: the argument of json(), or the object under props."""
        from wardround.languages.script.code import argument, bare

        one = bare(node)
        if one is not None and one.type == "call_expression":
            return (
                argument(one, 0)
                if self.code.called(one) in ("json", "defer", "data", "Response.json")
                else None
            )
        for pair in one.named_children if one is not None and one.type == "object" else ():
            if self.code.field(pair, "key") == "props":
                return pair.child_by_field_name("value")
        return one

    def _on_window(self) -> Iterator[Node]:
        code = self.code
        for node in code.kinds("assignment_expression"):
            if _WINDOW.search(code.field(node, "left")):
                yield from self._secrets(node.child_by_field_name("right"))
