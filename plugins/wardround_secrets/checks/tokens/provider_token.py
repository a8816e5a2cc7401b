"""SE001: access tokens of known providers."""

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

_ENGLISH_SHARE = 0.55
_DELIMITERS = ".:~"
_LENGTHS = frozenset({36, 37, 40, 84})
"""Lengths of runs that can be a token recognised by its content."""
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
    """An access token of a known provider is committed.

    Anyone who can read the repository, now or later, can use the token: removing the line does not remove it
    from the history. Revoke the token at the provider first, then read a new one from the environment or a
    secret store.
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
        content = text.text
        for start, end in text.runs:
            before = content[start - 1] if start else "\n"
            token_start = start
            if before == ".":
                token_start = _before_dots(content, start)
            elif before == "\\" and content[start] in _ESCAPED:
                token_start += 1
            known = rows.get(content[token_start : token_start + 2])
            hit = _by_prefix(text, token_start, known) if known is not None else None
            if (
                hit is None
                and token_start < start
                and (known := rows.get(content[start : start + 2])) is not None
            ):
                hit = _by_prefix(text, start, known)
            if hit is None and (
                before in _DELIMITERS or end - start in _LENGTHS or content.startswith(".", end)
            ):
                hit = _by_context(text, start, end, before)
            if hit is not None:
                yield hit


def _before_dots(content: str, start: int) -> int:
    """Return the start of a token that has dots before its first long part; otherwise the start itself."""
    near = content[max(0, start - _LONGEST_DOTTED) : start]
    if near[-_AIRTABLE_ID:].startswith("pat") and len(near) >= _AIRTABLE_ID:
        return start - _AIRTABLE_ID
    if not near.endswith(DOTTED):
        return start
    return start - max(len(dotted) for dotted in DOTTED if near.endswith(dotted))


def _by_prefix(text: ScannedText, start: int, known: Sequence[tuple[str, KnownToken]]) -> SecretMatch | None:
    """Return the match of a token that begins at an offset with one of the prefixes."""
    for prefix, token in known:
        if not text.text.startswith(prefix, start):
            continue
        match = shape_of(token).match(text.text, start + len(prefix))
        if match is None or (token.needs and token.needs.encode() not in text.lower):
            continue
        proven = token.checked and checksum_holds(text.text[start : match.end()], prefix)
        if not proven and (value_filters.is_placeholder(match[0]) or _is_sentence(match[0])):
            continue
        if token.mild and _is_public(text, token):
            continue
        return _hit(text, (start, match.end()), token.kind, prefix, proven=proven, mild=token.mild)
    return None


def _is_sentence(body: str) -> bool:
    """Return True if the text after a prefix is a sentence, as in ``ghp_thisIsWhereTheTokenGoes``."""
    return (
        not value_filters.is_hex(body) and not body.isupper() and value_filters.is_wordy(body, _ENGLISH_SHARE)
    )


def _is_public(text: ScannedText, token: KnownToken) -> bool:
    """Return True if a key that may be public is public: Firebase embeds Google's in every page."""
    return (
        text.is_generated
        or (token.kind == "Google API key" and _FIREBASE.search(text.path) is not None)
        or any(word in text.lower for word in (b"authdomain", b"firebaseapp.com", b"messagingsenderid"))
    )


def _by_context(text: ScannedText, start: int, end: int, before: str) -> SecretMatch | None:
    """Return the match of a token that is recognised by its context or content, not by its prefix."""
    content, length = text.text, end - start
    found: tuple[str, int, int] | None = None
    if before == ":" and length == _TELEGRAM and content.startswith("AA", start):
        bot = _TELEGRAM_BOT.search(content, max(0, start - 14), start)
        found = ("Telegram bot token", bot.start(), end) if bot else None
    elif before == "~" and _AZURE_SECRET.match(content, max(0, start - 6), end):
        found = "Azure client secret", max(0, start - 6), end
    elif length == _AZURE_DEVOPS and content.startswith("AZDO", start + 76):
        found = "Azure DevOps token", start, end
    elif (
        length in _DISCORD_ID and content.startswith(".", end) and (bot := _DISCORD_BOT.match(content, start))
    ):
        found = "Discord bot token", start, bot.end()
    elif length in _MAILCHIMP and _MAILCHIMP_KEY.match(content, start, end) and b"mailchimp" in text.lower:
        found = "Mailchimp API key", start, end
    elif length == _MAXMIND and content.endswith("_mmk", start, end):
        found = "MaxMind licence key", start, end
    elif content.startswith("atlasv1.", start - 8) and (
        key := _TERRAFORM.search(content, max(0, start - 23))
    ):
        found = ("HCP Terraform token", key.start(), key.end()) if key.start() < start else None
    if found is None or value_filters.is_placeholder(content[max(found[1], start) : found[2]]):
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
    severity = Severity.WARN if mild or (text.is_example(place[0]) and not proven) else None
    return SecretMatch(*place, f"{kind} {shown} in the source: revoke it, then remove it", severity)
