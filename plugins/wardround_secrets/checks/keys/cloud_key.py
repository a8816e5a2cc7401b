from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
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
"""Start of the key that Microsoft's storage emulator accepts on every machine."""
_SIGNED = LazyPattern(r"[?&\"']s[vrpet]=")


class CloudKey(SecretCheck):
    """A key of a cloud account is committed.

    The key grants access to storage, queues or the entire account to anyone who can read the repository, and
    such keys are found and used within minutes of a push. Rotate the key first, then read it from the
    environment or, better, use the identity of the machine.
    """

    ID = "SE008"
    NAME = "cloud-key"
    ANCHORS = tuple(anchor for anchor, _, _ in _SHAPES)
    IN_TESTS = True
    IN_GENERATED = True
    VALID = [
        code("""
            aws_secret_access_key = settings.secret
        """),
        code("""
            AWS_SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        """),
    ]
    INVALID = [
        code("""
            AWS_SECRET_ACCESS_KEY = "«\x45rfyrpW/4tjGpTYtCHf4ZoVFpsnZvo9N62Mtr7BO»"
        """),
        code(
            "  secretAccessKey: «\x73dv4/DeukCgR0LKeHciB8iT87ydMC/ilNJQ9eRqQ»\n",
            path="values.yml",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for anchor, kind, shape in _SHAPES:
            for location in text.offsets_of(anchor):
                match = shape.match(text.text, location)
                if match is None or _is_harmless(text, kind, match):
                    continue
                severity = Severity.WARN if text.is_example(location) else None
                yield SecretMatch(
                    *match.span(1), f"{kind} in the source (***): rotate it, then remove it", severity
                )


def _is_harmless(text: ScannedText, kind: str, match: re.Match[str]) -> bool:
    key = match[1]
    if value_filters.is_placeholder(key) or value_filters.is_wordy(key) or value_filters.is_hex(key):
        return True
    if kind.startswith("AWS"):
        return b"secret" not in text.lower[max(0, match.start() - 12) : match.start()]
    if match.group().startswith("&sig"):
        return _SIGNED.search(text.line_of(match.start())) is None
    return key.startswith(_EMULATOR)
