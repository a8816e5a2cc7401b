from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.inference.api import NoModels
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.classifier.candidates import WITHOUT_NAME
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.assignments import ANCHORS
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_SIGNS = LazyPattern(
    r"(?:\bjwt\.(?:sign|encode|verify|decode)\(\s*[^,\n]{1,80},\s*|\bcreate(?:Hmac|Cipheriv"
    r"|Decipheriv)\(\s*[\"'][\w-]+[\"'],\s*"
    r"|\bhmac\.new\(\s*(?:key=)?|\bFernet\(\s*|\bAES\.new\(\s*|\bSecretKeySpec\(\s*"
    r"|\bsignWith\([^\"'\n]{0,40})"
    r"b?(?P<quote>[\"'`])(?P<value>[^\"'`\n\\]{16,200})(?P=quote)"
)
_SIGNING = (
    b"jwt.",
    b"createhmac",
    b"cipheriv(",
    b"hmac.new",
    b"fernet(",
    b"aes.new",
    b"secretkeyspec",
    b"signwith(",
)
_READ_ONLY = re.compile(rb"\|read(?:-only)?\Z")
_SEALED = b"kind: sealedsecret"
_SEALED_LENGTH = 120
"""Minimum length of a value that the cluster's controller sealed:

the length of its key, whatever was sealed.
"""


class AssignedSecret(SecretCheck):
    """A variable named after a secret has a random literal value.

    The value is too random to have been typed manually, so it is probably a real credential; it is in every
    clone and remains in the history after the line is deleted. Rotate the credential first, then read it from
    the environment or a secret store.
    """

    ID = "SE004"
    NAME = "assigned-secret"
    ANCHORS = (*ANCHORS, *_SIGNING, *WITHOUT_NAME)
    SEVERITY = Severity.WARN
    VALID = [
        code("""
            api_key = os.environ["API_KEY"]
        """),
        code("""
            SECRET_KEY = "change-me-in-production-1"
        """),
    ]
    INVALID = [
        code("""
            API_KEY = "«\x6eNfsaEIvfHd5yRWW2bHFn5HkFHXBtz2SkNvUBYdM»"
        """),
        code(
            """
            export AUTH_TOKEN=«\x65mWVqgWwAmAbERlmnEUDZU2biZsB91UQ»
            """,
            path="deploy.sh",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        is_sealed = _SEALED in text.lower
        for assignment in text.assignments:
            if assignment.value in text.throwaway_passwords or text.is_to_be_replaced(assignment.start):
                continue
            if is_sealed and len(assignment.value) >= _SEALED_LENGTH:
                continue
            if is_random(assignment.value) and not _is_read_only(assignment.value):
                name = value_filters.display_name(assignment.name)
                message = f"{name} has a random-looking literal value (***): rotate it, then remove it"
                yield SecretMatch(assignment.start, assignment.end, message)
        yield from _signed_with(text)
        yield from _predicted_secrets(text)


def _is_read_only(value: str) -> bool:
    """Return True for a token of Nx Cloud that only reads the cache, which projects publish on purpose."""
    try:
        return _READ_ONLY.search(binascii.a2b_base64(value)) is not None
    except (binascii.Error, ValueError):
        return False


def _signed_with(text: ScannedText) -> Iterator[SecretMatch]:
    """Yield literals that a call signs or encrypts with."""
    for match in _SIGNS.finditer(text.text) if any(word in text.lower for word in _SIGNING) else ():
        if is_random(match["value"]):
            yield SecretMatch(
                *match.span("value"),
                "signing key in the source (***): rotate it, then remove it",
            )


def _predicted_secrets(text: ScannedText) -> Iterator[SecretMatch]:
    """Yield ambiguous literals that the model classifies as secrets."""
    if isinstance(text.models, NoModels):
        return
    from wardround_secrets.classifier.review import (
        predicted_secrets,  # not needed where there is nobody to ask
    )

    for literal in predicted_secrets(text):
        name = value_filters.display_name(literal.name)
        message = f"{name} has a value that resembles a secret (***): if it is real, rotate and remove it"
        yield SecretMatch(literal.start, literal.end, message, Severity.INFO)
