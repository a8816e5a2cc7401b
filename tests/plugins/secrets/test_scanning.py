"""Positions that are scanned, values that are ignored, and properties that hold for every text."""

from __future__ import annotations

import json
import random
import string
import subprocess
import sys

import pytest
from wardround_secrets.checks import CHECKS
from wardround_secrets.checks.passwords.committed_credentials import CommittedCredentials
from wardround_secrets.detection import providers, value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, anchors_in, scan
from wardround_secrets.specialist import SecretsSpecialist

from tests.plugins.secrets.planted import (
    BASE62,
    GITHUB,
    HEX,
    HEX_KEY,
    PASSWORD,
    PRIVATE_KEY,
    SLACK,
    STRIPE,
    drawn,
)
from wardround.checks.source import SourceFile
from wardround.findings import RawFinding, Severity


def found(text: str, path: str = "src/app.py", added: set[int] | None = None) -> list[RawFinding]:
    is_added = (lambda line: True) if added is None else added.__contains__
    return scan(CHECKS, CHECKS, SourceFile(path, text, is_added=is_added))


def codes(text: str, path: str = "src/app.py") -> list[str]:
    return [result.code for result in found(text, path)]


class TestPlaces:
    def test_only_added_lines_are_reported(self) -> None:
        text = f'a = "{GITHUB}"\nb = "{STRIPE}"\n'
        assert [r.span.line for r in found(text, added={2})] == [2]

    def test_many_old_secrets_do_not_hide_a_new_one(self) -> None:
        text = "".join(f'k{n} = "{"gh" + "p_" + drawn(BASE62, 36, n)}"\n' for n in range(300))
        assert [r.span.line for r in found(text, added={290})] == [290]

    def test_a_key_whose_body_was_exchanged_is_reported_from_its_first_added_line(self) -> None:
        assert [r.span.line for r in found(PRIVATE_KEY, "certs/server.key", added={2, 3})] == [2]

    def test_columns_are_code_points(self) -> None:
        (result,) = found(f'\ufeff# é\nname = "𝒳é"; key = "{GITHUB}"\n')
        assert result.span.start == (2, 21)
        assert result.span.end == (2, 21 + len(GITHUB))

    def test_a_secret_that_several_checks_know_is_reported_once(self) -> None:
        assert codes(f'password = "{GITHUB}"\napi_key = "{STRIPE}"\n') == ["SE001", "SE001"]

    def test_two_secrets_on_one_line_are_two_findings(self) -> None:
        assert codes(f'f("{GITHUB}", "{SLACK}")\n') == ["SE001", "SE001"]

    def test_the_end_of_a_line_may_have_a_carriage_return(self) -> None:
        assert codes(f"API_KEY={HEX_KEY}\r\nPASSWORD={PASSWORD}\r\n", ".env") == ["SE004", "SE005"]


class TestSilence:
    @pytest.mark.parametrize(
        "value",
        [
            "changeme",
            "your-token-here",
            "<TOKEN>",
            "${TOKEN}",
            "{{ token }}",
            "x" * 32,
            "0" * 40,
            "1234567890" * 4,
            "abcdefghijklmnopqrstuvwxyz012345",
            "test_test_test_test_1",
            "process.env.TOKEN",
            "%(token)s",
            "$TOKEN",
            "f81d4fae-7dec-41d0-a765-00a0c91e6bf6",
            "sha256:" + drawn(HEX, 64),
            "sha512-" + drawn(BASE62, 86),
            "ssh-ed25519 AAAA" + drawn(BASE62, 60),
            "arn:aws:secretsmanager:eu-west-1:1:secret:db-pQ3x9Z",
            "https://login.acme.dev/oauth2/v2.0/token",
            "getAccessTokenFromRequest2",
            "user.credentials.token2",
        ],
    )
    @pytest.mark.parametrize("name", ["token", "api_key", "client_secret", "password"])
    def test_what_is_not_a_secret_next_to_a_telling_name(self, name: str, value: str) -> None:
        assert codes(f'{name} = "{value}"\n') == []
        assert codes(f"{name}: {value}\n", "values.yml") == []

    @pytest.mark.parametrize(
        "name",
        ["cache_key", "next_page_token", "tokenUrl", "public_key", "password_hash", "token_id", "keyboard"],
    )
    def test_names_that_only_sound_like_one(self, name: str) -> None:
        assert codes(f'{name} = "{drawn(BASE62, 40)}"\n') == []

    @pytest.mark.parametrize(
        "path",
        [
            "package-lock.json",
            "poetry.lock",
            "go.sum",
            "web/dist/a.js",
            "a.min.js",
            "a.svg",
            "i18n/de.json",
        ],
    )
    def test_generated_files_are_searched_for_tokens_with_a_shape_only(self, path: str) -> None:
        text = f'"api_key": "{HEX_KEY}", "password": "{PASSWORD}"\n'
        assert codes(text, path) == []
        assert codes(text + f'"x": "{GITHUB}"\n', path) == ["SE001"]

    def test_of_a_notebook_its_code_is_searched_and_what_it_printed_is_not(self) -> None:
        lines = [f'api_key = "{HEX_KEY}"\n', f'c = connect(user="a", password="{PASSWORD}")\n']
        cell = {"cell_type": "code", "metadata": {}, "outputs": [{"text": lines}], "source": ["a = 1\n"]}
        assert codes(json.dumps({"cells": [cell]}, indent=1), "a.ipynb") == []
        cell |= {"outputs": [], "source": lines}
        results = found(json.dumps({"cells": [cell]}, indent=1), "a.ipynb")
        assert [(r.code, r.span.line) for r in results] == [("SE004", 8), ("SE005", 9)]

    @pytest.mark.parametrize("path", ["tests/test_a.py", "src/a.spec.ts", "docs/setup.md", ".env.example"])
    def test_where_things_are_tried_tokens_are_warnings_and_the_rest_is_silent(self, path: str) -> None:
        text = f'api_key = "{HEX_KEY}"\npassword = "{PASSWORD}"\n{PRIVATE_KEY}token = "{STRIPE}"\n'
        assert [(r.code, r.severity) for r in found(text, path)] == [("SE001", Severity.WARN)]

    def test_tests_inside_a_rust_file_are_tests(self) -> None:
        text = f'#[cfg(test)]\nmod tests {{ let api_key = "{HEX_KEY}"; }}\n'
        assert codes(text, "src/lib.rs") == []

    def test_pictures_in_base_64_are_not_secrets(self) -> None:
        picture = "iVBORw0KGgo" + drawn(BASE62 + "+/", 4000)
        assert codes(f'icon = "data:image/png;base64,{picture}"\ntoken_icon = "{picture}"\n') == []


