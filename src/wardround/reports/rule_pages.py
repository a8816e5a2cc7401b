"""The rule catalogue in Markdown: a page a rule, a page a tool with its codes, and an index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import PurePosixPath

from wardround.reports.examples import as_lines
from wardround.rules.cases import Case
from wardround.rules.earned_level import consequence
from wardround.rules.model import Rule
from wardround.rules.off_in import kinds_off
from wardround.rules.reading_counts import reading_counts
from wardround.text.escaping import lines_for_log
from wardround.tools.ast_grep import AstGrep

INDEX = "README.md"
_ENGINES = (AstGrep.name,)
"""Prefixes of the ids of declarative rules; the letters of their codes name the specialist."""
_INTRODUCTION = """\
# Rules

Every rule that wardround can report, written by `wardround rules --pages FOLDER`.

*Error* is for what a reviewer would not merge, *warn* for what a reviewer would ask about, *info* for what
is worth knowing. A rule that was right less than nine times in ten on real changes is off by default. Change
any in `.wardround.toml` or `pyproject.toml`: `"TOOL/CODE" = "error"`, `"sql/*" = "off"`.
"""
_ENTITIES = {"<": "&lt;"}
"""Characters that not every reader of Markdown takes behind a backslash."""
_CODE_OR_MARKUP = re.compile(r"(?P<code>``[^`]+``|`[^`]+`)|[*<\[]|__")
_LANGUAGES = {
    ".py": "python", ".ts": "ts", ".tsx": "tsx", ".js": "js", ".jsx": "jsx", ".sql": "sql", ".sh": "sh",
    ".yml": "yaml", ".yaml": "yaml", ".html": "html", ".json": "json", ".toml": "toml",
    "Dockerfile": "dockerfile",
}  # fmt: skip


def pages(rules: Sequence[Rule], same_defect: Callable[[Rule], Sequence[str]]) -> dict[str, str]:
    """Return every page by its path.

    Characters that cannot be seen, which some examples are about, are escaped.

    Args:
        same_defect: the rules that report the same defect as one.
    """
    found = {INDEX: index(rules)}
    specialists = _specialists(rules)
    for rule in rules:
        if rule.invalid:
            found[_path(rule, specialists)] = lines_for_log(_page(rule, same_defect(rule)), {})
    for tool, group in _group_by_prefix([rule for rule in rules if not rule.invalid]):
        found[f"tools/{tool}.md"] = lines_for_log(f"# Codes of {tool}\n\n{_codes(group)}", {})
    return found


def index(rules: Sequence[Rule]) -> str:
    """Return the tables of our own rules by specialist, and the tools with mapped codes."""
    parts = [_INTRODUCTION]
    for specialist, group in groupby(own_rules(rules), key=lambda entry: entry[0].partition("/")[0]):
        parts.append(f"## {specialist}\n\n| rule | name | default | reports |\n|---|---|---|---|")
        parts += [_index_row(path, rule) for path, rule in group]
        parts[-1] += "\n"
    parts.append("## Codes of the tools\n")
    parts += [
        f"- [{tool}](tools/{tool}.md): {len(group)} codes"
        for tool, group in _group_by_prefix([rule for rule in rules if not rule.invalid])
    ]
    return lines_for_log("\n".join(parts) + "\n", {})


def own_rules(rules: Sequence[Rule]) -> list[tuple[str, Rule]]:
    """Return the rules with cases, sorted by the path of their page."""
    specialists = _specialists(rules)
    own = [(_path(rule, specialists), rule) for rule in rules if rule.invalid]
    return sorted(own, key=lambda entry: entry[0])


def summary_cell(rule: Rule) -> str:
    """Return the first sentence of a rule's reason as a cell of a table."""
    return lines_for_log(_cell(escape(_summary(rule)[0])), {})


def _index_row(path: str, rule: Rule) -> str:
    level = rule.severity.label if rule.is_shown else "off"
    return f"| [{rule.code}]({path}) | {rule.name} | {level} | {summary_cell(rule)} |"


def _specialists(rules: Iterable[Rule]) -> dict[str, str]:
    """Return the letters that codes begin with -> the specialist whose checks have them."""
    own = [rule.id.split("/") for rule in rules if rule.invalid]
    return {_letters(code): prefix for prefix, code in own if prefix not in _ENGINES}


