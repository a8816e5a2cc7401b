"""Values that resemble secrets and open nothing: own containers, development keys, examples, bundles."""

from __future__ import annotations

import base64
import datetime
import json

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.x509.oid import NameOID
from wardround_secrets.checks import CHECKS
from wardround_secrets.detection import providers
from wardround_secrets.detection.scanner import scan

from tests.plugins.secrets.planted import BASE62, HEX_KEY, PASSWORD, PRIVATE_KEY, drawn
from wardround.change.repository_view import InMemoryRepository
from wardround.checks.source import SourceFile

KEY = drawn(BASE62, 40)
STRONG = "kQ7x!" + drawn(BASE62, 14) + "#9"


def codes(text: str, path: str, **others: str) -> list[str]:
    project = InMemoryRepository(
        {path: text, **{name.replace("__", "/"): text for name, text in others.items()}}
    )
    return [result.code for result in scan(CHECKS, CHECKS, SourceFile(path, text, project=project))]


WORKFLOW = f"""\
jobs:
  test:
    services:
      db:
        image: postgres:16
        env:
          POSTGRES_PASSWORD: {PASSWORD}
    steps:
      - run: |
          echo '{{"host": "localhost", "pass": "{PASSWORD}"}}' > config.json
"""


class TestContainersOfOneFile:
    def test_password_of_a_service_of_the_job_is_silent_wherever_the_file_repeats_it(self) -> None:
        assert codes(WORKFLOW, ".github/workflows/ci.yml") == []

    def test_password_of_a_job_without_that_service_is_reported(self) -> None:
        deploy = f"{WORKFLOW}  deploy:\n    env:\n      DB_PASSWORD: {PASSWORD[::-1]}\n"
        assert codes(deploy, ".github/workflows/ci.yml") == ["SE005"]

    def test_key_of_an_api_that_a_service_gets_is_reported(self) -> None:
        text = f"jobs:\n  a:\n    services:\n      agent:\n        env:\n          DD_API_KEY: {HEX_KEY}\n"
        assert codes(text, ".github/workflows/ci.yml") == ["SE004"]

    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("docker-compose.dev.yml", []),
            ("dev/compose.yaml", []),
            ("docker-compose.yml", ["SE005"]),
            ("deploy/compose.yml", ["SE005"]),
        ],
    )
    def test_compose_file_is_for_development_by_its_name(self, path: str, expected: list[str]) -> None:
        text = f"services:\n  db:\n    environment:\n      MYSQL_ROOT_PASSWORD: {PASSWORD}\n"
        assert codes(text, path) == expected


def certificate(name: str, issuer: str = "") -> str:
    """Return the PEM form of a certificate; self-signed without an issuer."""
    key = ed25519.Ed25519PrivateKey.generate()
    start = datetime.datetime(2030, 1, 1)
    built = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer or name)]))
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=90))
        .sign(key, None)
    )
    return built.public_bytes(serialization.Encoding.PEM).decode()


class TestKeysForDevelopment:
    def test_key_next_to_a_certificate_of_the_local_host_is_silent(self) -> None:
        assert codes(certificate("localhost") + PRIVATE_KEY, "conf/server.pem") == []

    def test_key_with_a_self_signed_certificate_of_the_same_name_is_silent_in_a_development_folder(
        self,
    ) -> None:
        assert codes(PRIVATE_KEY, "dev/server.key", dev__server=certificate("app.acme.dev")) == ["SE002"]
        files = {"dev/server.crt": certificate("app.acme.dev")}
        source = SourceFile("dev/server.key", PRIVATE_KEY, project=InMemoryRepository(files))
        assert scan(CHECKS, CHECKS, source) == []

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("dev/server.pem", certificate("app.acme.dev", "Acme CA") + PRIVATE_KEY),
            ("conf/server.pem", certificate("app.acme.dev") + PRIVATE_KEY),
            ("terraform/dev/server.pem", certificate("app.acme.dev") + PRIVATE_KEY),
            ("dev/server.key", PRIVATE_KEY),
        ],
        ids=["issued", "no development folder", "deployed environment", "no certificate"],
    )
    def test_other_keys_are_reported(self, path: str, text: str) -> None:
        assert codes(text, path) == ["SE002"]

    @pytest.mark.parametrize(
        ("project", "expected"), [("example", []), ("your-project", []), ("acme-billing", ["SE002"])]
    )
    def test_service_account_of_a_project_that_does_not_exist_is_silent(
        self, project: str, expected: list[str]
    ) -> None:
        account = {"type": "service_account", "project_id": project, "private_key": PRIVATE_KEY}
        assert codes(json.dumps(account), "account.json") == expected

    def test_marker_of_a_key_in_a_comment_is_silent(self) -> None:
        begin = f"-----BEGIN {'PRIVATE'} KEY-----"
        assert (
            codes(f'// key := parse("{begin}\\n...")\n' + f"const hash = `{HEX_KEY * 3}`\n", "tls.go") == []
        )