class TestValues:
    def test_a_right_checksum_proves_a_token_even_in_a_test(self) -> None:
        body = drawn(BASE62, 30)
        ending = providers.checksum_of(body)
        (result,) = found(f'token = "{"gh"}p_{body}{ending}"\n', "tests/test_a.py")
        assert result.severity is None

    @pytest.mark.parametrize(("alphabet", "length"), [(BASE62, 24), (BASE62, 40), (HEX, 32), (HEX, 64)])
    def test_what_was_drawn_is_hardly_ever_mistaken_for_made_up(self, alphabet: str, length: int) -> None:
        drawn_values = [drawn(alphabet, length, seed) for seed in range(500)]
        assert sum(map(value_filters.is_placeholder, drawn_values)) <= 2
        assert sum(map(value_filters.is_wordy, drawn_values)) <= 25

    def test_every_kind_of_token_begins_as_it_reports(self) -> None:
        for token in providers.TOKENS:
            assert providers.shape_of(token).pattern
            assert all(len(prefix) >= 2 for prefix in token.prefixes)

    def test_no_message_holds_more_than_four_characters_of_a_value(self) -> None:
        for secret in (GITHUB, STRIPE, SLACK):
            (result,) = found(f'x = "{secret}"\n')
            assert secret[:5] not in result.message
            assert secret[-4:] not in result.message


class TestAnyText:
    @pytest.mark.parametrize("seed", range(20))
    def test_noise_does_no_harm(self, seed: int) -> None:
        rng = random.Random(seed)
        words = [
            "password",
            "=",
            '"',
            "://",
            ":",
            "@",
            "\n",
            "-----BEGIN PRIVATE KEY-----",
            "eyJ",
            ".",
            "é",
            "~",
            "\ud800",
            "\x00",
            "authorization: basic ",
            "accountkey=",
            "&sig=",
            '"kty"',
            '"d": "',
            "token",
            GITHUB,
            "SG.",
            "AA",
            "pat",
        ]
        text = "".join(
            rng.choice(words) if rng.random() < 0.6 else rng.choice(string.printable) for _ in range(3000)
        )
        for result in found(text, rng.choice(["a.py", ".env", "a.yml", ".npmrc", ".netrc"])):
            assert result.span.line <= text.count("\n") + 1

    @pytest.mark.parametrize(
        "text",
        [
            "a" * 300_000,
            "password=" * 40_000,
            "://a:" * 60_000,
            "token: '" * 40_000,
            "-----BEGIN PRIVATE KEY-----" * 3_000,
            "eyJ" * 90_000,
            "secret" + "_key" * 60_000,
            '"' * 200_000,
            "AA:" * 90_000,
            "",
            "\n" * 200_000,
        ],
    )
    def test_nothing_takes_long(self, text: str) -> None:
        assert len(found(text, "a.yml")) <= 100

    def test_the_specialist_is_light_to_load(self) -> None:
        code = (
            "import sys; from wardround_secrets.specialist import SecretsSpecialist; SecretsSpecialist(); "
            "assert not [m for m in sys.modules if m.startswith('wardround_secrets.checks')]"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        assert SecretsSpecialist().reviews_all_text


@pytest.mark.parametrize("check", [check for check in CHECKS if check.ANCHORS], ids=lambda check: check.ID)
def test_a_check_whose_anchors_a_text_lacks_is_not_run(
    check: type[SecretCheck], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "find", lambda text: pytest.fail("run"))
    assert scan([check], [check], SourceFile("src/app.py", "def total(prices):\n    return 1\n")) == []


@pytest.mark.parametrize("check", [check for check in CHECKS if check.ANCHORS], ids=lambda check: check.ID)
def test_a_check_is_possible_with_each_of_its_anchors(check: type[SecretCheck]) -> None:
    for anchor in check.ANCHORS:
        for text in (f"x{anchor.decode()}y", f"é {anchor.decode().upper()}\n", anchor.decode() * 66_000):
            assert check.is_possible("src/app.py", anchors_in(ScannedText("src/app.py", text), (check,))), (
                anchor
            )


def test_a_credential_file_needs_no_anchor() -> None:
    text = "db.acme.dev:5432:shop:shop:Kestrel-otter95+\n"
    assert codes(text, ".pgpass") == [CommittedCredentials.ID]
