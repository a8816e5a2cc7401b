"""Guards that protected a piece of code before a change, and are missing after it.

A plugin parses its language into ``Body``s; the comparison is language-independent. A guard counts as
removed only if no added line contains anything of its kind, and the guarded action still happens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from wardround.checks.registry import BeforeAfter
from wardround.lazy import LazyPattern
from wardround.text.keyword_index import KeywordMatcher, keyword_index

KINDS: Mapping[str, LazyPattern] = {
    "lock": LazyPattern(
        r"(?i)(?:^|[^a-z])r?locks?(?![a-z])|mutex|semaphore|synchronized|_lock\b|(?-i:[a-z]Lock\b)|run_?exclusive"
    ),
    "transaction": LazyPattern(
        r"(?i)\batomic\b|transaction|begin_nested|\.begin\(|savepoint|unit_?of_?work|for_?update\b|\bconn(?:ection)?:?$"
    ),
    "permission": LazyPattern(
        r"(?i)_required\b|requires?_?(?:auth|login|admin|perm|role|owner|user|staff|scope|session)"
        r"|permission|has_?perm|authori[sz]e|authenticat|use_?guards|csrf_?protect|forbidden|unauthori[sz]ed"
        r"|is_?(?:admin|owner|staff|superuser|member|moderator|self|public|private|allowed)"
        r"|(?:can|may)_?(?:edit|view|read|write|delete|access|manage|update|create|see)"
        r"|(?:check|ensure|assert|verify)_?(?:access|owner|auth|user|role|admin|session|login|token|signature)"
    ),
    "owner": LazyPattern(
        r"(?i)for_user|_and_org|current_?(?:user|org|team)|(?:req|request|ctx|session)\.user|(?-i:[a-z](?:User|Org|Tenant|Team|Owner)Id)"
        r"|\b(?:user|owner|org|tenant|team|project|workspace)_?id\b"
    ),
    "check": LazyPattern(
        r"(?i)(?<!in)(?<!re)validat|sanit|is_?safe|is_?valid|is_?path_?inside|is_relative_to|secure_filename|raise_for_status|\.ok\b"
        r"|(?:verify|ensure|check|assert)_?(?:path|url|host|origin|size|type|signature|limit|quota|safe|valid|name|csrf|checksum|hash)"
        r"|throttle|rate_?limit"
    ),
    "escape": LazyPattern(r"(?i)escape|\bquote(?:_\w+)?\(|encode_?uri_?component|sanit|bleach|nh3|purify"),
    "timeout": LazyPattern(r"(?i)time_?out|wait_for\b|deadline|promise\.race|abort_?signal|\bsignal\s*[:,}]"),
    "limit": LazyPattern(
        r"(?i)(?:^|[^a-z])max_?(?!im)[a-z]|_max\b|(?<!de)(?<!un)(?<=[a-z])limit|(?<!de)(?<!un)limit_|_limit|\bmin\("
    ),
    "finally": LazyPattern(
        r"\bfinally\b|\bwith\b|\busing\b|ExitStack|onCleanup|onUnmount|ngOnDestroy|atexit"
    ),
}
"""The words of each kind of guard; a line without any of its words contains no guard of the kind."""


_STEMS = KeywordMatcher((
    "lock", "mutex", "semaphore", "synchronized", "exclusive", "atomic", "transaction", "nested", "begin",
    "savepoint", "unit_of", "unitof", "for_update", "forupdate", "conn", "require", "perm", "authori",
    "authent", "guard", "csrf", "forbidden", "admin", "owner", "staff", "superuser", "member",
    "moderator", "is_self", "isself", "public", "private", "allowed", "can_", "may_", "canedit",
    "canview", "canread", "canwrite", "candelete", "canaccess", "canmanage", "canupdate", "cancreate",
    "cansee", "mayedit", "mayview", "mayread", "maywrite", "maydelete", "mayaccess", "maymanage",
    "mayupdate", "maycreate", "maysee", "check", "ensure", "assert", "verify", "user", "org", "tenant",
    "team", "project", "workspace", "validat", "sanit", "safe", "valid", "ispath", "is_path",
    "relative_to", "secure_filename", "raise_for_status", ".ok", "throttle", "rate_limit", "ratelimit",
    "escape", "quote", "encode_uri", "encodeuri", "component", "bleach", "nh3", "purify", "time_out",
    "timeout", "wait_for", "deadline", "race", "abort", "signal", "max", "limit", "min(", "finally",
    "with", "using", "exitstack", "cleanup", "unmount", "destroy", "atexit",
))  # fmt: skip
"""Every source with a guard contains one of these, in lower case."""


def removes_none_test(base: str, text: str) -> bool:
    """Return True if a line of the base that tests for a missing value is nowhere in a text."""
    if base.endswith("\n") and text.startswith(base):
        return False
    removed = " ".join(set(base.split("\n")).difference(text.split("\n")))
    if not any(word in removed for word in _NONE_WORDS):
        return False
    lines = (_line_at(base, found.start()) for found in _NONE_TEST.finditer(base))
    return any(line not in text for line in lines)


def _line_at(text: str, offset: int) -> str:
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    return text[start : end if end >= 0 else len(text)].strip()


_NONE_WORDS = ("is None", "if not ", "if (!", "==")
"""One of these is at the start of every match of the pattern."""
_NONE_TEST = LazyPattern(r"\bis None\b|\bif not \w+\b|\bif \(!\w+\b|==\s*(?:null|undefined)\b")


def may_be_guarded(file: BeforeAfter) -> bool:
    """Return True if a file names anything that may be a guard, now or before the change; a prefilter."""
    text, base = file.text or "", file.base_text or ""
    if removes_none_test(base, text):
        return True
    if _STEMS.matches_any(keyword_index(text).in_lower_case):
        return True
    return not text.startswith(base) and _STEMS.matches_any(keyword_index(base).in_lower_case)


GUARDS_NOTHING = LazyPattern(
    r"(?:^|\.)_?(?:add|clear|close|create|delete|dispatch|emit|fetch|get|grant|handle|init|load|log|notify|on|open"
    r"|prefetch|queue|refresh|remove|render|report|request|reset|revoke|save|schedule|send|set|show|store|subscribe"
    r"|toast|toggle|track|update)(?=[A-Z_]|$)(?!\w*(?:OrThrow|OrFail|_or_))\w*$"
    r"|(?i:(?:client|api|sdk|service|page|browser|session|gateway|provider)\.(?:authenticat|authori[sz])e\w*$)"
)
"""Calls that modify, show or fetch the object of their names, or log in elsewhere; none of them rejects."""
CLEANS = LazyPattern(
    r"(?i)^(?:a?close|release|unlink|remove|rmtree|clean_?up|shutdown|disconnect|terminate|kill|stop|unlock|dispose"
    r"|destroy|rollback)(?:_\w*|all|(?-i:[A-Z]\w*))?$"
)
"""Calls that return something."""


class Guard(msgspec.Struct, frozen=True):
    """A protection of the operations under it or after it.

    Attributes:
        kind: a member of ``KINDS``.
        word: its name in messages.
        acts: the protected actions, by the names of ``Body.acts``.
        least: the number of those that must remain for it to be missed.
        leaves: True for a condition under which the function exits.
        names: its own name and those of its arguments, if they name guards.
        about: the values it inspects, by the names of ``Body.acts``; removed with them, it is not missed.
    """

    kind: str
    word: str
    acts: frozenset[str]
    least: int = 1
    leaves: bool = False
    about: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


class TestedValues(msgspec.Struct, frozen=True):
    """The names of a function whose values may be missing.

    Attributes:
        required: values without which it returns.
        tests: values that it tests in any form.
        sources: name -> the source of the assigned value, or of a declared type that includes a missing
            value.
        passed: name -> the position (line, column) where it is first an argument of a call.
    """

    required: frozenset[str] = frozenset()
    tests: frozenset[str] = frozenset()
    sources: Mapping[str, str] = {}
    passed: Mapping[str, tuple[int, int]] = {}


class GuardedFunction(msgspec.Struct, frozen=True, dict=True):
    """One function, before or after.

    Attributes:
        acts: its actions that can need protection, with the positions (line, column) of each, in order.
        calls: the called functions, verbatim, and the names it passes as arguments.
        exits: the number of conditions under which it exits.
        parameters: the names of its parameters, without the receiver.
        place: the position of its name.
        group: its kind of entry point, if all of that kind in a file are open to the same people.
        read_values: returns the names whose values may be missing; few functions need them.
    """

    name: str
    guards: tuple[Guard, ...]
    acts: Mapping[str, Sequence[tuple[int, int]]]
    calls: frozenset[str]
    exits: int = 0
    parameters: tuple[str, ...] = ()
    place: tuple[int, int] = (1, 1)
    group: str = ""
    read_values: Callable[[], TestedValues] = TestedValues

    @cached_property
    def values(self) -> TestedValues:
        """The names whose values may be missing."""
        return self.read_values()


class GuardRemoval(msgspec.Struct, frozen=True):
    """A removed guard; ``place`` is the position at which the first protected action still happens."""

    guard: Guard
    body: GuardedFunction
    act: str
    place: tuple[int, int]


def missing_kinds(removed: Iterable[str], added: Iterable[str]) -> frozenset[str]:
    """Return the kinds of guards on removed lines and on no added line."""
    before, after = "\n".join(removed), "\n".join(added)
    return frozenset(
        kind for kind, words in KINDS.items() if words.search(before) and not words.search(after)
    )


def moved_lines(base: str, head: str) -> tuple[list[str], list[str]]:
    """Return the lines only the base has and those only the head has, anywhere, without indentation."""
    old, new = (Counter(map(str.strip, text.split("\n"))) for text in (base, head))
    return list((old - new).elements()), list((new - old).elements())


def unwrapped_values(removed: Sequence[str], added: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Return values that a change unwrapped from an escaping call in a text: call, value, the new line."""
    if len(added) > _MOST_LINES:
        return
    for line in removed[:_MOST_LINES]:
        for found in _WRAPPED.finditer(line):
            value, call = found["value"].strip(), found["call"]
            if not KINDS["escape"].search(call + "("):
                continue
            bare = _squeeze(line.replace(found[0], value))
            into = (f"{{{value}}}", f"+{value}", f"{value}+", f"={{{value}")
            for current in added:
                tight = _squeeze(current)
                if tight == bare or (
                    any(added_text in tight for added_text in into) and _is_alike(bare, tight)
                ):
                    yield call, value, current


