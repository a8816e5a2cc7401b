from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import ancestors, child, first_part, is_kind, parts

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
_HOLDING = frozenset({"object", "member_expression", "call_expression", "binary_expression"})
_RESPONDING = frozenset({"json", "defer", "data", "Response.json"})
_EMPTY_PREFIX = ("''", '""')


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
        for node in [
            *self._built_in(),
            *self._passed_as_props(),
            *self._loader_results(),
            *self._window_properties(),
        ]:
            if node.id not in seen:
                seen.add(node.id)
                self.report_node(
                    node, "secret is included in what browsers load; use it on the server only and rotate it"
                )

    def _built_in(self) -> Iterator[Node]:
        """Yield secrets under the keys that a bundler replaces in the code."""
        for settings in [*self._replacements(), *self._builder_options()]:
            yield from self._secrets(settings)
            yield from self._environments(settings)

    def _replacements(self) -> Iterator[Node | None]:
        for pair in self.code.kinds("pair"):
            key = self.code.field(pair, "key").strip("'\"")
            if key in _BUILD_KEYS and self._is_of_build(pair):
                yield child(pair, "value")

    def _builder_options(self) -> Iterator[Node | None]:
        for node in self.code.kinds("new_expression"):
            if _BUILDERS.search(self.code.field(node, "constructor").rpartition(".")[2]):
                yield child(node, "arguments")

    def _is_of_build(self, pair: Node) -> bool:
        return any(map(self._is_build_configuration, ancestors(pair)))

    def _is_build_configuration(self, node: Node) -> bool:
        match node.type:
            case "call_expression":
                return _BUILDERS.search(self.code.callee(node)) is not None
            case "assignment_expression":
                return self.code.field(node, "left") == "module.exports"
            case "variable_declarator":
                return self.code.field(node, "name").lower().endswith("config")
            case "export_statement":
                return "config" in self.source.path.rpartition("/")[2]
        return False

    def _environments(self, settings: Node | None) -> Iterator[Node]:
        """Yield the complete environment as the value of a replacement."""
        pairs = (part for part in parts(settings) if part.type == "pair")
        for value in (self._unwrap(child(pair, "value")) for pair in pairs):
            text = self.text(value)
            if value is not None and _ALL.search(text) and self._is_environment(value, text):
                yield value

    def _is_environment(self, node: Node, text: str) -> bool:
        """Return True if a name refers to all variables, without a prefix that selects the public ones."""
        if text != "env":
            return "loadEnv" not in text or text.rstrip(")").endswith(_EMPTY_PREFIX)
        value = self.text(self.code.value_of(text, node))
        if value.startswith("process.env"):
            return True
        return value.startswith("loadEnv(") and value[:-1].endswith(_EMPTY_PREFIX)

    def _unwrap(self, node: Node | None) -> Node | None:
        from wardround.languages.script.code import argument, bare

        value = bare(node)
        if is_kind(value, "call_expression") and self.code.callee(value) in _WRAPPED:
            return bare(argument(value, 0))
        return value

    def _secrets(self, node: Node | None) -> Iterator[Node]:
        """Yield the secrets in an object or an expression, through variables of the file."""
        value = self._unwrap(node)
        if value is None:
            return
        match value.type:
            case "member_expression" if _SECRET.search(self.text(value).replace("['", ".")):
                yield value
            case "identifier":
                yield from self._environment_reads(value)
            case "object" | "array" | "arguments":
                for part in value.named_children:
                    yield from self._secrets_in_node(part)
            case "binary_expression" if self.code.field(value, "operator") in ("??", "||"):
                yield from self._secrets(child(value, "left"))

    def _secrets_in_node(self, part: Node) -> Iterator[Node]:
        match part.type:
            case "shorthand_property_identifier":
                yield from self._environment_reads(part)
            case "spread_element":
                yield from self._secrets(part.named_children[0])
            case "pair":
                yield from self._secrets(child(part, "value"))
            case _:
                yield from self._secrets(child(part, "value") or part)

    def _environment_reads(self, name: Node) -> Iterator[Node]:
        value = self.code.value_of(self.text(name), name)
        if value is None or value.type not in _HOLDING:
            return
        if value.type != "call_expression" or self.code.callee(value) in _WRAPPED:
            yield from self._secrets(value)

    def _passed_as_props(self) -> Iterator[Node]:
        for attribute in self.code.kinds("jsx_attribute"):
            name, value = self.code.field(attribute.parent, "name"), attribute.named_children[-1]
            if value.type != "jsx_expression" or not value.named_children:
                continue
            if name[:1].isupper() and self._is_client(name):
                yield from self._secrets(first_part(value))

    def _is_client(self, name: str) -> bool:
        """Return True if the element is not a known server component."""
        from wardround_typescript.analysis.call_resolution import origin
        from wardround_typescript.analysis.resolved_scripts import script_of

        if not _APP_FOLDER.search(self.source.path):
            return True
        if name in self.code.declared:
            return "use client" in self.source.text[:_HEAD]
        found = origin(name, script_of(self.source.path, self.source.text), self.source.project)
        return found is None or "use client" in found[0].text[:_HEAD]

    def _loader_results(self) -> Iterator[Node]:
        """Yield the values that the loader of a page returns to its component."""
        from wardround.languages.script.code import FUNCTIONS, returned_expressions

        if _SERVER_FILE.search(self.source.path):
            return
        functions = self.code.kinds(*sorted(FUNCTIONS))
        for loader in (function for function in functions if self.code.name_of(function) in _LOADERS):
            for result in returned_expressions(loader):
                yield from self._secrets(self._response_content(result))

    def _response_content(self, node: Node) -> Node | None:
        """Return the content of a response: the argument of json(), or the object under props."""
        from wardround.languages.script.code import argument, bare

        value = bare(node)
        if is_kind(value, "call_expression"):
            return argument(value, 0) if self.code.callee(value) in _RESPONDING else None
        for entry in parts(value) if is_kind(value, "object") else ():
            if self.code.field(entry, "key") == "props":
                return child(entry, "value")
        return value

    def _window_properties(self) -> Iterator[Node]:
        for assignment in self.code.kinds("assignment_expression"):
            if _WINDOW.search(self.code.field(assignment, "left")):
                yield from self._secrets(child(assignment, "right"))
