"""Test names that state an input or expectation which the body contradicts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.stale_test_names import StaleTitle, Titled, titled_tests

_STATUS = LazyPattern(
    r"(?i)(?:status(?:_?code)?\w*\)?|\.status|response\w*,|resp,|res,)[^\n"
    r"\d]{0,30}?(?<![\w.])([1-5]\d\d)(?![\w.])"
    r"|HTTP_([1-5]\d\d)_"
)
_NUMBER_SAID = LazyPattern(
    r"\b(?:returns?|gets?|gives?|is|status(?: code)?|with(?: status)?|answers?(?: with)?|responds?(?: with)?"
    r"|code|sends?|throws?)(?: an?| http)? ([1-5]\d\d)\b"
    r"(?! (?:items?|rows?|times|ms|seconds|characters|chars|bytes|entries))"
)
_NAMED_STATUS = LazyPattern(
    r"\b(?:is|are|returns?|gets?|gives?|answers?(?: with)?|responds?(?: with)?)(?: an?)? (unauthori[sz]ed"
    r"|forbidden|not found|bad request|no content|too many requests)$"
)
_CODES = {
    "unauthorized": frozenset({401, 403, 404, 302}),
    "unauthorised": frozenset({401, 403, 404, 302}),
    "forbidden": frozenset({401, 403, 404, 302}),
    "not found": frozenset({404, 410}),
    "bad request": frozenset({400, 422}),
    "no content": frozenset({204}),
    "too many requests": frozenset({429}),
}
_NOT = LazyPattern(r"\b(?:not|never|no|without|instead|even|unless|t|when|if|while|whose|that)\b")
_EXPIRED = LazyPattern(r"\bexpired\b")
_PAST = LazyPattern(
    r"(?i)expir(?!es?_?in\b|ation)|past|\bago\b|minus|freez|travel|sleep|tick|advanc|yesterday|-\s?[\w(]"
    r"|timeout|stale|old"
    r"|patch|mock|clock|\bnow\b|\b(?:19|20)[0-2]\d\b|\b0\b|elapse|later|after|fake|timers|wait"
    r"|setTimeout|monotonic|epoch|backdat|seconds=1\b"
)
_AHEAD = LazyPattern(
    r"timedelta\(\s*\w+=\d|(?:ttl|max_?age|lifetime|valid_for|expires_?in"
    r"|expiresIn)\s*[=:]\s*[\"']?(?:\d\d+|\d+(?:h|d|m))"
)
_NEGATIVE = LazyPattern(
    r"\b(?:rejects?|refuses?|with|for|on|of|an?|raises(?: \w+){0,3} (?:on|for)) negative "
    r"(?:amount|number|price"
    r"|quantity|value|count|limit|offset|balance|age|size|index|integer|int|float|duration"
    r"|timeout|page|delay|weight)s?\b"
)
_MINUS = LazyPattern(r"-\s?[\w.({]|[Nn]eg|NEG|[Mm]inus|<\s?0|\binverse")
_POSITIVE = LazyPattern(r"[(=,:]\s?[1-9]\d*(?:\.\d+)?\s?[,)}]|[\"'][1-9]\d*(?:\.\d+)?[\"']")
_ERROR_SAID = LazyPattern(
    r"\b(?:raises?|throws?)(?: an?)? (value|type|key|index|attribute|runtime|permission|timeout|lookup|range"
    r"|syntax|os|zero division|assertion|connection|file not found|not implemented|import|name|unicode) "
    r"?error\b"
)
_ERROR_TRIED = LazyPattern(
    r"(?:raises(?:Regex)?|assertRaises\w*|toThrow\w*|throws|rejects\.toThrow"
    r"|toBeInstanceOf)\(\s*(?:\w+\.)*(\w*(?:Error|Exception)\w*)"
)
_TRUTH_SAID = LazyPattern(r"\breturns? (true|false)\b(?! (?:if|when) not)")
_TRUE = LazyPattern(r"(?i)is true\b|== ?true\b|assertTrue|toBe\(true|toBeTruthy|\btrue\b")
_FALSE = LazyPattern(
    r"(?i)\bnot\b|is false\b|== ?false\b|assertFalse|toBe\(false|toBeFalsy|\bfalse\b|!|is_false"
)
_BARE = LazyPattern(
    r"(?m)^\s*assert (?!not\b)[\w.]+\([^\n]*\)\s*$|assertTrue|toBe\(true\)|is True\b|toBeTruthy"
)
_LINES_ABOVE = 8
_HELPER = LazyPattern(
    r"(?m)^\s*(?:self\._?(?:check|assert|verify|run|do)_?\w*\(|_?(?:check|assert|verify|expect)_\w+\()"
)


def unmet_claims(text: str) -> Iterator[StaleTitle]:
    """Return the tests whose bodies evidently do not test what their names state."""
    lines = text.split("\n")
    for test in titled_tests(text):
        above = "\n".join(lines[max(test.line - 1 - _LINES_ABOVE, 0) : test.line - 1])
        decorators = above[above.rfind("\n\n") + 1 :]
        given = f"{decorators}\n{lines[test.line - 1].replace(test.title, '')}"
        if _HELPER.search(test.body):
            continue
        for look in (_status, partial(_expired_title, given), partial(_negative, given), _error, _truth):
            found = look(test)
            if found is not None:
                yield found
                break


def _status(item: Titled) -> StaleTitle | None:
    """Return a status in the name where the body asserts only others."""
    tried = {int(found) for pair in _STATUS.findall(item.body) for found in pair if found}
    if not tried:
        return None
    reported = _NUMBER_SAID.search(item.words)
    if reported is not None:
        expected, word = frozenset({int(reported[1])}), reported[1]
        if reported[1] in item.body:
            return None
    else:
        named = _NAMED_STATUS.search(item.words)
        if named is None:
            return None
        reported, expected, word = named, _CODES[named[1]], named[1]
    if tried & expected or _NOT.search(item.words[: reported.start()]):
        return None
    return StaleTitle(item, word, f"it expects status {', '.join(map(str, sorted(tried)))}")


def _expired_title(given: str, item: Titled) -> StaleTitle | None:
    """Return something that has expired by the name, and is valid in the body."""
    around = f"{given}\n{item.body}"
    if not _EXPIRED.search(item.words) or _PAST.search(around):
        return None
    ahead = _AHEAD.search(item.body)
    return (
        StaleTitle(item, "expired", f'nothing in it has expired: "{ahead[0]}" is still valid')
        if ahead
        else None
    )


def _negative(given: str, item: Titled) -> StaleTitle | None:
    """Return a negative number by the name, where the body has none."""
    reported = _NEGATIVE.search(item.words)
    if reported is None or _MINUS.search(f"{given}\n{item.body}") or not _POSITIVE.search(item.body):
        return None
    return StaleTitle(item, "negative", "no number in it is")


def _error(item: Titled) -> StaleTitle | None:
    """Return an error in the name where the body expects another."""
    reported = _ERROR_SAID.search(item.words)
    tried = _ERROR_TRIED.findall(item.body) if reported else []
    if reported is None or not tried:
        return None
    expected = reported[1].replace(" ", "")
    if any(expected in name.lower() for name in tried):
        return None
    return StaleTitle(item, reported[0], f"it expects {tried[0]}")


def _truth(item: Titled) -> StaleTitle | None:
    """Return a result in the name where the body expects the opposite."""
    reported = _TRUTH_SAID.search(item.words)
    if reported is None:
        return None
    if reported[1] == "false" and _BARE.search(item.body) and not _FALSE.search(item.body):
        return StaleTitle(item, reported[0], "it expects something true")
    if (
        reported[1] == "true"
        and _FALSE.search(item.body)
        and not _TRUE.search(item.body)
        and not _BARE.search(item.body)
    ):
        return (
            StaleTitle(item, reported[0], "it expects something false")
            if "assert not " in item.body
            else None
        )
    return None