def unescaped_values(
    lines: Sequence[str], is_added: Callable[[int], bool]
) -> Iterator[tuple[int, int, str, str]]:
    """Return values that a new line inserts unescaped, while every old line escapes them there.

    Returns line, column, value and the escaping call: ``/posts/${id}`` next to ``/posts/${encode(id)}``.
    """
    old_calls: dict[tuple[str, str], list[str]] = {}
    raw: list[tuple[int, int, tuple[str, str]]] = []
    for number, line in enumerate(lines, 1):
        if "{" not in line or len(line) > _LONGEST_LINE:
            continue
        is_new = is_added(number)
        for filled in _FILLED.finditer(line):
            key = (filled["before"], filled["value"])
            if not is_new:
                old_calls.setdefault(key, []).append(_escaping_call(filled["call"] or ""))
            elif not filled["call"]:
                raw.append((number, filled.start("value") + 1, key))
    for number, column, key in raw:
        calls = old_calls.get(key, [])
        if len(calls) >= _SIBLINGS and all(calls):
            yield number, column, key[1], calls[0]


def _escaping_call(call: str) -> str:
    """Return a call that escapes its argument; empty for another one."""
    return call if KINDS["escape"].search(call + "(") else ""


def unchecked_calls(lines: Sequence[str], is_added: Callable[[int], bool]) -> Iterator[tuple[int, int, str]]:
    """Return new statements that occur in the file already, there with a check of the result, here without.

    Returns line, column and the checking call: ``at = join(root, name)``, then ``if not is_in(root, at)``.
    """
    checks: dict[str, list[str]] = {}
    new: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        statement = line.strip()
        given = _GIVEN.match(statement) if len(statement) < _LONGEST_LINE else None
        if given is None:
            continue
        if is_added(number):
            new.append((number, statement))
        else:
            checks.setdefault(statement, []).append(_asker(given["name"], lines[number : number + _NEXT]))
    for number, statement in new:
        check = _only_check(checks.get(statement, []))
        if check and not _is_called(check, lines[number : number + _REST]):
            indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
            yield number, indent + 1, check