def _letters(code: str) -> str:
    return code.rstrip("0123456789")


def _path(rule: Rule, specialists: dict[str, str]) -> str:
    prefix = rule.id.partition("/")[0]
    folder = specialists.get(_letters(rule.code), prefix) if prefix in _ENGINES else prefix
    return f"{folder}/{rule.code}.md"


def _group_by_prefix(rules: Iterable[Rule]) -> list[tuple[str, list[Rule]]]:
    ordered = sorted(rules, key=lambda rule: (rule.id.partition("/")[0], rule.id))
    return [(name, list(group)) for name, group in groupby(ordered, key=lambda r: r.id.partition("/")[0])]


def _page(rule: Rule, same_defect: Sequence[str]) -> str:
    summary, why = _summary(rule)
    lines = [f"# {rule.code} {rule.name}", "", escape(summary), "", *_table(rule)]
    if why:
        lines += ["## Why, and what to do instead", "", *_paragraphs(escape(why))]
    if rule.masked:
        lines += [f"Its cases look like secrets; `wardround explain {rule.id}` shows them.", ""]
    else:
        lines += _examples("Reported", rule.invalid[0], rule.case_path)
        lines += [line for case in rule.valid[:1] for line in _examples("Not reported", case, rule.case_path)]
    lines += ["## How to suppress it", "", "In a comment on the line or the line above:", ""]
    lines += ["```", f"wardround: ignore[{rule.id}] the reason", "```", ""]
    if same_defect:
        named = ", ".join(f"`{rule_id}`" for rule_id in same_defect)
        lines += ["## Rules that report the same class of defect", "", named, ""]
    return "\n".join(lines)


def _summary(rule: Rule) -> tuple[str, str]:
    """Return the first sentence of a rule's reason, and the rest."""
    first, _, rest = rule.why.partition("\n")
    if len(first) > len(rule.why.rstrip()) - 1 and ". " in first:
        first, _, rest = first.partition(". ")
        first += "."
    return first, rest.strip()


def _table(rule: Rule) -> list[str]:
    off = rule.off_reason
    rows = {
        "id": f"`{rule.id}`",
        "severity": rule.severity.label,
        "off by default": off,
        "maturity": rule.maturity.value,
        "plane": str(rule.plane),
        "defect class": f"`{rule.defect_class}`",
        "judgements": _judgements(rule) or "not read",
        "more": f"[{rule.url}]({rule.url})" if rule.url else "",
    }
    return ["| | |", "|---|---|", *(f"| {k} | {_cell(v)} |" for k, v in rows.items() if v), ""]


def _judgements(rule: Rule) -> str:
    """Return how often its findings were judged, with which verdicts, and the consequence; empty if never."""
    counts = reading_counts().get(rule.id)
    texts = [] if counts is None else list(filter(None, [counts.summary(), consequence(rule, counts)]))
    kinds = sorted(kinds_off().get(rule.id, ()))
    return "; ".join([*texts, *([f"off in {', '.join(kinds)}"] if kinds else [])])


def _examples(title: str, case: Case, path: str) -> list[str]:
    lines = as_lines(case, path)
    fence = "````" if any("```" in line for line in lines) else "```"
    name = PurePosixPath(path)
    language = _LANGUAGES.get(name.suffix or name.name, "")
    return [f"## {title}", "", f"{fence}{language}", *lines, fence, ""]


def _paragraphs(text: str) -> list[str]:
    return [line for part in text.split("\n\n") for line in (" ".join(part.split()), "")]


def _codes(rules: Sequence[Rule]) -> str:
    lines = ["| code | reports | default | plane | defect class | judgements |", "|---|---|---|---|---|---|"]
    for rule in rules:
        off = f" Off by default: {rule.off_reason}." if rule.off_reason else ""
        cells = (
            f"{rule.code} {rule.name}",
            f"{escape(rule.why)}{off}",
            rule.severity.label if rule.is_shown else "off",
            str(rule.plane),
            rule.defect_class,
            _count_text(rule),
        )
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _count_text(rule: Rule) -> str:
    counts = reading_counts().get(rule.id)
    return "" if counts is None else counts.summary()


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def escape(text: str) -> str:
    """Return a text in which only code in backticks is markup."""
    return _CODE_OR_MARKUP.sub(lambda match: match["code"] or _ENTITIES.get(match[0], f"\\{match[0]}"), text)
