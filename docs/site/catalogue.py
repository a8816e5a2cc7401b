"""Pages of the rule catalogue: one for each rule, one for each tool, and lists that can be filtered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from wardround import host
from wardround.reports import rule_pages
from wardround.rules.maturity import Maturity
from wardround.rules.model import Rule

FOLDER = "rules"
_TOOLS = "tools"
_WIDE = "---\nhide: [toc]\n---\n\n"
"""Beginning of a page whose table needs the width of the contents list."""
_SUPPRESSION = "\n## How to suppress it"
_NOT_SEARCHED = " { data-search-exclude }"
"""The section is the same for all rules: a search for it finds the page about findings."""
_INTRODUCTION = """\
# Rules

{count} rules of wardround's own, each with a case that is reported and one that is not. The findings of
static tools keep the codes of the tool: [{codes} codes](#codes-of-the-tools) have a plane and a severity.
`wardround explain RULE` shows a page of this catalogue in the terminal.

*Error* is for what a reviewer would not merge, *warn* for what a reviewer would ask about, *info* for what
is worth knowing. Change it in the [configuration](../configuration.md): `"python/PY001" = "off"` below
`rules`. A *preview* rule runs where the configuration sets `preview = true` or names the rule.
"""
_CODES = """
## Codes of the tools

| tool | codes |
|---|---|
"""


class _Entry(NamedTuple):
    """A rule and its page, relative to the folder of the catalogue."""

    path: str
    rule: Rule

    @property
    def specialist(self) -> str:
        return self.path.partition("/")[0]


def pages() -> dict[str, str]:
    """Return the Markdown of every page by its path in the site."""
    loaded = host.load()
    rules = loaded.catalogue.all_rules()
    written = rule_pages.pages(rules, loaded.same_defect)
    del written[rule_pages.INDEX]
    entries = [_Entry(path, rule) for path, rule in rule_pages.own_rules(rules)]
    lists = {"index.md": _index(entries, rules)}
    for specialist, group in groupby(entries, key=lambda entry: entry.specialist):
        lists[f"{specialist}/index.md"] = _specialist_page(specialist, list(group))
    linked = {path: _site_page(path, text) for path, text in written.items()}
    return {f"{FOLDER}/{path}": text for path, text in (lists | linked).items()}


def _site_page(path: str, text: str) -> str:
    """Return a page with links to the lists that it is in, below its title."""
    title, _, rest = text.partition("\n")
    folder = path.partition("/")[0]
    if folder == _TOOLS:
        return f"{_WIDE}{title}\n\n[Rules](../index.md#codes-of-the-tools) / tools\n\n{_filtered(rest)}\n"
    rest = rest.replace(_SUPPRESSION, _SUPPRESSION + _NOT_SEARCHED)
    return f"{title}\n\n[Rules](../index.md) / [{folder}](index.md)\n{rest}"


def _index(entries: Sequence[_Entry], rules: Sequence[Rule]) -> str:
    tools = Counter(rule.id.partition("/")[0] for rule in rules if not rule.invalid)
    rows = [f"| [{tool}](tools/{tool}.md) | {count} |" for tool, count in sorted(tools.items())]
    introduction = _WIDE + _INTRODUCTION.format(count=len(entries), codes=tools.total())
    return "\n".join([introduction, _table(entries, ""), _CODES.rstrip("\n"), *rows]) + "\n"


def _specialist_page(specialist: str, entries: Sequence[_Entry]) -> str:
    title = f"{_WIDE}# Rules of {specialist}\n\n{len(entries)} rules; [all rules](../index.md).\n"
    return f"{title}\n{_table(entries, f'{specialist}/')}\n"


def _table(entries: Sequence[_Entry], folder: str) -> str:
    """Return a table of rules; ``folder`` is that of the page."""
    rows = [_row(entry, folder) for entry in entries]
    head = "| rule | reports | specialist | plane | severity | runs |\n|---|---|---|---|---|---|"
    return _filtered("\n".join([head, *rows]))


def _filtered(table: str) -> str:
    """Return a table whose rows a script filters by the columns."""
    return f'<div class="filtered" markdown>\n\n{table.strip()}\n\n</div>\n'


def _row(entry: _Entry, folder: str) -> str:
    rule = entry.rule
    cells = (
        f"[{rule.code}]({entry.path.removeprefix(folder)}) {rule.name}",
        rule_pages.summary_cell(rule),
        entry.specialist,
        rule.plane.value,
        rule.severity.label,
        _state(rule),
    )
    return f"| {' | '.join(cells)} |"


def _state(rule: Rule) -> str:
    """Return when a rule runs, in one or two words."""
    if rule.is_shown:
        return "by default"
    return rule.maturity.value if rule.maturity is not Maturity.STABLE else "if named"