def _only_check(checks: Sequence[str]) -> str:
    """Return the check after every old statement; empty if they differ, or one has none."""
    return checks[0] if len(set(checks)) == 1 else ""


def _is_called(name: str, lines: Sequence[str]) -> bool:
    call = re.compile(rf"\b{re.escape(name)}\(")
    return any(call.search(line) for line in lines)


def _asker(name: str, after: Sequence[str]) -> str:
    """Return the call by which the condition below a statement checks the assigned name; else empty."""
    first = next((line.strip() for line in after if line.strip()), "")
    if not first.startswith(("if ", "if(")):
        return ""
    for call in _ASKS.finditer(first):
        is_check = any(KINDS[kind].search(call["call"] + "(") for kind in ("check", "permission"))
        if is_check and re.search(rf"\b{re.escape(name)}\b", call["given"]):
            return call["call"].rpartition(".")[2]
    return ""


_GIVEN = LazyPattern(
    r"(?:(?:const|let|var) )?(?P<name>[A-Za-z_$][\w$]*) = (?:await )?[\w$.]{3,60}\(.{8,}\)[;]?$"
)
_ASKS = LazyPattern(r"(?P<call>[\w$.]{3,60})\((?P<given>[^{}]{1,200})")
_NEXT, _REST = 2, 15
"""The number of lines below a statement for its check, and for an equivalent of it."""
_FILLED = LazyPattern(
    r"(?P<before>[\w/?&=.:-]{3,40})\$?\{(?:(?P<call>[\w$.]{3,40})\()?(?P<value>[A-Za-z_$][\w$.]{0,60})\)?\}"
)
_LONGEST_LINE = 2_000
_SIBLINGS = 2
_WRAPPED = LazyPattern(r"(?P<call>[\w$.]{3,60})\((?P<value>[\w$.\[\]'\"?]{1,80})\)")
_ALIKE = 0.7
_MOST_LINES = 400
"""Maximum number of lines of one file; above it the file is rewritten."""


