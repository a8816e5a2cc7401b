from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_HOOKS = (
    (
        b"hooks.slack.com/",
        "Slack webhook",
        LazyPattern(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/"
            r"([TE][A-Z0-9]{7,12}/[A-Z0-9]{7,22}/[A-Za-z0-9/]{20,80})"
        ),
    ),
    (
        b"/api/webhooks/",
        "Discord webhook",
        LazyPattern(
            r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/"
            r"(\d{17,20}/[A-Za-z0-9_-]{60,72})",
            re.IGNORECASE,
        ),
    ),
    (
        b"webhook.office.com/",
        "Teams webhook",
        LazyPattern(
            r"webhook\.office\.com/webhookb2/"
            r"([0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36})"
        ),
    ),
    (
        b"hooks.zapier.com/",
        "Zapier webhook",
        LazyPattern(
            r"hooks\.zapier\.com/hooks/catch/"
            r"(\d{5,9}/[a-z0-9]{6,9})"
        ),
    ),
)


class WebhookUrl(SecretCheck):
    """The URL of a webhook is committed.

    The URL is all that is needed to post, so anyone who reads the repository can send messages in your name.
    Create a new webhook, delete this one, and store its URL with the other secrets.
    """

    ID = "SE007"
    NAME = "webhook-url"
    ANCHORS = tuple(anchor for anchor, _, _ in _HOOKS)
    VALID = [
        code("""
            url = "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"
        """),
        code("""
            url = "https://hooks.slack.com/services/" + path
        """),
    ]
    INVALID = [
        code("""
            url = "https://«hooks.slack.com/services/\x540DJRGEAPY/B0ZDRKQKYZ/3i72Hjz7K1XTNJnpHOclyOhX»"
        """),
        code(
            """
            HOOK=https://«discord.com/api/webhooks/\x38811192413051622432/33tJ4BTzCrUPoO3YecHwrzRpiA1A74MkJV0Dx0WonjOnplz6wOhFu1ZEOMeoMdLHuJ5K»
            """,
            path=".env",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for anchor, kind, shape in _HOOKS:
            if anchor not in text.lower:
                continue
            for match in shape.finditer(text.text):
                if not value_filters.is_placeholder(
                    match[1].rpartition("/")[2]
                ) and not value_filters.is_placeholder(match[1]):
                    yield SecretMatch(
                        *match.span(), f"{kind} in the source (***): delete the webhook, then remove the URL"
                    )
