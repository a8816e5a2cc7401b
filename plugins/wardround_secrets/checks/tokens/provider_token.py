"""SE001."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.providers import DOTTED, KnownToken, by_start, checksum_holds, shape_of
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_SENTENCE = 0.55
_TELLING = ".:~"
_LENGTHS = frozenset({36, 37, 40, 84})
"""Characters of a run that can be a token by what is inside it."""
_LONGEST_DOTTED = 20
_AIRTABLE_ID = 18
_ESCAPED = "nrt"
_FIREBASE = LazyPattern(r"firebase|google-services|GoogleService-Info", re.IGNORECASE)
_TELEGRAM = 35
_TELEGRAM_BOT = LazyPattern(r"(?:(?<![\w-])|(?<=/bot))\d{8,10}:\Z")
_AZURE_SECRET = LazyPattern(r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_.~-])")
_AZURE_DEVOPS = 84
_DISCORD_ID = range(24, 29)
_DISCORD_BOT = LazyPattern(r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![\w-])")
_MAILCHIMP = (36, 37)
_MAILCHIMP_KEY = LazyPattern(r"[0-9a-f]{32}-us\d{1,2}")
_MAXMIND = 40
_TERRAFORM = LazyPattern(r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}(?![\w=-])")


class ProviderToken(SecretCheck):
    """An access token of a known provider stands in the file.

    Whoever can read the repository, now or at any later time, can use it: removing the line does not remove
    it from the history. Revoke the token at the provider first, then read a new one from the environment or
    a secret store.
    """

    ID = "SE001"
    NAME = "provider-token"
    IN_TESTS = True
    IN_GENERATED = True
    URL: ClassVar[str | None] = "https://docs.github.com/en/code-security/secret-scanning"
    VALID = [
        code("""
            TOKEN = os.environ["GITHUB_TOKEN"]
        """),
        code("""
            TOKEN = "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        """),
    ]
    INVALID = [
        code("""
            TOKEN = "«ghp_\x53YvSVaBVdn5I5og2yxec90W3BF1SRq\x30ca26p»"
        """),
        code(
            """
            aws:
              id: «AKIA\x57Z5LV43NZ3STMSTC»
            """,
            path="deploy.yml",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        rows = by_start()
        whole = text.text
        for start, end in text.runs:
            before = whole[start - 1] if start else "\n"
            begin = start
            if before == ".":
                begin = _before_dots(whole, start)
            elif before == "\\" and whole[start] in _ESCAPED:
                begin += 1
            known = rows.get(whole[begin : begin + 2])
            hit = _by_prefix(text, begin, known) if known is not None else None
            if hit is None and begin < start and (known := rows.get(whole[start : start + 2])) is not None:
                hit = _by_prefix(text, start, known)
            if hit is None and (before in _TELLING or end - start in _LENGTHS or whole.startswith(".", end)):
                hit = _by_neighbours(text, start, end, before)
            if hit is not None:
                yield hit


def _before_dots(whole: str, start: int) -> int:
    """Where a token begins that has dots before its first long part; the start itself if it does not."""
    near = whole[max(0, start - _LONGEST_DOTTED) : start]
    if near[-_AIRTABLE_ID:].startswith("pat") and len(near) >= _AIRTABLE_ID:
        return start - _AIRTABLE_ID
    if not near.endswith(DOTTED):
        return start
    return start - max(len(dotted) for dotted in DOTTED if near.endswith(dotted))


def _by_prefix(text: ScannedText, start: int, known: Sequence[tuple[str, KnownToken]]) -> SecretMatch | None:
    """The token that begins at a place with one of the prefixes."""
    for prefix, token in known:
        if not text.text.startswith(prefix, start):
            continue
        match = shape_of(token).match(text.text, start + len(prefix))
        if match is None or (token.needs and token.needs.encode() not in text.lower):
            continue
        proven = token.checked and checksum_holds(text.text[start : match.end()], prefix)
        if not proven and (value_filters.is_made_up(match[0]) or _is_spoken(match[0])):
            continue
        if token.mild and _is_public(text, token):
            continue
        return _hit(text, (start, match.end()), token.kind, prefix, proven=proven, mild=token.mild)
    return None


def _is_spoken(body: str) -> bool:
    """Whether what follows a prefix is a sentence, as in ``ghp_thisIsWhereTheTokenGoes``."""
    return not value_filters.is_hex(body) and not body.isupper() and value_filters.is_wordy(body, _SENTENCE)


def _is_public(text: ScannedText, token: KnownToken) -> bool:
    """Whether a key that may be public is one: Firebase puts Google's into every page."""
    return (
        text.is_generated
        or (token.kind == "Google API key" and _FIREBASE.search(text.path) is not None)
        or any(word in text.lower for word in (b"authdomain", b"firebaseapp.com", b"messagingsenderid"))
    )


def _by_neighbours(text: ScannedText, start: int, end: int, before: str) -> SecretMatch | None:
    """The tokens that are told by what stands around or inside them, and not by how they begin."""
    whole, length = text.text, end - start
    found: tuple[str, int, int] | None = None
    if before == ":" and length == _TELEGRAM and whole.startswith("AA", start):
        bot = _TELEGRAM_BOT.search(whole, max(0, start - 14), start)
        found = ("Telegram bot token", bot.start(), end) if bot else None
    elif before == "~" and _AZURE_SECRET.match(whole, max(0, start - 6), end):
        found = "Azure client secret", max(0, start - 6), end
    elif length == _AZURE_DEVOPS and whole.startswith("AZDO", start + 76):
        found = "Azure DevOps token", start, end
    elif length in _DISCORD_ID and whole.startswith(".", end) and (bot := _DISCORD_BOT.match(whole, start)):
        found = "Discord bot token", start, bot.end()
    elif length in _MAILCHIMP and _MAILCHIMP_KEY.match(whole, start, end) and b"mailchimp" in text.lower:
        found = "Mailchimp API key", start, end
    elif length == _MAXMIND and whole.endswith("_mmk", start, end):
        found = "MaxMind licence key", start, end
    elif whole.startswith("atlasv1.", start - 8) and (key := _TERRAFORM.search(whole, max(0, start - 23))):
        found = ("HCP Terraform token", key.start(), key.end()) if key.start() < start else None
    if found is None or value_filters.is_made_up(whole[max(found[1], start) : found[2]]):
        return None
    return _hit(text, found[1:], found[0])


def _hit(
    text: ScannedText,
    place: tuple[int, int],
    kind: str,
    prefix: str = "",
    *,
    proven: bool = False,
    mild: bool = False,
) -> SecretMatch:
    shown = value_filters.shown(text.text[slice(*place)], prefix)
    severity = Severity.WARN if mild or (text.is_tried(place[0]) and not proven) else None
    return SecretMatch(*place, f"{kind} {shown} in the source: revoke it, then remove it", severity)
