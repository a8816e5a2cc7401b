from __future__ import annotations

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.masking import masked_fragments, span_in

_COMPARED = LazyPattern(
    r"(?i)\b(?:where|and|or|on)\s+(?P<name>(?:\w+\.)?[\"`\[]?(?:user_?)?(?:password|passwd|pwd|passphrase)[\"`\]]?)"
    r"\s*=\s*(?:\$\d|\?|:\w|%s|%\(|@\w|'|\{|md5\s*\(|sha1\s*\()"
)


class PasswordComparedInQuery(SqlCheck):
    """Password compared in a query, which requires it to be stored as plain text or as a fast hash.

    Anyone who reads the table or the database logs obtains the passwords of all users. Select the row by user
    name only, and verify the password in the application with argon2, bcrypt or scrypt.
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
        if self.script.is_non_production:
            return
        for fragment, masked in masked_fragments(self.script):
            for match in _COMPARED.finditer(masked):
                location = span_in(self.script, fragment, *match.span("name"))
                self.report(
                    location,
                    "password is compared in SQL, so it is stored unhashed or weakly hashed; "
                    "verify a slow hash in code",
                )