def _squeeze(line: str) -> str:
    return "".join(line.split())


def _is_alike(entry: str, other: str) -> bool:
    """Return True if two lines share most of their words."""
    words, others = (set(_WORDS.findall(text)) for text in (entry, other))
    return len(words & others) >= _ALIKE * max(len(words), 1)


_WORDS = LazyPattern(r"[\w$]+")


def removed_guards(
    before: Sequence[GuardedFunction],
    after: Sequence[GuardedFunction],
    kinds: frozenset[str],
    is_added: Callable[[int], bool],
) -> Iterator[GuardRemoval]:
    """Return the guards of some kinds that a function had, itself or in a function of the file it calls."""
    old, new = _group_by_name(before), _group_by_name(after)
    for body in after:
        previous = old.get(body.name)
        if previous is None:
            continue
        current = [body, *_called_bodies(body, new)]
        held = {guard.kind for function in current for guard in function.guards}
        called = _called_bodies(previous, old)
        were = [previous, *called]
        for guard in _guards(previous, called):
            if guard.kind in kinds and guard.kind not in held and not _is_settled(guard, were, current):
                left = _remaining_actions(guard, current)
                if len(left) >= guard.least:
                    held.add(guard.kind)
                    yield GuardRemoval(guard, body, *_reported_position(left, is_added))


