"""SE004."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.inference.api import NoModels
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_SHAPE = LazyPattern(r"[A-Za-z0-9_+/=.~!@#$%^&*():?|-]{16,400}")
_NO_SECRET = LazyPattern(
    r"[\w+.-]+://|/[a-z]|\./|~/|\w+@\w+\.|arn:|sha\d+[-:]|ssh-|[a-z_]+(?:\.[a-z_]+)+$"
    r"|\d{4}-\d\d-\d\d|v?\d+\.\d+"
    r"|[A-Z0-9_]+$|projects/|secretsmanager:|vault:|ref:|op:|\w+\(|\d+$|[a-z]+(?:[-_][a-z]+)+$"
    r"|[A-Z][a-z]+(?:[A-Z][a-z]+)+$|data:"
    r"|\$[\w-]{1,16}\$|\d+\.v[0-9a-f]"
    r"|--|#|AQICAH|Ag[A-D][A-Za-z0-9+/=]{120}|vault:v\d|ENC\[|pk_|pub|phc_|whsec_test|sk_test|rk_test|pk\.|eyJ"
)
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
_SEALED = b"kind: sealedsecret"
_SEALED_LENGTH = 120
"""What a controller of the cluster has sealed is as long as its key, whatever was sealed."""
_HASH_LENGTHS = (32, 40, 56, 64, 96, 128)
_LEAST = ((64, 4.0), (32, 3.6), (20, 3.4), (16, 3.2))
_LEAST_OF_HEX = 3.0
_FEWEST_DIGITS = 2
_LONG = 24


class AssignedSecret(SecretCheck):
    """A name that speaks of a secret is given what looks like a real one.

    The value is too random to have been typed, so something accepts it; it is in every clone and stays in
    the history when the line goes. Change it where it is accepted first, then read it from the environment
    or a secret store.
    """

    ID = "SE004"
    NAME = "assigned-secret"
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
        for given in text.assignments:
            if is_drawn(given.value) and not (is_sealed and len(given.value) >= _SEALED_LENGTH):
                yield SecretMatch(
                    given.start,
                    given.end,
                    f"{given.name[-40:].lstrip('.-_')} is given a random-looking value (***): chan"
                    f"ge it, then remove it",
                )
        yield from _signed_with(text)
        yield from _told_by_a_model(text)


def _signed_with(text: ScannedText) -> Iterator[SecretMatch]:
    """Literals that a call signs or encrypts with."""
    for match in _SIGNS.finditer(text.text) if any(word in text.lower for word in _SIGNING) else ():
        if is_drawn(match["value"]):
            yield SecretMatch(
                *match.span("value"),
                "a key to sign with is written in the source (***): change it, then remove it",
            )


def _told_by_a_model(text: ScannedText) -> Iterator[SecretMatch]:
    """Literals in doubt that a model, where one earned it, takes for secrets."""
    if isinstance(text.models, NoModels):
        return
    from wardround_secrets.classifier.review import (
        secrets_in_doubt,  # not needed where there is nobody to ask
    )

    for literal in secrets_in_doubt(text):
        name = literal.name[-40:].lstrip(".-_")
        yield SecretMatch(
            literal.start,
            literal.end,
            f"{name} is given what reads like a secret (***): if it opens anything, change and remove it",
            Severity.INFO,
        )


def is_drawn(value: str) -> bool:
    """Whether a value was drawn at random, as keys and tokens are."""
    if not _SHAPE.fullmatch(value) or _NO_SECRET.match(value) or value_filters.is_uuid(value):
        return False
    if (
        value_filters.is_filled_in_later(value)
        or value_filters.is_made_up(value)
        or value_filters.is_wordy(value)
    ):
        return False
    if value_filters.is_hex(value):
        return len(value) in _HASH_LENGTHS and value_filters.entropy(value) >= _LEAST_OF_HEX
    least = next(bits for length, bits in _LEAST if len(value) >= length)
    return _is_varied(value) and value_filters.entropy(value) >= least


def _is_varied(value: str) -> bool:
    """Whether there are letters, and digits or capitals among them as only chance puts them there."""
    digits = sum(char.isdigit() for char in value)
    if value == value.lower() or value == value.upper():
        return digits >= _FEWEST_DIGITS and any(char.isalpha() for char in value)
    return digits > 0 or len(value) >= _LONG
