"""Certificates next to a private key: their names show that the key is for development."""

from __future__ import annotations

import binascii
from collections.abc import Iterator

from wardround.lazy import LazyPattern

_PEM = LazyPattern(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]{100,8000})-----END CERTIFICATE-----")
_LOCAL = (b"localhost", b"127.0.0.1", b"example.", b"Internet Widgi")
"""Names in certificates for one machine, for documentation, and of OpenSSL's default answers."""
_FOR_DEVELOPMENT = LazyPattern(
    r"(?:^|[/_.-])(?:dev|devel|development|local|localhost|insecure|snakeoil)(?=[/_.-]|$)"
)
_DEPLOYED = LazyPattern(
    r"(?:^|[/_.-])(?:envs?|environments?|terraform|clusters?|overlays?|inventory|inventories|deploy\w*|prod\w*|infra\w*)(?=[/_.-]|$)"
)
_VERSION_TAG = 0xA0
_LONG_FORM = 0x80


def is_for_development(path: str, text: str, adjacent: str = "") -> bool:
    """Return True if a key of a certificate serves one machine or the development of the project.

    Args:
        text: the file with the key, and perhaps its certificate.
        adjacent: the certificate in the file next to it; empty if there is none.
    """
    certificates = [*_certificates(text), *_certificates(adjacent)]
    if any(name in certificate for certificate in certificates for name in _LOCAL):
        return True
    is_named = _FOR_DEVELOPMENT.search(path) is not None and _DEPLOYED.search(path) is None
    return is_named and any(map(_is_self_signed, certificates))


def _certificates(text: str) -> Iterator[bytes]:
    """Yield the DER form of the certificates in a text."""
    for block in _PEM.finditer(text) if "BEGIN CERTIFICATE" in text else ():
        try:
            yield binascii.a2b_base64("".join(block[1].split()))
        except binascii.Error:
            continue


def _is_self_signed(certificate: bytes) -> bool:
    """Return True if the issuer of a certificate is its subject (RFC 5280, 4.1)."""
    try:
        _, body, _ = _read_element(certificate, _read_element(certificate, 0)[1])
        fields = list(_elements(certificate, body, 7))
    except IndexError:
        return False
    first = 1 if certificate[fields[0][0]] == _VERSION_TAG else 0
    issuer, subject = fields[first + 2], fields[first + 4]
    return certificate[slice(*issuer)] == certificate[slice(*subject)]


def _elements(data: bytes, start: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the first elements of a sequence."""
    for _ in range(count):
        begin, _, end = _read_element(data, start)
        yield begin, end
        start = end


def _read_element(data: bytes, start: int) -> tuple[int, int, int]:
    """Return start, start of the content and end of the DER element at an offset."""
    length, content = data[start + 1], start + 2
    if length >= _LONG_FORM:
        size = length - _LONG_FORM
        length = int.from_bytes(data[content : content + size], "big")
        content += size
    return start, content, content + length
