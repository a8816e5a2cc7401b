"""SE008."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_SHAPES = (
    (b"accountkey=", "Azure storage account key", LazyPattern(r"[A-Za-z]+=([A-Za-z0-9+/]{86}==)")),
    (b"sharedaccesskey=", "Azure shared access key", LazyPattern(r"[A-Za-z]+=([A-Za-z0-9+/]{43}=)")),
    (b"&sig=", "Azure shared access signature", LazyPattern(r"&sig=([A-Za-z0-9%+/]{43,70}(?:%3D|=))")),
    *(
        (
            b"access" + joint + b"key",
            "AWS secret access key",
            LazyPattern(
                r"[A-Za-z_-]{9,16}[\"']?\s{0,8}(?:=>?|:|,)\s{0,8}[\"']?([A-Za-z0-9+/]{40})"
                r"(?![A-Za-z0-9+/=])",
            ),
        )
        for joint in (b"", b"_", b"-")
    ),
)
_EMULATOR = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"
"""How the key begins that Microsoft's storage emulator accepts on every machine."""
_SIGNED = LazyPattern(r"[?&\"']s[vrpet]=")


class CloudKey(SecretCheck):
    """A key of a cloud account stands in the file.

    It opens storage, queues or the whole account to whoever reads the repository, and such keys are found
    and used within minutes of being pushed. Rotate it first, then take it from the environment or, better,
    from the identity of the machine.
    """

    ID = "SE008"
    NAME = "cloud-key"
    TRIED_ON = (
        "12 projects, 1,800 commits with 571,831 added lines: nothing reported. Their trees, 149 "
        "MB: only the key of a storage emulator, since left out. Planted (evals/planted_secrets.py): 80 "
        "of 80."
    )
    IN_TESTS = True
    IN_GENERATED = True
    VALID: ClassVar[Sequence[str | Valid]] = [
        "aws_secret_access_key = settings.secret\n",
        'AWS_SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"\n',
        'conn = f"AccountName=a;AccountKey={key};"\n',
        'url = "/thumb?w=1&sig=BMz9dNdDctrcVZ7pgSfQNEbZV1cRaav9TzjJjzOr7zU="\n',
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'AWS_SECRET_ACCESS_KEY = "' + 'ErfyrpW/4tjGpTYtCHf4ZoVFpsnZvo9N62Mtr7BO"\n', line=1, column=26
        ),
        Invalid(
            "  secretAccessKey: " + "sdv4/DeukCgR0LKeHciB8iT87ydMC/ilNJQ9eRqQ\n",
            line=1,
            column=20,
            path="values.yml",
        ),
        Invalid(
            'conn = "AccountName=a;AccountKey='
            + 'TWyMjFbItIshTxOlcS4QISzIihFQ8vGQLqsbY6v5NNkgMvy1eUNTKgc++/Prfi/4TPfD/DN9Pl5AfdlGpkn7T1=="\n',
            line=1,
            column=34,
        ),
        Invalid(
            'u = "https://a.blob.core.windows.net/c?sv=2022-11-02&sp=rl&sig='
            + 'krwt1LXX6mIV7Z85VImFP3DSYSq6q9yWPbrxP09oji9%3D"\n',
            line=1,
            column=64,
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for anchor, kind, shape in _SHAPES:
            for place in text.places_of(anchor):
                match = shape.match(text.text, place)
                if match is None or _is_nothing(text, kind, match):
                    continue
                severity = Severity.WARN if text.is_tried(place) else None
                yield SecretMatch(
                    *match.span(1), f"{kind} in the source (***): rotate it, then remove it", severity
                )


def _is_nothing(text: ScannedText, kind: str, match: re.Match[str]) -> bool:
    key = match[1]
    if value_filters.is_made_up(key) or value_filters.is_wordy(key) or value_filters.is_hex(key):
        return True
    if kind.startswith("AWS"):
        return b"secret" not in text.lower[max(0, match.start() - 12) : match.start()]
    if match.group().startswith("&sig"):
        return _SIGNED.search(text.line_of(match.start())) is None
    return key.startswith(_EMULATOR)
