"""SE007."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
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
    """The address of a webhook stands in the file, and the address is all one needs to post.

    Anybody who reads the repository can send messages in your name. Make a new webhook, delete this one,
    and keep the address with the other secrets.
    """

    ID = "SE007"
    NAME = "webhook-url"
    TRIED_ON = "The same 1,800 commits and trees: nothing reported. Planted: 80 of 80."
    VALID: ClassVar[Sequence[str | Valid]] = [
        'url = "https://hooks.slack.com/services/T00000000/B00000000/' + "X" * 24 + '"\n',
        'url = "https://hooks.slack.com/services/" + path\n',
        'url = "https://discord.com/api/webhooks/{id}/{token}"\n',
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'url = "https://hooks.slack.com/services/' + 'T0DJRGEAPY/B0ZDRKQKYZ/3i72Hjz7K1XTNJnpHOclyOhX"\n',
            line=1,
            column=16,
        ),
        Invalid(
            "HOOK=https://discord.com/api/webhooks/"
            + "8811192413051622432/33tJ4BTzCrUPoO3YecHwrzRpiA1A74MkJV0Dx0WonjOnplz6wOhFu1ZEOMeoMdLHuJ5K\n",
            line=1,
            column=14,
            path=".env",
        ),
        Invalid(
            "  url: https://acme.webhook.office.com/"
            + "webhookb2/f81d4fae-7dec-41d0-a765-00a0c91e6bf6@1b4e28ba-2fa1-41d2-883f-0016d3cca42"
            "7/IncomingWebhook/b3b8a2125608658f3e5c1f6f36b24af5/6fa459ea-ee8a-4ca4-894e-db77e160355e\n",
            line=1,
            column=21,
            path="a.yml",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for anchor, kind, shape in _HOOKS:
            if anchor not in text.lower:
                continue
            for match in shape.finditer(text.text):
                if not value_filters.is_made_up(match[1].rpartition("/")[2]) and not value_filters.is_made_up(
                    match[1]
                ):
                    yield SecretMatch(
                        *match.span(), f"{kind} in the source (***): delete it there, then remove it"
                    )