def removed_none_tests(
    before: Sequence[GuardedFunction], after: Sequence[GuardedFunction]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Return the names that a function passes on without the test for a missing value it made before.

    Their sources are the same as before. Functions of the file that are called may test it instead.
    """
    old, new = _group_by_name(before), _group_by_name(after)
    for body in after:
        previous = old.get(body.name)
        if previous is None or body.exits >= previous.exits or not previous.values.required:
            continue
        if not any(
            called.values.tests.intersection(called.parameters) for called in _called_bodies(body, new)
        ):
            yield from _untested_values(previous.values, body.values)


def _untested_values(previous: TestedValues, current: TestedValues) -> Iterator[tuple[str, tuple[int, int]]]:
    for name in sorted(previous.required - current.tests):
        source = current.sources.get(name)
        if source is not None and source == previous.sources.get(name) and name in current.passed:
            yield name, current.passed[name]


def _is_settled(guard: Guard, were: Sequence[GuardedFunction], current: Sequence[GuardedFunction]) -> bool:
    """Return True if an equivalent check exists, or nothing is left to check."""
    if guard.leaves and sum(body.exits for body in current) >= sum(body.exits for body in were):
        return True
    return bool(guard.about) and not any(act in guard.about for body in current for act in body.acts)


def _guards(previous: GuardedFunction, called: Sequence[GuardedFunction]) -> Iterator[Guard]:
    """Yield the guards of a function, and those of its callees for operations that it did not perform itself.

    A function that calls ``self.connect``, which calls ``self.relay.connect`` with a time limit, has a call
    of that name already, which the limit was never for.
    """
    yield from previous.guards
    for body in called:
        for guard in body.guards:
            yield msgspec.structs.replace(guard, acts=guard.acts - previous.acts.keys())


_Left = Sequence[tuple[str, Sequence[tuple[int, int]]]]


def _remaining_actions(guard: Guard, bodies: Sequence[GuardedFunction]) -> _Left:
    """Return the protected actions that still happen: in the function itself, or else in one it calls."""
    for body in bodies:
        found = [(act, locations) for act, locations in body.acts.items() if act in guard.acts]
        if len(found) >= guard.least:
            return found
    return []


def _reported_position(left: _Left, is_added: Callable[[int], bool]) -> tuple[str, tuple[int, int]]:
    """Return the position to report: the first that the change wrote, or else the first."""
    every = sorted((location, act) for act, locations in left for location in locations)
    location, act = next((item for item in every if is_added(item[0][0])), every[0])
    return act, location


def _group_by_name(bodies: Sequence[GuardedFunction]) -> dict[str, GuardedFunction]:
    return {body.name: body for body in reversed(bodies)}


def _called_bodies(body: GuardedFunction, known: Mapping[str, GuardedFunction]) -> list[GuardedFunction]:
    """Return the functions of the same file that a function calls: by name, or of the same object."""
    holder = body.name.rpartition(".")[0]
    return [
        function
        for name, function in known.items()
        if name != body.name
        and (
            name in body.calls
            or (holder and name.rpartition(".")[0] == holder and _is_defined_in(name, body))
        )
    ]


def _is_defined_in(name: str, body: GuardedFunction) -> bool:
    last = name.rpartition(".")[2]
    return f"self.{last}" in body.calls or f"this.{last}" in body.calls


_OF_ALL = frozenset(
    {"self", "cls", "request", "req", "res", "response", "reply", "ctx", "context", "socket", "next", "event"}
    | {
        "args",
        "kwargs",
        "options",
        "config",
        "params",
        "callback",
        "e",
        "err",
        "error",
        "value",
        "name",
        "data",
    }
    | {"props", "input", "parsedInput", "body", "payload"}
)
"""Parameters that do not identify the object on which a function operates."""


class Unlike(msgspec.Struct, frozen=True):
    """A new function without the guard of its siblings; ``shared`` is their common property."""

    body: GuardedFunction
    shared: str
    guards: tuple[str, ...]
    siblings: int


def outliers(bodies: Sequence[GuardedFunction], is_added: Callable[[int], bool]) -> Iterator[Unlike]:
    """Return new functions that lack the guards of all others of the file that work on the same thing.

    A function that a guarded one of the file calls is its helper.
    """
    known = _group_by_name(bodies)
    names = {body.name: _guard_names([body, *_called_bodies(body, known)]) for body in bodies}
    helpers: set[str] = set()
    for body in bodies:
        if names[body.name]:
            helpers.update(map(_last, body.calls))
    acting = [body for body in bodies if body.acts]
    old = [body for body in acting if not is_added(body.place[0])]
    for body in acting:
        if is_added(body.place[0]) and _last(body.name) not in helpers:
            yield from _unlike(body, old, names)


def _unlike(
    body: GuardedFunction, old: Sequence[GuardedFunction], names: Mapping[str, frozenset[str]]
) -> Iterator[Unlike]:
    """Return the first group of siblings whose guards a function lacks."""
    own = names[body.name]
    held = own | {call.rpartition(".")[2] for call in body.calls}
    for shared, others in _siblings(body, old):
        theirs = [names[other.name] for other in others]
        missed = _missing_guards(theirs, own, held, is_alike=shared not in body.parameters)
        if missed:
            yield Unlike(body, shared, missed, len(others))
            return


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _siblings(
    body: GuardedFunction, others: Sequence[GuardedFunction]
) -> Iterator[tuple[str, list[GuardedFunction]]]:
    """Return the siblings of a function: with the same parameter, the same parameters, or the same group."""
    near = _sibling_functions(body, others)
    yield from _siblings_with_same_parameter(body, near)
    if len(body.parameters) > 1:
        alike = [other for other in near if other.parameters == body.parameters]
        yield ", ".join(body.parameters), alike
    if body.group:
        yield body.group, [other for other in near if other.group == body.group]


def _siblings_with_same_parameter(
    body: GuardedFunction, others: Sequence[GuardedFunction]
) -> Iterator[tuple[str, list[GuardedFunction]]]:
    for parameter in body.parameters:
        if parameter not in _OF_ALL:
            yield parameter, [other for other in others if parameter in other.parameters]


def _sibling_functions(body: GuardedFunction, others: Sequence[GuardedFunction]) -> list[GuardedFunction]:
    """Return the other functions of a class or module; for one that reads, only those that read."""
    holder, _, own_name = body.name.rpartition(".")
    near = [other for other in others if other.name.rpartition(".")[0] == holder and other.name != body.name]
    if not _READS.search(own_name):
        return near
    return [other for other in near if _READS.search(other.name.rpartition(".")[2])]


def _missing_guards(
    theirs: Sequence[frozenset[str]], own: frozenset[str], held: frozenset[str], *, is_alike: bool
) -> tuple[str, ...]:
    """Return the guards that a function lacks and each of its siblings has: the same, or one more."""
    if len(theirs) < _SIBLINGS:
        return ()
    further = [guards - held for guards in theirs]
    missed = _common(theirs, own, held)
    is_unguarded = is_alike and not own and further == list(theirs)
    if not missed and is_unguarded and all(theirs):
        missed = frozenset().union(*theirs)
    if not missed and len(theirs) > _SIBLINGS:
        missed = _decorators_of_each(further)
    return tuple(sorted(missed))


def _decorators_of_each(guards: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the decorators of the functions, if each of them has one."""
    decorators = list(map(_decorators, guards))
    return frozenset[str]().union(*decorators) if all(decorators) else frozenset()


def _common(theirs: Sequence[frozenset[str]], own: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """Return the guards that all siblings share, if a function has none of them and tests nothing else."""
    common = frozenset.intersection(*theirs)
    tests = own - _decorators(own)
    return common if common.isdisjoint(held) and not any(tests) else frozenset()


def _decorators(guards: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in guards if name.startswith("@"))


def _guard_names(bodies: Sequence[GuardedFunction]) -> frozenset[str]:
    kinds = ("permission", "owner")
    return frozenset(
        name
        for body in bodies
        for guard in body.guards
        if guard.kind in kinds
        for name in guard.names
        if not _NO_GUARD.search(name)
    )


_READS = LazyPattern(
    r"(?i)^_?(get|list|show|read|find|count|is|has|fetch|load|search|status|summary|index|view)"
)
_NO_GUARD = LazyPattern(r"(?i)_?id$|error$|^permissions?$|forbidden|unauthori[sz]ed")