class TestExamples:
    def test_documented_values_of_an_interface_are_silent(self) -> None:
        text = f"openapi: 3.1.0\nexample:\n  client_secret: {KEY}\n"
        assert codes(text, "api/openapi.yaml") == []
        assert codes(text, "api/settings.yaml") == ["SE004"]

    def test_comment_that_queries_to_replace_the_values_covers_its_paragraph(self) -> None:
        text = f"# Replace with your values\n# of the provider\nclient_secret = {KEY}\n"
        assert codes(text, "dns/acme.ini") == []
        assert codes(text.replace("\n# of", "\n\n# of"), "dns/acme.ini") == ["SE004"]

    def test_request_body_of_a_collection_is_silent(self) -> None:
        schema = '"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"'
        body = f'"raw": "{{ \\"password\\": \\"{PASSWORD}\\" }}"'
        assert codes(f"{{{schema},\n{body}\n}}\n", "acme.json") == []
        assert codes(f"{{\n{body}\n}}\n", "acme.json") == ["SE005"]

    def test_token_that_only_reads_the_build_cache_is_silent(self) -> None:
        for rights, expected in (("read-only", []), ("read", []), ("read-write", ["SE004"])):
            value = base64.b64encode(f"{drawn(BASE62, 36)}|{rights}".encode()).decode()
            assert codes(f'{{"nxCloudAccessToken": "{value}"}}\n', "nx.json") == expected

    def test_label_in_a_translation_is_silent(self) -> None:
        text = '{"smtp_password": "SMTP-Adgangskode1"}\n'
        assert codes(text, "web/messages/da.json") == []
        assert codes(text, "web/settings.json") == ["SE004"]

    def test_words_that_hyphens_join_are_no_password(self) -> None:
        assert codes('password = "Bibo-Joshi"\n', "app.py") == []

    def test_header_for_a_server_on_the_same_machine_is_silent(self) -> None:
        header = f'header: "Authorization: Bearer {KEY}"\n'
        assert codes(f"{header}endpoint: http://localhost:3000\n", "client.yml") == []
        assert codes(f"{header}endpoint: https://api.acme.dev\n", "client.yml") == ["SE009"]


class TestPasswordsInTests:
    @pytest.mark.parametrize(
        ("call", "expected"),
        [
            ("users.create({{'name': 'a', 'password': '{}'}})", []),
            ("UserFactory(name='a', password='{}')", []),
            ("client.create_connection(user='a', password='{}')", ["SE010"]),
            ("login(user='a', password='{}')", ["SE010"]),
        ],
    )
    def test_password_of_an_account_that_the_test_makes_is_silent(
        self, call: str, expected: list[str]
    ) -> None:
        assert codes(call.format(STRONG) + "\n", "tests/test_users.py") == expected

    def test_second_use_of_such_a_password_is_silent(self) -> None:
        text = f"create_user(password='{STRONG}')\nlogin(password='{STRONG}')\n"
        assert codes(text, "tests/test_users.py") == []

    def test_hash_of_a_password_is_silent(self) -> None:
        digest = base64.b64encode(hashes.SHA256().name.encode() * 6).decode()
        text = f'{{"password": "pbkdf2_sha256$10000$oRIbCKOL1U3w${digest}"}}\n'
        assert codes(text, "users/fixtures/users.json") == []


class TestBundles:
    @pytest.mark.parametrize("path", [".yarn/releases/yarn-4.5.1.cjs", "static/ui-bundle.js", "vendor/x.js"])
    def test_url_in_vendored_code_is_silent(self, path: str) -> None:
        text = f"throw Error('dotenv://:{drawn(BASE62, 20)}@vault.acme.dev/x')\n"
        assert codes(text, path) == []
        assert codes(text, "src/x.js") == ["SE003"]

    def test_list_of_codes_is_not_a_token_in_pieces(self) -> None:
        regions = "'rnd', 'ams', 'arn', 'atl', 'bog', 'bom', 'bos', 'cdg', 'den', 'dfw', 'ewr', 'eze'"
        assert codes(f"const regions = [{regions}];\n", "regions.ts") == []


