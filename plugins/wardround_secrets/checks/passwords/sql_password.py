from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.passwords import is_password
from wardround_secrets.detection.random_values import is_random
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_PASSWORD_LITERAL = LazyPattern(
    r"(?:\b(?:encrypted\s+)?password\s{1,8}(?:=\s{0,4}|for\s+\S{1,80}\s*=\s*(?:password\()?)?N?"
    r"|\bidentified\s+(?:with\s+\S{1,60}\s+)?(?:by|as)\s{1,8}"
    r"|\bpgp_sym_(?:en|de)crypt\([^;\n]{1,120},\s*|\bcrypt\(\s*|\bsecret\s*=\s*N?"
    r"|\bset\s+password\s+(?:for\s+\S{1,80}\s*)?(?:=|to)\s*(?:password\()?)"
    r"(?P<quote>'|\"|E')(?P<value>[^'\"\n]{5,200})['\"]",
    re.IGNORECASE,
)
_STATEMENT = (
    b"identified", b"password '", b"password n'", b"password  ", b"password\n", b"password e'", b'password "',
    b"password =", b"password=", b"set password", b"crypt(", b"secret",
)  # fmt: skip
_SQL = LazyPattern(
    r"\b(?:create|alter)\s+(?:or\s+replace\s+)?(?:user|role|login|server|database|credential|master\s+key|foreign|subscription)\b"
    r"|\bset\s+password\b|\bgrant\b|\bcrypt\(|\bpgp_sym",
    re.IGNORECASE,
)


class SqlPassword(SecretCheck):
    """An SQL statement sets a literal password for a database role.

    Migrations stay in the repository and run everywhere, so every installation has the same password, and
    anyone who reads the repository knows it. Create the role without a password, and let the deployment set
    it.
    """

    ID = "SE012"
    NAME = "sql-password"
    ANCHORS = _STATEMENT
    SEVERITY = Severity.WARN
    CASE_PATH = "db/roles.sql"
    VALID = [
        code("""
            CREATE ROLE app LOGIN PASSWORD :'app_password';
        """),
        code("""
            ALTER ROLE app PASSWORD NULL;
        """),
    ]
    INVALID = [
        code("""
            CREATE ROLE app
                LOGIN ENCRYPTED PASSWORD '«\x4bestrel-otter95+»';
        """),
        code("""
            CREATE USER 'app'@'%' IDENTIFIED BY '«\x4bestrel_88x»';
        """),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        if not any(word in text.lower for word in _STATEMENT) or _SQL.search(text.text) is None:
            return
        for match in _PASSWORD_LITERAL.finditer(text.text):
            value = match["value"]
            if value_filters.has_stop_word(value) or not (is_password(value) or is_random(value)):
                continue
            yield SecretMatch(
                *match.span("value"), "password in an SQL statement (***): change it, then remove it"
            )
