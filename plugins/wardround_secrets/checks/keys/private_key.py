"""SE002."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_BEGIN = LazyPattern(r"-----BEGIN (?P<kind>(?:[A-Z0-9]+ ){0,3})PRIVATE KEY(?: BLOCK)?-----")
_END = "-----END"
_BETWEEN = LazyPattern(r"\\[nr]|(?<![A-Za-z0-9/+=])\+(?=[\s\"'A-Za-z0-9/])|[\s\"'`,#*>|\\]")
_HEADER = LazyPattern(r"^[A-Za-z-]+: ?[^\n\\]*(?:\\n|\n|$)", re.MULTILINE)
_BASE64 = LazyPattern(r"[A-Za-z0-9/+=]{60,}")
_OPENSSH = "b3BlbnNzaC1rZXk"
_LONGEST = 20_000
"""Characters; an RSA key of 16,384 bits takes 12,700."""
_JWK = LazyPattern(r'"d"\s*:\s*"([A-Za-z0-9_-]{40,})"')
_PUTTY = LazyPattern(r"Private-Lines: \d+\s+((?:[A-Za-z0-9/+=]{16,}\s+)+)")


class PrivateKey(SecretCheck):
    """A private key stands in the file.

    Whoever has a copy of the repository can pass for the owner of the key or read what was encrypted for
    it, and the history keeps the key when the file goes. Make a new key, withdraw this one wherever it is
    trusted, and let the deployment bring the new one.
    """

    ID = "SE002"
    NAME = "private-key"
    IN_GENERATED = True
    VALID = [
        code("""
            BEGIN = "-----BEGIN {} KEY-----".format("RSA PRIVATE")
        """),
        code("""
            -----BEGIN CERTIFICATE-----
            guy7VlVgB462YVZ9BCqzv53wSlKSVQb0hqBSjPCAV0tnhrdPbVynGukmoPtshllP
            guy7VlVgB462YVZ9BCqzv53wSlKSVQb0hqBSjPCAV0tnhrdPbVynGukmoPtshllP
            -----END CERTIFICATE-----
        """),
    ]
    INVALID = [
        code(
            """
            «-----BEGIN RSA\x20PRIVATE KEY-----
            MIIEpAIBAAKCAQEA5fYdNTDLkp47oclDQGoMezKYkvQM6s45YUgIm4Df5IihH8Mj
            M7hZuwuRnIJOvtFMMMOOCYnXpYAlsH1VXZxen3Xm55jt5d8keFDlWlOKyfUXihuP
            »""",
            path="a.pem",
        ),
        code(
            """
            {"kty": "EC", "d": "«0znCcINXIKOfFCjKwYiKp585ghBOpa5E97P4vQVeloN»"}
            """,
            path="jwk.json",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        whole = text.text
        if "PRIVATE KEY" in whole:
            for begin in _BEGIN.finditer(whole):
                yield from _pem(text, begin)
        if '"kty"' in whole:
            for match in _JWK.finditer(whole):
                if not value_filters.is_made_up(match[1]):
                    yield SecretMatch(*match.span(1), _said("private key of a JSON web key"))
        if "PuTTY-User-Key-File" in whole:
            for match in _PUTTY.finditer(whole):
                yield SecretMatch(*match.span(1), _said("PuTTY private key"))


def _pem(text: ScannedText, begin: re.Match[str]) -> Iterator[SecretMatch]:
    """The block that begins here, if it is more than its first line and an ellipsis."""
    whole = text.text
    end = whole.find(_END, begin.end(), begin.end() + _LONGEST)
    inside = whole[begin.end() : end if end >= 0 else begin.end() + 2000]
    body = _BASE64.search(_BETWEEN.sub("", _HEADER.sub("", inside.lstrip())))
    if body is None or value_filters.is_made_up(_drawn_part(body[0])):
        return
    stop = whole.find("-----", end + len(_END)) + 5 if end >= 0 else begin.end() + len(inside)
    is_account = b'"service_account"' in text.lower
    kind = "Google service-account key" if is_account else f"{_called(begin['kind'])}private key"
    locked = "ENCRYPTED" in begin["kind"] or "4,ENCRYPTED" in inside
    yield SecretMatch(begin.start(), max(stop, begin.end()), _said(kind), Severity.WARN if locked else None)


def _drawn_part(body: str) -> str:
    """Some of a key that is behind what all keys of its kind begin with."""
    return body[120:184] if body.startswith(_OPENSSH) else body[16:80]


def _called(kind: str) -> str:
    return "PGP " if kind.startswith("PGP") else "OpenSSH " if kind.startswith("OPENSSH") else kind


def _said(kind: str) -> str:
    return f"{kind} in the source: replace the key, then remove it"
