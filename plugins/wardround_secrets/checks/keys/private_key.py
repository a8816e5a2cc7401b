from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import certificates, value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_BEGIN = LazyPattern(r"-----BEGIN (?P<kind>(?:[A-Z0-9]+ ){0,3})PRIVATE KEY(?: BLOCK)?-----")
_END = "-----END"
_BETWEEN = LazyPattern(r"\\[nr]|(?<![A-Za-z0-9/+=])\+(?=[\s\"'A-Za-z0-9/])|[\s\"'`,#*>|\\]")
_HEADER = LazyPattern(r"^[A-Za-z-]+: ?[^\n\\]*(?:\\n|\n|$)", re.MULTILINE)
_BASE64 = LazyPattern(r"[A-Za-z0-9/+=]{60,}")
_OPENSSH = "b3BlbnNzaC1rZXk"
_LONGEST = 20_000
"""Characters; an RSA key of 16,384 bits takes 12,700."""
_ACCOUNT = LazyPattern(r"project_id\\?[\"']\s*:\s*\\?[\"'](?P<project>[\w-]{1,60})")
_MADE_UP = LazyPattern(
    r"(?:^|[-_])(?:example|dummy|fake|mock|placeholder|your)(?:[-_]|$)|^(?:test|foo|bar|my-?)?(?:project)?(?:-?id)?$"
)
"""Names of projects that do not exist."""
_ACCOUNT_LENGTH = 4000
"""Characters; a service account with its key and addresses has about 2,300."""
_CERTIFICATES = (".crt", ".cert", ".cer", ".pem")
_JWK = LazyPattern(r'"d"\s*:\s*"([A-Za-z0-9_-]{40,})"')
_PUTTY = LazyPattern(r"Private-Lines: \d+\s+((?:[A-Za-z0-9/+=]{16,}\s+)+)")


class PrivateKey(SecretCheck):
    """A private key is committed.

    Anyone with a copy of the repository can impersonate the owner of the key or decrypt messages to it,
    and the history keeps the key after the file is deleted. Generate a new key, revoke this one
    wherever it is trusted, and provide the new one at deployment.
    """

    ID = "SE002"
    NAME = "private-key"
    ANCHORS = (b"private key", b'"kty"', b"putty-user-key-file")
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
        content = text.text
        if "PRIVATE KEY" in content:
            for begin in _BEGIN.finditer(content):
                yield from _pem(text, begin)
        if '"kty"' in content:
            for match in _JWK.finditer(content):
                if not value_filters.is_placeholder(match[1]):
                    yield SecretMatch(*match.span(1), _message("private key of a JSON web key"))
        if "PuTTY-User-Key-File" in content:
            for match in _PUTTY.finditer(content):
                yield SecretMatch(*match.span(1), _message("PuTTY private key"))


def _pem(text: ScannedText, begin: re.Match[str]) -> Iterator[SecretMatch]:
    """Yield the block that begins at a marker, if it contains more than its first line and an ellipsis."""
    content = text.text
    end = content.find(_END, begin.end(), begin.end() + _LONGEST)
    is_closed = end >= 0
    inside = content[begin.end() : end if is_closed else begin.end() + 2000]
    if not _has_key(inside, is_closed=is_closed):
        return
    if _is_fictional_account(content, begin.start()) or _is_for_development(text, begin["kind"]):
        return
    end_of_block = content.find("-----", end + len(_END)) + 5 if is_closed else begin.end() + len(inside)
    is_account = b'"service_account"' in text.lower
    kind = "Google service-account key" if is_account else f"{_format_name(begin['kind'])}private key"
    is_encrypted = "ENCRYPTED" in begin["kind"] or "4,ENCRYPTED" in inside
    severity = Severity.WARN if is_encrypted else None
    yield SecretMatch(begin.start(), max(end_of_block, begin.end()), _message(kind), severity)


def _has_key(inside: str, *, is_closed: bool) -> bool:
    """Return True if a block has the digits of a key; one without an end has to begin with them."""
    block = _BETWEEN.sub("", _HEADER.sub("", inside.lstrip()))
    body: re.Match[str] | None = _BASE64.search(block) if is_closed else _BASE64.match(block)
    return body is not None and not value_filters.is_placeholder(_key_body(body[0]))


def _is_fictional_account(content: str, offset: int) -> bool:
    """Return True if a key is part of a service account of a project that does not exist."""
    account: re.Match[str] | None = _ACCOUNT.search(
        content, max(0, offset - _ACCOUNT_LENGTH // 4), offset + _ACCOUNT_LENGTH
    )
    return account is not None and _MADE_UP.search(account["project"]) is not None


def _is_for_development(text: ScannedText, kind: str) -> bool:
    """Return True if a key belongs to a certificate that only developers use."""
    if kind.startswith(("OPENSSH", "PGP", "SSH")):
        return False
    stem = text.path.rpartition(".")[0]
    beside = (text.read(stem + suffix) for suffix in _CERTIFICATES if not text.path.endswith(suffix))
    adjacent = next((path for path in beside if path), "")
    return certificates.is_for_development(text.path, text.text, adjacent)


def _key_body(body: str) -> str:
    """Return a part of a key after the header that all keys of its kind share."""
    return body[120:184] if body.startswith(_OPENSSH) else body[16:80]


def _format_name(kind: str) -> str:
    return "PGP " if kind.startswith("PGP") else "OpenSSH " if kind.startswith("OPENSSH") else kind


def _message(kind: str) -> str:
    return f"{kind} in the source: replace the key, then remove it"
