"""An endpoint is configured at the root, with an encrypted address, and names no secret of others."""

from __future__ import annotations

import pytest

from wardround.config import loader
from wardround.config.schema import Config
from wardround.errors import ConfigError
from wardround.findings import Plane

GOOD = 'url = "https://llm.example.org/v1/"\nmodel = "m"\n'


def read(text: str, file: str = ".wardround.toml") -> Config:
    content = f"[language-model]\n{text}".encode()
    return loader.read({file: content}.get, ["src/app.py"], ())


def test_nothing_is_configured_by_default() -> None:
    settings = loader.read({}.get, ["app.py"], ()).root.language_model
    assert (settings.url, settings.profiles, settings.use_proxy) == ("", ("ci",), False)


def test_an_endpoint_is_read() -> None:
    settings = read(f'{GOOD}planes = ["intent"]\napi-key-env = "WARDROUND_KEY"\n').root.language_model
    assert settings.completions_url == "https://llm.example.org/v1/chat/completions"
    assert settings.planes == (Plane.INTENT,)


@pytest.mark.parametrize("url", ["http://localhost:8000/v1", "http://127.0.0.1/v1", "http://[::1]:1/v1"])
def test_localhost_needs_no_encryption(url: str) -> None:
    assert read(f'url = "{url}"\nmodel = "m"').root.language_model.url == url


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('url = "http://llm.example.org/v1"\nmodel = "m"', "language-model.url: it is not an https address"),
        ('url = "http://127.0.0.1.example.org"\nmodel = "m"', "it is not an https address"),
        ('url = "ftp://localhost"\nmodel = "m"', "it is not an https address"),
        ('url = "https://"\nmodel = "m"', "it is not an https address"),
        ('url = "https://[x/"\nmodel = "m"', "it is not an https address"),
        ('url = "https://x:99999/"\nmodel = "m"', "it is not an https address"),
        ('url = "https://a b/"\nmodel = "m"', "it is not an https address"),
        ('url = "https://me:secret@x/v1"\nmodel = "m"', "it has credentials, a query or a fragment"),
        ('url = "https://x/v1?key=secret"\nmodel = "m"', "it has credentials, a query or a fragment"),
        ('url = "https://x/v1"', "language-model.model: the endpoint needs the name of a model"),
        (f'{GOOD}api-key-env = "AWS_SECRET_ACCESS_KEY"', "is not a variable with the prefix WARDROUND_"),
        (f'{GOOD}api-key-env = "WARDROUND_K=1"', "is not a variable with the prefix WARDROUND_"),
        (f'{GOOD}api-key = "secret"', "language-model: unknown key 'api-key'; known here: api-key-env, "),
        (f'{GOOD}planes = ["style"]', "planes"),
        (f'{GOOD}profiles = ["nightly"]', "profiles"),
        (f"{GOOD}timeout = 0", "timeout"),
        (f"{GOOD}confidence = 1.5", "confidence"),
        (f"{GOOD}input-tokens = 10", "input-tokens"),
        (f"{GOOD}max-tokens = 0", "max-tokens"),
        (f"{GOOD}seed = -1", "seed"),
    ],
)
def test_a_wrong_setting_is_one_sentence_with_the_file(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text)
    assert str(caught.value).startswith(".wardround.toml: ")
    assert message in str(caught.value)
    assert "secret@" not in str(caught.value)


def test_a_folder_cannot_configure_an_endpoint() -> None:
    with pytest.raises(ConfigError, match="applies at the repository root only"):
        read(GOOD, "src/.wardround.toml")
