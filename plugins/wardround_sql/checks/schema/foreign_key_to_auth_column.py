"""SQ064: a foreign key to a column of Supabase's users that may go away."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import texts


class ForeignKeyToAuthColumn(SqlCheck):
    """A foreign key refers to a column of auth.users other than ``id``.

    The tables of the ``auth`` schema belong to Supabase; only their primary keys are promised to stay. The
    unique constraint on phone or email can be changed by an upgrade, which then fails on the key, and so
    does a user who changes the number. Refer to ``auth.users (id)``.
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
            for one in statement.kinds("Constraint"):
                target, columns = one.get("pktable", {}), texts(one.get("pk_attrs"))
                users = (target.get("schemaname"), target.get("relname")) == ("auth", "users")
                if users and columns and columns != ["id"]:
                    says = f"auth.users ({', '.join(columns)}) is not promised to stay; refer to its id"
                    self.say(statement, says, one.get("location"))
