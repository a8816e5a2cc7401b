"""SQ086: a password that the database is asked for as it was typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.masking import masked_fragments, span_in

_COMPARED = LazyPattern(
    r"(?i)\b(?:where|and|or|on)\s+(?P<name>(?:\w+\.)?[\"`\[]?(?:user_?)?(?:password|passwd|pwd|passphrase)[\"`\]]?)"
    r"\s*=\s*(?:\$\d|\?|:\w|%s|%\(|@\w|'|\{|md5\s*\(|sha1\s*\()"
)


class PasswordComparedInQuery(SqlCheck):
    """A query finds a user by name and password, so the password is kept readable, or under a fast hash.

    Whoever reads the table has everybody's passwords, and so do the logs of the database. Read the row by
    name alone, and compare in the application with what argon2, bcrypt or scrypt made of the password.
    """

    ID = "SQ086"
    NAME = "password-compared-in-query"
    PLANE = Plane.SECURITY
    WORDS = ("password", "passwd", "pwd", "passphrase")
    TRIED_ON = "17 trees: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select id, password from users where email = $1;\n"),
        valid("update users set email = $1, password = $2 where id = $3;\n"),
        valid("select id from users where email = $1 and password = crypt($2, password);\n"),
        valid("select id from users where password_hash = $1 and password is null;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select id from users where email = $1 and password = $2;\n", 1, 43),
        invalid(
            "SELECT `id` FROM `users` WHERE `email` = ? AND `password` = MD5(?);\n", 1, 48, "mysql/q.sql"
        ),
        Invalid(
            'cur.execute("SELECT id FROM users u WHERE u.name = %s AND u.passwd = %s", (n, p))\n',
            line=1,
            column=59,
            path="app/q.py",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        for fragment, code in masked_fragments(self.script):
            for found in _COMPARED.finditer(code):
                place = span_in(self.script, fragment, *found.span("name"))
                self.report(
                    place, "the password is kept as it is typed, or nearly so; compare a slow hash in code"
                )
