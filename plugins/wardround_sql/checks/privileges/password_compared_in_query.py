"""SQ086: a password that the database is asked for as it was typed."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
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

    VALID = [
        code("""
            select id, password from users where email = $1;
        """),
        code("""
            update users set email = $1, password = $2 where id = $3;
        """),
    ]
    INVALID = [
        code("""
            select id from users where email = $1 and «password» = $2;
        """),
        code(
            """
            SELECT `id` FROM `users` WHERE `email` = ? AND «`password`» = MD5(?);
            """,
            path="mysql/q.sql",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        for fragment, masked in masked_fragments(self.script):
            for found in _COMPARED.finditer(masked):
                place = span_in(self.script, fragment, *found.span("name"))
                self.report(
                    place, "the password is kept as it is typed, or nearly so; compare a slow hash in code"
                )
