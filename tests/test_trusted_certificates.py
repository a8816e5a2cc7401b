"""Clients verify TLS, and read certificates only where they are needed."""

from __future__ import annotations

import ssl

import pytest

from wardround.trusted_certificates import trusted_certificates


def test_an_address_with_tls_gets_certificates() -> None:
    assert trusted_certificates("https://host.example/api").cert_store_stats()["x509_ca"] > 0


@pytest.mark.parametrize("url", ["http://127.0.0.1:80/api", "HTTP://host.example"])
def test_an_address_without_tls_gets_none_and_would_verify(url: str) -> None:
    context = trusted_certificates(url)
    assert context.cert_store_stats()["x509_ca"] == 0
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_certificates_that_cannot_be_read_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/does/not/exist.pem")
    with pytest.raises(OSError, match="No such file"):
        trusted_certificates("https://host.example/api")
