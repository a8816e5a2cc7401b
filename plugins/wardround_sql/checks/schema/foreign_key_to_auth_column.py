"""SQ064: a foreign key to a column of Supabase's users that may go away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import api_invalid, api_valid
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
    DEFECT_CLASS = "key-to-auth-column"
    WORDS = ("auth.", '"auth"')
    TRIED_ON = "15 Supabase and other trees: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        api_valid("create table a (id uuid references auth.users (id));\n"),
        api_valid("create table a (id uuid references auth.users);\n"),
        api_valid("create table a (phone text references people (phone));\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        api_invalid("create table a (phone text references auth.users (phone));\n", 1, 28),
        api_invalid(
            "alter table a\n  add constraint k foreign key (email) references auth.users (email);\n", 2, 7
        ),
        api_invalid(
            'create table a (b text,\n  foreign key (b) references "auth"."users" ("email"));\n', 2, 3
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreateStmt", "AlterTableStmt"):
            for one in statement.kinds("Constraint"):
                target, columns = one.get("pktable", {}), texts(one.get("pk_attrs"))
                users = (target.get("schemaname"), target.get("relname")) == ("auth", "users")
                if users and columns and columns != ["id"]:
                    says = f"auth.users ({', '.join(columns)}) is not promised to stay; refer to its id"
                    self.say(statement, says, one.get("location"))
