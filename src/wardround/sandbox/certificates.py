"""A certificate authority that exists for one run, in the memory of wardround."""

from __future__ import annotations

import datetime
import ssl
import tempfile
from collections.abc import Collection
from typing import Any

from wardround.errors import EnvironmentUnavailable

_VALID = datetime.timedelta(days=1)
_EARLIER = datetime.timedelta(hours=1)
"""Clocks of a machine and of its containers differ."""


class Authority:
    """Issues a certificate for each of some hosts.

    Attributes:
        certificate: certificate of the authority, as PEM.

    Raises:
        EnvironmentUnavailable: cryptography is not installed.
    """

    def __init__(self, hosts: Collection[str]) -> None:
        try:
            from cryptography.hazmat.primitives import serialization
        except ModuleNotFoundError as cause:
            raise EnvironmentUnavailable(
                "a private registry needs cryptography, which is not installed; "
                "pip install 'wardround[run]' includes it"
            ) from cause
        self._pem = serialization.Encoding.PEM
        self._private = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self._key, issued = _sign_certificate("wardround", None, None)
        self.certificate: bytes = issued.public_bytes(self._pem)
        self._contexts = {host: self._context(host, issued) for host in sorted(hosts)}

    def server(self, host: str) -> ssl.SSLContext:
        """Return the settings of a server that is a host for this run."""
        return self._contexts[host]

    def _context(self, host: str, issuer: Any) -> ssl.SSLContext:
        key, issued = _sign_certificate(host, issuer, self._key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile(prefix="wardround-") as file:  # ssl reads keys from files only
            file.write(key.private_bytes(self._pem, *self._private) + issued.public_bytes(self._pem))
            file.flush()
            context.load_cert_chain(file.name)
        return context


def _sign_certificate(name: str, issuer: Any, issuer_key: Any) -> tuple[Any, Any]:
    """Return a key and its certificate: that of an authority, or of a host that an authority signs."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name[:64])])
    current = datetime.datetime.now(datetime.UTC)
    is_authority = issuer is None
    builder = (
        x509.CertificateBuilder(subject_name=subject, public_key=key.public_key())
        .issuer_name(subject if is_authority else issuer.subject)
        .serial_number(x509.random_serial_number())
        .not_valid_before(current - _EARLIER)
        .not_valid_after(current + _VALID)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if is_authority:
        signs = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        builder = builder.add_extension(signs, critical=True)
    else:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        for extension in (identifier, usage, x509.SubjectAlternativeName([_alternative(name)])):
            builder = builder.add_extension(extension, critical=False)
    return key, builder.sign(key if is_authority else issuer_key, hashes.SHA256())


def _alternative(host: str) -> Any:
    """Return the name of a host in the form of a certificate."""
    import ipaddress

    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
