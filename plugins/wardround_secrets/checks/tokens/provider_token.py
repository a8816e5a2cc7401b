from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import positions, shown_tokens, value_filters
from wardround_secrets.detection.providers import (
    DOTTED,
    KnownToken,
    is_checksum_valid,
    shape_of,
    tokens_by_start,
)
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
        content = text.text
        for start, end in text.runs:
            before = content[start - 1] if start else "\n"
            hit = _match_known_prefix(text, start, before)
            if hit is None and (
                before in _DELIMITERS or end - start in _LENGTHS or content.startswith(".", end)
            ):
                hit = _match_by_context(text, start, end, before)
            if hit is not None:
                yield hit


def _match_known_prefix(text: ScannedText, start: int, before: str) -> SecretMatch | None:
    """Return the match of a token with a known prefix that begins at or shortly before a run."""
    for offset in _possible_starts(text.text, start, before):
        known = tokens_by_start().get(text.text[offset : offset + 2])
        hit = _match_by_prefix(text, offset, known) if known is not None else None
        if hit is not None:
            return hit
    return None


def _possible_starts(content: str, start: int, before: str) -> Iterator[int]:
    """Yield where a token may begin: before earlier dots, after an escape, or at the run."""
    if before == "\\" and content[start] in _ESCAPED:
        yield start + 1
        return
    earlier = _start_before_dots(content, start) if before == "." else start
    if earlier < start:
        yield earlier
    yield start


def _start_before_dots(content: str, start: int) -> int:
    """Return the part of a token before the dots that precede its first long part; otherwise the start
    itself.
    """
    near = content[max(0, start - _LONGEST_DOTTED) : start]
    if near[-_AIRTABLE_ID:].startswith("pat") and len(near) >= _AIRTABLE_ID:
        return start - _AIRTABLE_ID
    if not near.endswith(DOTTED):
        return start
    return start - max(len(dotted) for dotted in DOTTED if near.endswith(dotted))


def _match_by_prefix(
    text: ScannedText, start: int, known: Sequence[tuple[str, KnownToken]]
) -> SecretMatch | None:
    """Return the match of a token that begins at an offset with one of the prefixes."""
    for prefix, token in known:
        end = _find_token_end(text, start, prefix, token)
        if end is None:
            continue
        location = (start, end)
        is_proven = token.checked and is_checksum_valid(text.text[start:end], prefix)
        if not is_proven and not _is_plausible(text.text[start + len(prefix) : end]):
            continue
        if token.mild and _is_public(text, token):
            continue
        if _is_shown(text, location, prefix, token, is_proven):
            return None
        return _hit(text, location, token.kind, prefix, proven=is_proven, mild=token.mild)
    return None


def _find_token_end(text: ScannedText, start: int, prefix: str, token: KnownToken) -> int | None:
    """Return the end of a token with a prefix at an offset; None if the characters there have another
    form.
    """
    if not text.text.startswith(prefix, start):
        return None
    match: re.Match[str] | None = shape_of(token).match(text.text, start + len(prefix))
    if match is None or (token.needs and token.needs.encode() not in text.lower):
        return None
    return match.end()


def _is_shown(
    text: ScannedText, place: tuple[int, int], prefix: str, token: KnownToken, proven: bool
) -> bool:
    """Return True if a token is an example; in a test, also if its checksum is wrong, as of no real token."""
    is_example = text.is_example(place[0])
    if token.checked and not proven and is_example:
        return True
    if token.signs_messages and positions.is_test(text.path):
        return True
    return shown_tokens.is_shown(text.text, place, prefix, is_proven=proven, is_example=is_example)


def _is_plausible(body: str) -> bool:
    return not value_filters.is_placeholder(body) and not _is_sentence(body)


def _is_sentence(body: str) -> bool:
    """Return True if the text after a prefix is a sentence, as in ``ghp_thisIsWhereTheTokenGoes``."""
    if value_filters.is_hex(body) or body.isupper():
        return False
    return value_filters.is_wordy(body, _ENGLISH_SHARE)


def _is_public(text: ScannedText, token: KnownToken) -> bool:
    """Return True if a key that may be public is public: Firebase embeds Google's in every page."""
    if text.is_generated:
        return True
    if token.kind == "Google API key" and _FIREBASE.search(text.path):
        return True
    return any(word in text.lower for word in (b"authdomain", b"firebaseapp.com", b"messagingsenderid"))


def _match_by_context(text: ScannedText, start: int, end: int, before: str) -> SecretMatch | None:
    """Return the match of a token that is recognised by its context or content, not by its prefix."""
    found = _match_by_delimiter(text.text, start, end, before)
    if found is None:
        found = _match_by_length(text, start, end)
    if found is None and text.text.startswith("atlasv1.", start - 8):
        key: re.Match[str] | None = _TERRAFORM.search(text.text, max(0, start - 23))
        found = _match_location("HCP Terraform token", key) if key and key.start() < start else None
    if found is None or value_filters.is_placeholder(text.text[max(found[1], start) : found[2]]):
        return None
    if shown_tokens.is_shown(text.text, found[1:], "", is_proven=False, is_example=text.is_example(found[1])):
        return None
    return _hit(text, found[1:], found[0])


_Named = tuple[str, int, int]
"""Kind of token, start and end."""


def _match_location(kind: str, match: re.Match[str]) -> _Named:
    return kind, match.start(), match.end()


def _match_by_delimiter(content: str, start: int, end: int, before: str) -> _Named | None:
    """Return a token that is recognised by the character before its run."""
    if before == ":" and end - start == _TELEGRAM and content.startswith("AA", start):
        bot: re.Match[str] | None = _TELEGRAM_BOT.search(content, max(0, start - 14), start)
        return ("Telegram bot token", bot.start(), end) if bot else None
    if before == "~" and _AZURE_SECRET.match(content, max(0, start - 6), end):
        return "Azure client secret", max(0, start - 6), end
    return None


def _match_by_length(text: ScannedText, start: int, end: int) -> _Named | None:
    """Return a token that is recognised by the length and content of its run."""
    content, length = text.text, end - start
    if length == _AZURE_DEVOPS and content.startswith("AZDO", start + 76):
        return "Azure DevOps token", start, end
    if length in _DISCORD_ID and content.startswith(".", end):
        bot: re.Match[str] | None = _DISCORD_BOT.match(content, start)
        if bot:
            return _match_location("Discord bot token", bot)
    if length in _MAILCHIMP and _is_mailchimp_key(text, start, end):
        return "Mailchimp API key", start, end
    if length == _MAXMIND and content.endswith("_mmk", start, end):
        return "MaxMind licence key", start, end
    return None


def _is_mailchimp_key(text: ScannedText, start: int, end: int) -> bool:
    return _MAILCHIMP_KEY.match(text.text, start, end) is not None and b"mailchimp" in text.lower


def _hit(
    text: ScannedText,
    place: tuple[int, int],
    kind: str,
    prefix: str = "",
    *,
    proven: bool = False,
    mild: bool = False,
) -> SecretMatch:
    shown = value_filters.mask_value(text.text[slice(*place)], prefix)
    severity = Severity.WARN if mild or (text.is_example(place[0]) and not proven) else None
    return SecretMatch(*place, f"{kind} {shown} in the source: revoke it, then remove it", severity)
