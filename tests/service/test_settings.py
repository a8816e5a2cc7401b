"""The server configuration: what is accepted, and the sentence for what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.errors import ConfigError
from wardround.service.settings import Clone, load_settings

_TOKEN = f'[[tokens]]\nname = "ci"\nsha256 = "{"a" * 64}"\nscopes = ["reviews:write"]\n'


def test_a_token_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text(_TOKEN, encoding="utf-8")
    settings = load_settings(file)
    assert settings.address == ("127.0.0.1", 8642)
    assert (settings.request(None).offline, settings.request(None).trusted_side) == (True, "target")
    assert settings.journal_file.parts[-3:] == ("wardround", "service", "journal.sqlite")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tokens = []", "tokens: there are none, so no client can use the server; add one"),
        (_TOKEN + "colour = 1", "Object contains unknown field `colour` - at `$.tokens[0]`; correct it"),
        ('listen = "8642"\n' + _TOKEN, "listen: '8642' is not HOST:PORT; give one, as 127.0.0.1:8642"),
        ('listen = "h:99999"\n' + _TOKEN, "listen: 'h:99999' is not HOST:PORT; give one, as 127.0.0.1:8642"),
        ('listen = "0.0.0.0:80"\n' + _TOKEN, "listen: 0.0.0.0:80 is not a loopback address"),
        ('journal = "j.sqlite"\n' + _TOKEN, "journal: 'j.sqlite' is not an absolute path; give one"),
        (
            '[repositories]\nshop = "../shop"\n' + _TOKEN,
            "repositories.shop: '../shop' is not an absolute path",
        ),
        (_TOKEN + 'repositories = ["shop"]', "tokens: ci: repositories: 'shop' is not configured; add it"),
        (_TOKEN + _TOKEN, "tokens: ci: the name or the digest is that of another token; change it"),
        ("[limits]\nbody-bytes = 2048\n" + _TOKEN, "limits: diff-bytes exceeds body-bytes"),
        ("[limits]\nworkers = 0\n" + _TOKEN, "Expected `int` >= 1 - at `$.limits.workers`; correct it"),
        ("tokens = ", "is not valid TOML"),
    ],
)
def test_a_wrong_configuration_is_rejected(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "server.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_settings(file)
    assert message in str(refused.value)
    assert str(refused.value).startswith(str(file))


@pytest.mark.parametrize("more", ["plaintext = true\n", '[tls]\ncertificate = "/c.pem"\nkey = "/k.pem"\n'])
def test_other_addresses_need_tls_or_a_proxy(tmp_path: Path, more: str) -> None:
    file = tmp_path / "server.toml"
    file.write_text(f'listen = "[::]:80"\n{more}{_TOKEN}', encoding="utf-8")
    assert load_settings(file).address == ("::", 80)


def test_a_repository_is_a_path_or_a_table_with_its_branches(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    table = '[repositories]\nshop = "/shop"\nblog = {path = "/blog", bases = ["main", "v1"]}\n'
    file.write_text(_TOKEN + table, encoding="utf-8")
    assert load_settings(file).clones == {
        "shop": Clone("/shop", ("HEAD",)),
        "blog": Clone("/blog", ("main", "v1")),
    }


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file or directory; give a server configuration"):
        load_settings(tmp_path / "none.toml")
