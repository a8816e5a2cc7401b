from __future__ import annotations

from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import texts


class ForeignKeyToAuthColumn(SqlCheck):
    """Foreign key to a column of ``auth.users`` other than ``id``.

    Supabase manages the ``auth`` schema and guarantees only its primary keys. An upgrade that changes the
    unique constraint on phone or email fails because of the foreign key, and so does a user's change of the
    number. Reference ``auth.users (id)``.
    """

    ID = "SQ064"
    NAME = "foreign-key-to-auth-column"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "key-to-auth-column"
    WORDS = ("auth.", '"auth"')

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create table a (id uuid references auth.users (id));
        """),
        code("""
            create table a (id uuid references auth.users);
        """),
    ]
    INVALID = [
        code("""
            create table a (phone text «references» auth.users (phone));
        """),
        code("""
            alter table a
              add «constraint» k foreign key (email) references auth.users (email);
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateStmt", "AlterTableStmt"):
            for constraint in statement.kinds("Constraint"):
                target, columns = constraint.get("pktable", {}), texts(constraint.get("pk_attrs"))
                users = (target.get("schemaname"), target.get("relname")) == ("auth", "users")
                if users and columns and columns != ["id"]:
                    message = (
                        f"auth.users ({', '.join(columns)}) is not guaranteed to remain unique; "
                        "reference its id"
                    )
                    self.report_at(statement, message, constraint.get("location"))
