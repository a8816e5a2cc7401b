"""The certificate authorities that a client of HTTP trusts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl


def trusted_certificates(url: str) -> ssl.SSLContext:
    """Return the context of TLS for requests to one origin, with the certificates that SSL_CERT_FILE names.

    For an address without TLS it trusts no certificate: reading them takes longer than many requests.

    Raises:
        OSError: the named certificates cannot be read.
    """
    import httpx  # an optional dependency, and slow to import

    if url[:5].lower() != "http:":
        return httpx.create_ssl_context(trust_env=True)

    import ssl  # slow to import

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
