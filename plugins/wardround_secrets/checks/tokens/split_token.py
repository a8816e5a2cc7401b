from __future__ import annotations

from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.providers import TOKENS, KnownToken, shape_of
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_PIECE = LazyPattern(r"(?P<quote>[\"'`])(?P<value>[A-Za-z0-9_.-]{2,400})(?P=quote)")
_JOINT = LazyPattern(r"\s{0,40}(?:\+|\.\.|\.|,|<>|~|\\?\n)?\s{0,40}\Z")
_SHORTEST_PREFIX = 4
_SHORTEST_BODY = 16
_JOINTS = "-_."
_PREFIXES: tuple[tuple[str, KnownToken], ...] = tuple(
    (prefix, token)
    for token in TOKENS
    if not token.needs and not token.mild
    for prefix in token.prefixes
    if len(prefix) >= _SHORTEST_PREFIX and prefix[-1] in _JOINTS
)
"""Prefixes that end in a separator, where tokens are usually split."""
_BARE = frozenset(prefix.rstrip(_JOINTS) for prefix, _ in _PREFIXES)


class SplitToken(SecretCheck):
    """An access token of a known provider is committed in pieces.

    Concatenating the pieces at run time hides the token from scanners only: anyone who reads the file can do
    the same. Revoke the token at the provider, then read a new one from the environment or a secret store.
    """

    ID = "SE014"
    NAME = "split-token"
    ANCHORS = tuple(sorted({prefix.lower().encode() for prefix in _BARE}))
    IN_TESTS = False
    VALID = [
        code("""
            PREFIX = "xoxb"
            if not token.startswith(PREFIX):
                fail("4121419277407")
        """),
        code("""
            TOKEN = "ghp_" + read()
        """),
    ]
    INVALID = [
        # wardround: ignore[secrets/SE014] made up, for this very check
        code("""
            TOKEN = "ghp_" + "«\x53YvSVaBVdn5I5og2yxec90W3BF1SRq\x30ca26p»"
        """),
        code("""
            SCHEME = "xoxb"
            REST = "«4121419277407-\x31051433529619\x2dGlUuUwhoaUvmqQwML6xFbTc9»"
        """),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        content = text.text
        quoted = {short.rstrip(_JOINTS) for short in _SHORT.findall(content)} & _BARE
        for prefix, token in _PREFIXES if quoted else ():
            bare = prefix.rstrip(_JOINTS)
            if bare not in quoted:
                continue
            for start, end, body in _bodies(content):
                match = shape_of(token).fullmatch(body.removeprefix(prefix[len(bare) :]))
                if match and _is_generated(body):
                    yield SecretMatch(
                        start, end, f"{token.kind} split into pieces (***): revoke it, then remove it"
                    )


def _is_generated(body: str) -> bool:
    """Return True if a string is random; a list of words or lower-case codes is not."""
    return (
        any(char.isdigit() or char.isupper() for char in body)
        and not value_filters.is_placeholder(body)
        and not value_filters.is_wordy(body)
    )


_SHORT = LazyPattern(r"[\"'`]([\w.-]{2,20})[\"'`]")


def _bodies(content: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and text of each string that can be the rest of a token, concatenations included."""
    run: tuple[int, int, str] | None = None
    for piece in _PIECE.finditer(content):
        value = piece["value"]
        start, end = piece.span("value")
        if run is not None and _JOINT.match(content, run[1] + 1, piece.start()):
            run = (run[0] if run[2] else start, end, run[2] + value)
            if len(run[2]) >= _SHORTEST_BODY:
                yield run
        else:
            run = (start, end, value)
        if len(value) >= _SHORTEST_BODY:
            yield start, end, value
        if value.rstrip(_JOINTS) in _BARE:
            run = (end, end, "")