class TestQuotedConflicts:
    CONFLICT = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"

    @pytest.mark.parametrize(
        ("path", "text", "expected"),
        [
            ("docs/merging.md", f"```\n{CONFLICT}```\n", []),
            ("docs/merging.md", f"```\na\n```\n{CONFLICT}", ["SE015"]),
            ("tests/data/merge_conflicts/bad.txt", CONFLICT, []),
            ("tests/data/bad.txt", CONFLICT, ["SE015"]),
            ("src/merge_conflicts.py", CONFLICT, ["SE015"]),
        ],
    )
    def test_conflict_that_a_manual_or_a_fixture_shows_is_silent(
        self, path: str, text: str, expected: list[str]
    ) -> None:
        assert codes(text, path) == expected


class TestTokensShownAsExamples:
    GITLAB = "gl" + "pat-" + drawn(BASE62, 20)
    FORGED = "gh" + "p_" + drawn(BASE62, 36)

    def test_token_next_to_its_pattern_is_silent_and_one_next_to_another_pattern_is_not(self) -> None:
        assert codes(f'("glpat-[a-z0-9]{{20}}", "{self.GITLAB}"),\n', "src/patterns.rs") == []
        assert codes(f'("sk_[a-z0-9]{{20}}", "{self.GITLAB}"),\n', "src/patterns.rs") == ["SE001"]

    def test_placeholder_of_a_form_is_silent(self) -> None:
        assert codes(f'<Input placeholder="{self.GITLAB}" />\n', "src/form.tsx") == []
        assert codes(f'<Input value="{self.GITLAB}" />\n', "src/form.tsx") == ["SE001"]

    def test_manual_that_names_an_example_host_shows_an_example(self) -> None:
        text = f"client = Client('https://git.example.com')\nclient.login('{self.GITLAB}')\n"
        assert codes(text, "docs/usage.rst") == []
        assert codes(text, "src/usage.py") == ["SE001"]
        assert codes(text.replace("example", "acme"), "docs/usage.rst") == ["SE001"]

    def test_comment_in_a_test_declares_a_token_not_real(self) -> None:
        text = f"// randomly generated, not real\nconst token = '{self.GITLAB}'\n"
        assert codes(text, "src/token.spec.ts") == []
        assert codes(text, "src/token.ts") == ["SE001"]

    def test_signing_secret_of_a_test_signs_its_own_messages(self) -> None:
        text = f"hook = Webhook('whsec_{drawn(BASE62, 32)}')\n"
        assert codes(text, "tests/test_hook.py") == []
        assert codes(text, "docs/hooks.md") == ["SE001"]
        assert codes(text, "src/hook.py") == ["SE001"]

    def test_wrong_checksum_in_a_test_is_not_a_token(self) -> None:
        assert codes(f"token = '{self.FORGED}'\n", "tests/test_a.py") == []
        assert codes(f"token = '{self.FORGED}'\n", "src/a.py") == ["SE001"]

    def test_right_checksum_is_reported_whatever_surrounds_it(self) -> None:
        body = drawn(BASE62, 30)
        real = "gh" + "p_" + body + providers.checksum_of(body)
        text = f"# not real, see https://git.example.com\ntoken = '{real}'\n"
        assert codes(text, "docs/usage.rst") == ["SE001"]
        assert codes(f'("ghp_[a-z]{{36}}", "{real}")\n', "src/patterns.py") == ["SE001"]


PUBLISHED = {
    "supabase": "sb_secret" + "_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz",
    "supabase-storage": "850181e4652dd023b7a98c58ae0d2d34" + "bd487ee0cc3254aed6eda37307425907",
    "azurite": "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsu"
    + "Fq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    "cosmos": "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nD" + "uVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",
}
"""Keys that an emulator or a local stack has on every machine, as its documentation lists them."""


@pytest.mark.parametrize("key", PUBLISHED.values(), ids=list(PUBLISHED))
def test_published_key_of_a_local_service_is_not_a_secret(key: str) -> None:
    assert codes(f'export const SERVICE_SECRET = "{key}";\n', "src/local.ts") == []
    assert codes(f"SERVICE_SECRET={key}\n", ".env.local") == []


def test_key_of_the_same_form_as_a_published_one_is_a_secret() -> None:
    own = "sb_secret" + "_" + drawn(BASE62, 31)

    assert codes(f'export const SERVICE_SECRET = "{own}";\n', "src/local.ts") == ["SE001"]
