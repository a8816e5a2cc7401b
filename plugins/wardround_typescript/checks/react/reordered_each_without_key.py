from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

_EACH = LazyPattern(r"\{#each\s+(?P<list>\$?[\w.]+)\s+as\s+(?P<item>[^}()]+?)\s*\}")
_END = LazyPattern(r"\{/each\}|\{#each\b")
_STATEFUL = LazyPattern(
    r"<[A-Z]\w*[\s/>]|<(input|textarea|select|video|audio|details|canvas|iframe)\b"
    r"|\bbind:|\b(transition|in|out|use):"
)
_MOVES = (
    r"(?<![\w$])%s\.update\((?s:.{0,200}?)(\.filter\(|\[\s*\w+\s*,\s*\.\.\.|\.sort\("
    r"|\.splice\(|\.unshift\(|\.reverse\()"
    r"|(?<![\w$.])%s\s*=\s*(%s\.(filter|toSorted|toSpliced|slice)\(|\[\s*[^\]\n]{1,80},\s*\.\.\.%s"
    r"|\[\.\.\.%s\]\.(sort|reverse)\()"
    r"|(?<![\w$])%s\.(splice|unshift|sort|reverse|shift)\("
)


class ReorderedEachWithoutKey(TreeCheck):
    """The rows of a list whose items move have no key.

    Svelte then updates the rows by position: after an item is removed, prepended or sorted, every row keeps
    the state, the focus and the input of the item that was there before. Write {#each rows as row (row.id)}.
    """

    ID = "TS082"
    NAME = "reordered-each-without-key"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "missing-key"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".svelte",)
    WORDS = ("{#each",)
    CASE_PATH = "a.svelte"
    VALID = [
        code("""
            <script>
              let rows = [];
              const drop = (id) => { rows = rows.filter((r) => r.id !== id); };
            </script>
            {#each rows as row (row.id)}<Row {row} />{/each}
        """),
        code("""
            <script>
              export let rows;
            </script>
            {#each rows as row}<Row {row} />{/each}
        """),
    ]
    INVALID = [
        code("""
            <script>
              let rows = [];
              const drop = (id) => { rows = rows.filter((r) => r.id !== id); };
            </script>
            «{#each rows as row}»
              <Row {row} />
            {/each}
        """),
        code("""
            <script>
              import { tasks } from './tasks';
              const add = (task) => tasks.update((all) => [task, ...all]);
            </script>
            <ul>«{#each $tasks as task}»<li><input bind:value={task.title} /></li>{/each}</ul>
        """),
    ]

    def check(self) -> None:
        import re

        from wardround.findings import Span

        text = self.source.text
        for found in _EACH.finditer(text):
            end = _END.search(text, found.end())
            body = text[found.end() : end.start() if end else len(text)]
            name = re.escape(found["list"].lstrip("$").partition(".")[0])
            if _STATEFUL.search(body) and re.search(_MOVES.replace("%s", name), text):
                line = text.count("\n", 0, found.start()) + 1
                column = found.start() - text.rfind("\n", 0, found.start())
                span = Span(line, column, line, column + len(found[0]))
                self.report(span, "items of this list move, but its rows have no key; add one")
