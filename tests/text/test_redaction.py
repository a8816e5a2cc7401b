"""No string in the form of a secret survives redaction, and ordinary code does."""

from __future__ import annotations

import base64
import hashlib
import random

import pytest

from wardround.text.redaction import beginning, redact_literals, redact_secrets

WORD = "a1B2c3D4e5F6g7H8i9J0"
SECRETS = {
    "AWS key id": "AKIA" + "IOSFODNN7EXAMPLE",
    "AWS secret": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    "GitHub": "ghp_" + WORD * 2,
    "GitHub, fine-grained": "github_pat_" + WORD,
    "GitLab": "glpat-" + "abcdefghijklmnop",
    "Slack": "xoxb-" + "123456789012-abcdefghijkl",
    "OpenAI": "sk-" + "abcdefghijklmnopqrst",
    "Stripe": "sk_live_" + "abcdefghijklmnop",
    "Google": "AIza" + "SyA-abcdefghijklmnopqrstuvwxyz01234",
    "JWT": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop",
    "npm": "npm_" + WORD + WORD,
    "PyPI": "pypi-" + "AgEIcHlwaS5vcmcabcdefgh",
    "SendGrid": "SG." + "abcdefghijklmnop.qrstuvwxyzabcdef",
    "UUID": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "webhook": "https://hooks.slack.com/services/T000/B000/abcdef",
    "hexadecimal": hashlib.sha256(b"x").hexdigest(),
    "base64": base64.b64encode(random.Random(1).randbytes(48)).decode(),
}
ASSIGNED = {
    'password = "hunter2!"': "hunter2!",
    "PASSWORD: 'correct horse battery'": "correct horse battery",
    '"client_secret": "abcd-efgh"': "abcd-efgh",
    "const apiKey = `qwertyuiop`": "qwertyuiop",
    "db_passwd=s3cr3tvalue": "s3cr3tvalue",
    "access-key => 'zxcvbnm'": "zxcvbnm",
    "token := \"short1\"": "short1",
    "postgres://admin:pa55word@db/x": "pa55word",
    "Authorization: Bearer abcdefghij": "abcdefghij",
    "curl -H 'authorization: basic dXNlcjpwYXNz'": "dXNlcjpwYXNz",
}  # fmt: skip
CODE = (
    "def test_limit_of_values_is_ten(values: list[int]) -> None:",
    "from wardround.planes.language_model.redaction import Redactor",
    "const user = await getUserProfileInformation(request.params.id)",
    "password = read_password()",
    "token = request.headers.get('x')",
    "SELECT id, password_hash FROM users WHERE tenant_id = 42",
    "https://example.org/docs/configuration#options",
    "return `${first} ${second}`",
    "if token is None or secret != other:",
    "skip_everything_that_was_reviewed()",
    "npm_package_version = read('x')",
    "text.encode('sloppy-windows-1252-or-latin1')",
    "decode_inconsistent_utf8(text)",
)


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(
    "line", ["{}", "x = '{}'", "run --key={} --verbose", "# old: {}", "http://h/?k={}&a=b"]
)
def test_a_secret_does_not_survive(name: str, line: str) -> None:
    secret = SECRETS[name]
    assert secret not in redact_secrets(line.format(secret))


@pytest.mark.parametrize("line", ASSIGNED)
def test_an_assigned_value_does_not_survive(line: str) -> None:
    assert ASSIGNED[line] not in redact_secrets(line)
    assert "***" in redact_secrets(line)


@pytest.mark.parametrize("line", CODE)
def test_code_survives(line: str) -> None:
    assert redact_secrets(line) == line


def test_the_lines_of_a_private_key_are_masked_one_by_one() -> None:
    key = base64.b64encode(random.Random(2).randbytes(200)).decode()
    lines = [
        "a = 1",
        "-----BEGIN RSA PRIVATE KEY-----",
        *[key[at : at + 64] for at in range(0, len(key), 64)],
        "-----END RSA PRIVATE KEY-----",
        "b = f(2)",
    ]
    masked = redact_secrets("\n".join(lines)).split("\n")
    assert len(masked) == len(lines)
    assert masked[0] == "a = 1"
    assert masked[-1].endswith("(2)")
    assert not any(line in masked for line in lines[1:-1])


def test_the_number_of_lines_stays_for_random_texts() -> None:
    source = random.Random(3)
    parts = [
        *SECRETS.values(),
        *ASSIGNED,
        *CODE,
        "\n",
        "\n\n",
        "password =\n",
        "bearer\n",
        "-----BEGIN PRIVATE KEY-----",
    ]
    for _ in range(500):
        text = " ".join(source.choices(parts, k=12))
        assert redact_secrets(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("name", [name for name in SECRETS if "://" not in SECRETS[name]])
def test_a_beginning_does_not_end_within_a_secret(name: str) -> None:
    text = f"see the text {SECRETS[name]} and more"
    for limit in range(len(text) + 1):
        shown = beginning(text, limit)
        assert len(shown) <= limit
        assert SECRETS[name][:3] not in shown or SECRETS[name] in shown


LONG = "123456789012345678901234567890"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"f({LONG})", f"f({LONG})"),
        (f"f(-{LONG}, x={LONG})", f"f(-{LONG}, x={LONG})"),
        (f"f('{LONG}')", "f('***')"),
        (f'f("it\'s {LONG}", {LONG})', f'f("it\'s ***", {LONG})'),
        (f"f('cut off {LONG}", "f('cut off ***"),
        (f"f(password={LONG})", "f(password=***)"),
        (f"f({{'secret': {LONG}}})", "f({'secret': ***})"),
        ("f(password=123456)", "f(password=***)"),
        (f"\ue000 {LONG}", "\ue000 ***"),
        (f"f({LONG}.5, -0.{LONG}, 1.{LONG}e-05)", f"f({LONG}.5, -0.{LONG}, 1.{LONG}e-05)"),
        (f"f(Decimal('-3.{LONG}'))", f"f(Decimal('-3.{LONG}'))"),
        (f"f(1_000_{LONG}, {LONG}j)", f"f(1_000_{LONG}, {LONG}j)"),
        (f"f('3.{LONG}')", "f('3.***')"),
        (f"f(token=0.{LONG})", "f(token=***)"),
        (f"f(secret=Decimal('{LONG}'))", "f(secret=Decimal('***'))"),
        (f"f(0x{LONG}, v1.{LONG})", "f(***, v1.***)"),
    ],
)
def test_a_number_in_code_is_not_a_secret_by_its_length(text: str, expected: str) -> None:
    assert redact_literals(text) == expected
