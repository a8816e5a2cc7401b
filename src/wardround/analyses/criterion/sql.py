"""Criteria about a database, judged by the statements that a change adds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from wardround.analyses.criterion.added_code import AddedCode, Language
from wardround.analyses.criterion.demand import Demand, Literal, LiteralKind, covered_words, stems
from wardround.analyses.criterion.literal_search import lines_with
from wardround.analyses.criterion.results import CodeSpan, Judgement, met_judgement, not_met
from wardround.analyses.criterion.sql_statements import Statement, about_columns, statements_of

_DEFINES = re.compile(r"\s*(?:create|alter|drop|rename)\b")
_SAYS_NOTHING = re.compile(r"\s*(?:comment on|select\s+(?:null|'|\d)|do\b|begin\b|commit\b|set\b|analyze\b)")
_NEEDS = (
    (r"\b(?:required|mandatory|not null|not nullable|non-null)\b", r"(?<!is )\bnot null\b|\bprimary key\b"),
    (r"\b(?:optional|nullable)\b", r"\bdrop not null\b|\badd column(?!.*\bnot null\b)|\bcreate table\b"),
    (r"\bunique(?:ly|ness)?\b", r"\bunique\b"),
    (r"\bindex(?:ed|es)?\b", r"\bindex\b"),
    (r"\bprimary key\b", r"\bprimary key\b"),
    (r"\b(?:foreign key|references?|refers)\b", r"\breferences\b"),
    (r"\bcascad\w*\b", r"\bcascade\b"),
    (r"\bview\b", r"\bview\b|^\s*(?:with|select)\b|\{\{"),
    (r"\b(?:removed|dropped|no longer)\b", r"\bdrop\b"),
    (r"\brenamed?\b", r"\brename\b"),
    (r"\bdefaults?\b", r"\bdefault\b"),
    (r"\b(?:positive|greater than|at least|between|non-negative)\b", r"\bcheck\b"),
    (r"\bpartition", r"\bpartition by\b|\bpartition of\b"),
    (r"\btriggers?\b", r"\btrigger\b"),
    (r"\bmaterialized\b", r"\bmaterialized\b"),
    (r"\bconcurrently\b|\bwithout locking\b", r"\bconcurrently\b"),
)
"""Cues of a criterion, and what a statement must have then."""
_STRUCTURE = re.compile(
    r"\b(?:columns?|tables?|index(?:ed)?|unique|required|nullable|primary key|foreign key|constraint|type|"
    r"defaults?)\b"
)
_INVERTS = re.compile(r"(?:<>|!=|\bnot in\s*\(|\bnot like|\bis not)\s*[^=<>]{0,40}$")
_ONLY_DROPS = re.compile(
    r"^\s*(?:drop|alter table \S+\s+drop)\b(?!.*\b(?:add|drop not null|alter column|rename)\b)"
)
_IS_GONE = re.compile(r"\b(?:no longer|removed?|dropp?\w*|deleted?|optional|nullable|not?)\b", re.IGNORECASE)
_OBJECTS = re.compile(r"[\w.]+|\w+ ?\([^\W\d]\w*(?:, ?[^\W\d]\w*)*\)")
_TYPES = re.compile(
    r"\b(?:integer|bigint|text|varchar|boolean|timestamptz?|date|uuid|jsonb?|numeric|decimal)\b"
)


def judge_sql(demand: Demand, codes: Sequence[AddedCode]) -> Judgement | None:
    """Judge a criterion that names tables, columns or values; None if the statements do not decide it."""
    names = _names(demand)
    statements = [
        candidate for code in codes if code.language is Language.SQL for candidate in statements_of(code)
    ]
    if not names or not statements:
        return None
    matching = [candidate for candidate in statements if all(_has_literal(name, candidate) for name in names)]
    useful = [candidate for candidate in matching if _is_useful(demand, candidate)]
    if not matching:
        is_all_sql = all(code.language is Language.SQL for code in codes)
        return not_met(f"no added statement has {_keyword_pattern(names)}") if is_all_sql else None
    columns = [name.text for name in names]
    for candidate in useful:
        if reason := _contradiction(demand, about_columns(candidate, columns)):
            return not_met(reason)
    shown = [candidate for candidate in useful if _shows_demand(demand, about_columns(candidate, columns))]
    if not shown:
        return not_met(f"no added statement with {_keyword_pattern(names)} does what the criterion demands")
    if demand.is_negative and not _is_selection(demand):
        return None
    statement = shown[0]
    if not demand.removes and _is_undone(statement, names, statements):
        return not_met("a later statement of the change drops it again")
    span = CodeSpan(statement.path, statement.lines[0].number, statement.lines[-1].number)
    return met_judgement("an added statement defines it", [span])


def _is_undone(statement: Statement, names: Sequence[Literal], statements: Sequence[Statement]) -> bool:
    later = statements[statements.index(statement) + 1 :]
    return any(
        other.path == statement.path
        and re.match(r"\s*drop\b|.*\bdrop column\b", other.bare)
        and all(_has_literal(name, other) for name in names)
        for other in later
    )


def _keyword_pattern(names: Sequence[Literal]) -> str:
    return " and ".join(dict.fromkeys(repr(name.text) for name in names))


def _names(demand: Demand) -> list[Literal]:
    """Return the literals that name database objects, dotted ones and lists of columns as their parts."""
    found: list[Literal] = []
    for literal in demand.literals:
        if literal.kind is LiteralKind.NAME and _OBJECTS.fullmatch(literal.text):
            parts = re.findall(r"\w+", literal.text.lower())
            found += [
                Literal(part, LiteralKind.NAME, (part,)) for part in parts if not _TYPES.fullmatch(part)
            ]
    return found


def _has_literal(name: Literal, statement: Statement) -> bool:
    model = (
        PurePosixPath(statement.path).stem.lower()
        if re.match(r"\s*(?:with|select)\b", statement.bare)
        else ""
    )
    text = f"{model} {statement.bare}"
    return any(re.search(rf"(?<!\w){re.escape(spelling)}(?!\w)", text) for spelling in name.spellings)


def _is_useful(demand: Demand, statement: Statement) -> bool:
    if _SAYS_NOTHING.match(statement.bare):
        return False
    if _ONLY_DROPS.search(statement.bare) and not demand.removes and not _IS_GONE.search(demand.text):
        return False
    return _DEFINES.match(statement.bare) is not None or not _STRUCTURE.search(demand.text.lower())


def _contradiction(demand: Demand, statement: Statement) -> str:
    """Return the reason why a statement states the opposite; empty if it does not."""
    if demand.default:
        default = re.search(r"\bdefault\s+\(?('(?:[^']*)'|[\w.-]+)", statement.text)
        if default and default[1].strip("'") != demand.default:
            return f"the added default is {default[1]}, not {demand.default}"
    for literal in demand.literals:
        is_positive = not demand.is_negative or _is_selection(demand)
        if literal.kind is LiteralKind.TEXT and is_positive and _is_inverted(literal, statement):
            return f"the statement excludes '{literal.text}'"
        if (
            literal.kind is LiteralKind.TEXT
            and _is_selection(demand)
            and _is_only_selected(literal, statement)
        ):
            return f"no condition of the statement has '{literal.text}'"
    return ""


def _is_only_selected(literal: Literal, statement: Statement) -> bool:
    """Return True for a value that a query has before its conditions only."""
    columns, where, conditions = statement.text.partition("where ")
    return bool(where) and literal.text.lower() in columns and literal.text.lower() not in conditions


def _is_inverted(literal: Literal, statement: Statement) -> bool:
    for spelling in literal.spellings:
        at = statement.text.find(f"'{spelling}'")
        if at >= 0 and _INVERTS.search(statement.text[:at].replace("'", " ")):
            return True
    return False


def _shows_demand(demand: Demand, statement: Statement) -> bool:
    text = demand.text.lower()
    needs = all(re.search(need, statement.bare) for cue, need in _NEEDS if re.search(cue, text))
    others = [
        literal
        for literal in demand.literals
        if literal.kind is not LiteralKind.NAME or _TYPES.fullmatch(literal.text.lower())
    ]
    fragments = [
        literal for literal in demand.literals if literal.kind is LiteralKind.NAME and not _is_plain(literal)
    ]
    has_values = all(_has_value(literal, statement) for literal in others) and all(
        _has_fragment(fragment, statement) for fragment in fragments
    )
    words = demand.words - stems(" ".join(_CUES))
    enough = not words or len(covered_words(words, stems(statement.text))) * 2 >= len(words)
    return needs and has_values and enough


_CUES = (
    "column table index unique required mandatory nullable optional view type default defaults primary "
    "foreign key constraint",
    "accept accepts allow allows value values one foreign unique together together pair combination "
    "named rename renamed removed dropped rows row store stored database schema migration contain contains "
    "refer references",
)


def _has_value(literal: Literal, statement: Statement) -> bool:
    if _TYPES.fullmatch(literal.text.lower()):
        return literal.text.lower() in statement.bare
    return bool(lines_with(literal, statement.lines))


def _is_plain(literal: Literal) -> bool:
    return re.fullmatch(r"[\w.]+", literal.text) is not None


def _has_fragment(literal: Literal, statement: Statement) -> bool:
    """Return True if a statement has a piece of SQL, apart from spaces and the direction of sorting."""
    pattern = rf"(?<!\w){re.escape(_compact(literal.text))}(?!\w)"
    return re.search(pattern, _compact(statement.text)) is not None


def _compact(text: str) -> str:
    """Lower case with single spaces, none around punctuation."""
    undirected = re.sub(r" (?:asc|desc)(?= ?[,)])", "", " ".join(text.lower().split()))
    return re.sub(r" ?([(),=<>;]) ?", r"\1", undirected)


def _is_selection(demand: Demand) -> bool:
    """Return True for "only rows with", which a WHERE clause shows."""
    negative = re.findall(
        r"\b(?:not|no|never|cannot|without|unless|except|excluded?s?|hidden)\b", demand.text.lower()
    )
    return ("only" in demand.text.lower() and not negative) or bool(
        re.search(r"\bnot null\b|\bno longer\b", demand.text.lower())
    )
