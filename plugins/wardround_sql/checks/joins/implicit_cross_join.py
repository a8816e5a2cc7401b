"""SQ031: tables side by side that nothing connects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries.joins import cross_joins, loose_updates, one_sided_joins, severed_joins


class ImplicitCrossJoin(SqlCheck):
    """No condition connects two tables of FROM.

    They stand there with a comma, or with a JOIN whose condition is about one of them alone. The result
    has every
    row of one beside every row of the other. A forgotten condition or a wrong alias is the usual cause; if
    all
    pairs are meant, write ``CROSS JOIN``.
    """

    ID = "SQ031"
    NAME = "implicit-cross-join"
    WORDS = ("from",)
    TRIED_ON = (
        "sqlfluff's fixtures bring no crash; no place in a fetched checkout was read; 16 "
        "joins of templates in a dbt project were wrong and are left out"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select 1 from a, b where a.id = b.a_id;\n"),
        valid("select 1 from a cross join b;\n"),
        valid("select 1 from a, unnest(a.tags) t;\n"),
        valid("with one as (select 1) select 1 from a, one;\n"),
        valid("select 1 from a, b where x = y;\n"),
        valid("select `a`.x from `a`, b where a.id = b.id;\nSELECT 1 FROM a CROSS JOIN b;\n", "mysql/q.sql"),
        valid("select 1 from a, b, c where a.id = b.id and c.x = b.x;\n"),
        valid("select 1 from a join b on true;\n"),
        valid("select 1 from a, b where (a.id = b.id and a.x = 1) or (a.id = b.id and b.x = 2);\n"),
        valid("update a set x = r.v from rates r where a.y = 1 and r.day = $1;\n"),
        valid(
            "create table rates (day date primary key, v int);\nupdate a set x = r.v from rates r where "
            "r.day = $1;\n"
        ),
        valid("select 1 from a join b on true join c on c.b_id = b.id and c.a_id = a.id;\n"),
        valid("select 1 from a left join lateral (select 1) b on true join c on c.a_id = a.id;\n"),
        valid("select 1 from a join b on b.x = 1 where a.id = b.a_id;\n"),
        valid("select 1 from a join b on b.a_id = x;\n"),
        valid("SELECT 1 FROM a JOIN b USING (id) JOIN c ON c.a_id = a.id;\n", "mysql/q.sql"),
        valid("select r.x, p.y from r join p on p.key in ('a', 'b') where r.name = 'admin';\n"),
        valid("select r.x, p.y from r, p where p.id = any($1) and r.id = $2;\n"),
        valid("SELECT r.x FROM r JOIN p ON p.k IN ('a', 'b') WHERE r.name = 'c';\n", "mysql/q.sql"),
        valid("insert into r_p (r_id, p_id) select r.id, p.id from r, p where r.name = 'admin';\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a.x from a, b;\n", 1, 20),
        invalid("select 1 from a, b\nwhere a.id = b.id and a.x = 1 or a.x = 2;\n", 1, 18),
        invalid(
            "update a set x = r.v from rates r where a.y = 1 and r.day = $1;\n",
            1,
            27,
            others={
                "db/migrations/0001_a.sql": "create table rates (day date, c text, v int, primary key "
                "(day, c));\n"
            },
        ),
        invalid("select 1\nfrom orders o, items i, users u\nwhere o.id = i.order_id and u.active;\n", 2, 25),
        invalid("create view v as select a.x from a, b where a.x = 1;\n", 1, 37),
        invalid("SELECT a.x FROM a, b WHERE a.x > 1;\n", 1, 20, "mysql/q.sql"),
        invalid("SELECT a.x FROM a JOIN b JOIN c ON c.a_id = a.id;\n", 1, 24, "mysql/q.sql"),
        invalid("SELECT a.x FROM a JOIN b ON a.id = a.b_id;\n", 1, 24, "mysql/q.sql"),
        invalid("select a.x from a\njoin b on a.id = a.b_id;\n", 2, 6),
        invalid("select a.x from a left join b on b.id = b.a_id where a.y = 1;\n", 1, 29),
        invalid("select a.x from a join b on b.key > 'c' where a.y = 1;\n", 1, 24),
        invalid("select a.x from a, b, c where a.id = b.id and a.y = 1 and c.z is null;\n", 1, 23),
        invalid("select a.x from a\njoin b on true\njoin c on c.b_id = b.id where a.y = 1;\n", 2, 6),
        Invalid(
            'session.execute(text("SELECT 1 FROM a, b WHERE a.x > 1"))\n', line=1, column=40, path="app/q.py"
        ),
    ]

    def run(self) -> None:
        script = self.script
        if script.is_spare:
            return
        for found in (
            *cross_joins(script),
            *one_sided_joins(script),
            *severed_joins(script),
            *loose_updates(script),
        ):
            first, second = found.tables
            self.report(
                found.span,
                f"nothing connects {second} with {first}: every pair of rows comes out{found.note}",
            )
