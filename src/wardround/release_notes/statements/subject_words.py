"""How subjects of each kind begin, in the words of people who follow no convention."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern


def _opening(*phrases: str) -> LazyPattern:
    return LazyPattern(f"(?:{'|'.join(phrases)})", re.IGNORECASE)


_FEW = r"(?:\S{1,40} ){0,4}?"
"""Up to four words, such as adjectives and names."""

HOUSEKEEPING = _opening(
    r"(?:bump(?:ed|s)? (?:the )?version|version bump|bump to v?\d|bump v?\d|set version|version v?\d)",
    r"(?:prepare|preparing) (?:for |the )?(?:\S{1,40} )?(?:release|v?\d)",
    r"(?:release[sd]?|releasing)(?: \S{1,30})? v?\d",
    r"(?:release|releasing)(?: \S{1,30})?$",
    r"start (?:new |next |the )?(?:version|development|dev|v?\d)\b",
    r"(?:begin|back to|open) (?:new |next )?(?:development|dev)\b",
    r"next (?:dev(?:elopment)?|version)\b",
    r"(?:post|pre)[- ]release\b",
    r"(?:update|add|fix|tweak|amend|edit|adjust|clean up)(?:s|d|ed)? (?:the |missing |a |to )*"
    r"(?:change ?log|changes|news|history|release notes?)\b",
    r"change ?log\b",
    r"v?\d+\.\d+(?:\.\d+)?\S{0,10}(?: release)?$",
    r"(?:update|change|increment|increase) (?:the )?version(?: number)?(?: to v?\d\S{0,20})?$",
    r"(?:dist|browser files?|bundles?) (?:re)?build$",
    r"(?:run|ran|apply|applied) (?:black|prettier|ruff|isort|pyupgrade|the linter|formatter|pre-commit"
    r"|autopep8|yapf)\b",
    r"(?:update|bump|upgrade|pin|unpin|lock|refresh)(?:s|d|ped)? (?:all |the |some |dev(?:elopment)? "
    r"|test |pinned )*"
    r"(?:dependenc(?:y|ies)|deps|requirements|pre-commit|lock ?files?|hooks|(?:github )?actions"
    r"|project files|metadata"
    r"|copyright|year|submodules?)\b",
    r"(?:happy )?new year\b",
    r"pre-commit\b",
    r"merge\b",
)
_TOOLS = (
    r"(?:lint|linting|flake8|ruff|mypy|pylint|black|isort|pyright|pre-commit|pyupgrade|autopep8|yapf|prettier"
    r"|eslint)"
)
TOOL = LazyPattern(_TOOLS)
INTERNAL = _opening(
    r"(?:refactor|restructure|reorgani[sz]e|moderni[sz]e|tidy|dedent|indent|rewrap|inline|extract|dry|polish"
    r"|appease|silence)\b",
    r"(?:clean(?:s|ed|ing)?[- ]?up|clean|simplif(?:y|ies|ied)|reformat|format|formatting|cosmetics?"
    r"|consistency|whitespace|spacing|nits?)\b",
    rf"{_TOOLS}\b",
    rf"(?:fix|make|ignore|satisfy|please|enable|configure|add|use|update|switch to|remove|drop) (?:the "
    rf"|some |more |new )?{_TOOLS}\b",
    r"fix (?:formatting|style|indentation|wrapping|coverage|warnings?$|ci\b|(?:the |failing |broken "
    r"|flaky )*(?:tests?|build|travis|workflows?|pipeline)\b|bench)",
    r"(?:re)?move (?:unused|junk|pointless|needless|dead|unneeded|unnecessary|unreachable|redundant|obsolete"
    r"|superfluous|stale"
    r"|extra"
    r"|trailing|blank|commented|debug"
    r"|some|py2|python ?2|six|noqa|pragma|todo)\b",
    r"(?:drop )?unused\b",
    r"(?:move|rename|split|merge|extract|relocate) .{0,80}(?<![\w.])_[a-z]\w*(?:\.\w+)?",
    r"(?:\w+ )?chores?\b",
    r"(?:use|add|switch to|set up|setup|configure|enable) (?:\w+ ){0,2}?(?:pip-compile|dependabot|renovate"
    r"|tox|nox|hatch|codecov|coveralls"
    r"|codeql|sourcery|mergify|cibuildwheel|trusted publish\w+|workflows?|github actions|pytest)\b",
    r".{0,80}\btype[- :]*ignored?\b",
    r"split (?:up |out )?(?:the )?(?:module|file|function|class)\b",
    r"use (?:f-strings?|pathlib|walrus|super\(\)|yield from|set|dict|list|annotations|modern)\b",
    r"(?:update|bump|upgrade) (?:the )?(?:linters?|formatters?|tooling|type checkers?)\b",
    r"(?:switch|migrate|move|convert) to (?:pytest|hatch|flit|poetry|uv|nox|tox|pyproject|github actions|pdm"
    r"|setuptools)\b",
    r"rename (?:internal|private|variable|local|vars?)\b",
    r"(?:un)?quote names\b",
    rf"(?:add|improve|update|expand|more|better|write|extend|adjust|skip|parametri[sz]e|enable|disable|mark"
    rf"|split|move) {_FEW}tests?$",
    r"(?:add|improve|update|more|better|write|extend|adjust|skip) (?:\w+ ){0,2}(?:unit "
    r"|regression )?tests?(?: for| of| to| cases?)?\b",
    r"(?:tests?|ci|coverage|travis|build)\b",
    r"(?:add|remove) noqa\b",
    r"(?:small|minor) (?:refactor\w*|cleanups?|style|changes|tweaks)\b",
    r"(?:code )?style\b",
    r"(?:apply suggestions?|address (?:review|comments|feedback|pr)|(?:review|pr) (?:comments|feedback"
    r"|changes))",
)
_CHANGES_TEXT = (
    r"(?:fix(?:e[sd])?|correct(?:s|ed)?|improve[sd]?|update[sd]?|add(?:s|ed)?|clarif(?:y|ies|ied)|expand(?:s"
    r"|ed)?|tweak(?:s|ed)?"
    r"|reword(?:s|ed)?|polish|rewrite|rewrote|remove[sd]?|extend|mention|clean up|edit|minor|better|more"
    r"|small|some|various)"
)
DOCUMENTATION = _opening(
    rf"{_CHANGES_TEXT} {_FEW}(?:typos?|spelling|grammar|doc ?strings?|docs?|documentation|readme|comments?"
    rf"|tutorials?|sphinx"
    r"|wording|badges?|versionadded|versionchanged|changelog)\b",
    rf"make {_FEW}(?:docs?|doc ?strings?|documentation|readme)\b",
    r"(?:typos?|readme|docs?|doc ?strings?|documentation|document(?:s|ed)?|spelling|grammar|comments?"
    r"|badges?)\b",
)
DEPRECATION = _opening(
    r"(?:un)?deprecat(?:e|es|ed|ing|ion)\b",
    r"(?:emit|raise|issue|add|show) (?:an? )?(?:\w+ )?`?(?:Pending)?Deprecat\w*",
    r".{0,60}\b(?:is|are) (?:now )?deprecated\b",
)
PERFORMANCE = _opening(
    r"(?:speed(?:s|ed)?[- ]?up|speeds?|optimi[sz]e[sd]?|optimi[sz]ations?|faster|performance|perf)\b",
    r"make .{0,60}\bfaster\b",
    rf"(?:improve|increase|boost)[sd]? {_FEW}(?:performance|speed|efficiency)\b",
    rf"reduce[sd]? {_FEW}(?:memory|overhead|allocations?|cpu|latency|time)\b",
    r"(?:lazy|lazily)[- ]?(?:load|import)",
    rf"avoid {_FEW}(?:cop(?:y|ies|ying)|quadratic|allocations?)\b",
    r".{0,80}\b(?:for (?:better )?(?:performance|speed)|performance (?:improvements?|optimi[sz]ations?"
    r"|boost))\b",
)
FIX = _opening(
    r"(?:bug ?|hot ?)?fix(?:e[sd]|ing|up)?\b",
    r"(?:correct(?:s|ed|ly)?|resolve[sd]?|repair(?:s|ed)?|handle[sd]?|prevent(?:s|ed)?|avoid(?:s|ed)?"
    r"|ensure[sd]?)\b",
    r"(?:do not|don['\u2019]t|does not|doesn['\u2019]t|no longer|never|stop(?:s|ped)?|properly|always"
    r"|restore[sd]?|guard(?:s|ed)?)\b",
    r"(?:workaround|work around|regression|patch(?:es|ed)?|bug|make sure|catch(?:es)?|protect|preserve[sd]?"
    r"|respect(?:s|ed)?)\b",
    r"(?:escape[sd]?|flush|honou?rs?|tolerate)\b",
    r".{0,100}\b(?:doesn['\u2019]t (?:fail|crash|raise|break)|no longer|crash(?:es)?|regression|bug ?fix"
    r"|race condition|memory leak)\b",
    r".{0,100}\b(?:infinite (?:loop|recursion)|works? (?:again|for|with|when|on)|instead of (?:failing"
    r"|raising|crashing))\b",
)
FEATURE = _opening(
    r"(?:add(?:s|ed|ing)?|allow(?:s|ed|ing)?|support(?:s|ed|ing)?|implement(?:s|ed|ing)?|introduce[sd]?|new"
    r"|enable[sd]?)\b",
    r"(?:provide[sd]?|expose[sd]?|accept(?:s|ed)?|create[sd]?|extend(?:s|ed)?|let|permit(?:s|ted)?|offer"
    r"|initial)\b",
    r"make (?:it )?(?:possible|configurable)\b",
    r"first (?:version|implementation)\b",
    r".{0,80}\b(?:can now|now (?:supports?|accepts?|allows?)|(?:is|are|be) configurable)\b",
)
SUPPORT = _opening(
    rf"(?:drop|remove|add|require|support|end)(?:s|ped|d|ed)? {_FEW}(?:(?:c?python|pypy|node(?:\.?js)?"
    rf"|django|py) ?v?\d"
    r"|(?:python|node) (?:version|support))",
    r"(?:drop|require|support)(?:s|ped|d|ed)? \d\.\d",
)
"""Versions of a language that a project supports, which users notice though only manifests change."""
SECURITY = LazyPattern(
    r"(?i)\b(?:vulnerabilit(?:y|ies)|security (?:fix|issue|hole|bug|problem)|xss|csrf|ssrf|redos"
    r"|path traversal"
    r"|(?:sql|command|code|header|crlf) injection|denial[- ]of[- ]service)\b"
)
SECURITY_ID = LazyPattern(r"\b(?:CVE-\d{4}-\d{3,9}|GHSA(?:-[0-9a-z]{4}){3})\b")
TRIVIAL = _opening(
    r"(?:wip|typos?|fix(?:es|ed|up)?|oops|minor|updates?|cleanup|clean up|changes?|tests?|lint"
    r"|format(?:ting)?|style|nits?)",
    r"(?:tmp|temp|clarif(?:y|ication)s?|misc|various|more|again|done|ok|stuff|polish|tweaks?|revert"
    r"|refactor(?:ing)?|improvements?"
    r"|final|first|ready|bump)",
    r"(?:small|minor) (?:fix(?:es)?|changes?|tweaks?|updates?)",
    r"(?:fix|add|update|more|adjust|repair) (?:the |some |a )?(?:tests?|lint(?:er|ing)?|ci|build|typos?|mypy"
    r"|flake8|ruff|comments?|docs?"
    r"|changelog|pre-commit|formatting|style|imports?|(?:merge )?conflicts?)",
    r"(?:address|apply|fix|incorporate|resolve)(?:ed|es)? (?:the |some |code )?(?:review|pr|feedback"
    r"|suggestions?|comments?|nits?)(?: .{0,60})?",
    r"(?:review|pr) (?:feedback|comments?|changes|fixes)",
    r"(?:update|create|delete) \S{1,60}\.\w{1,5}",
    r"(?:actually )?(?:update|bump) (?:dev|deps|all|it|this|things)|actually update|(?:work in progress"
    r"|initial commit|commit|try .{0,20}|merge .*)",
)
"""Subjects that say nothing without the other commits; compared as a whole."""
EDITORIAL = _opening(
    r"(?:(?:fix(?:e[sd])?|correct(?:s|ed)?) )?(?:an? |some |more |the |minor |small |few |several |other "
    r"|various )*"
    r"(?:typos?|spelling|grammar|wording|(?:broken |dead )?links?|punctuation)\b",
    r".{0,100}\b(?:typos?|misspell\w*|spelling|grammar|broken links?|dead links?)\b",
)
"""Corrections of the language of documentation, which readers do not want one by one."""
