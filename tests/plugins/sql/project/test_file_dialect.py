"""The dialect of a file without signs of its own follows from the rest of the project."""

from __future__ import annotations

import pytest
from wardround_sql.options import SqlOptions
from wardround_sql.project.file_dialect import FileDialect, file_dialect

from wardround.change.repository_view import InMemoryRepository

PLAIN = "alter table orders add column note text;\n"
PATH = "service/db/migrations/1_note.sql"


def dialect(files: dict[str, str], sql: str = PLAIN, **options: str) -> FileDialect:
    return file_dialect(PATH, sql, SqlOptions(**options), InMemoryRepository(files))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("service/prisma/schema.prisma", 'datasource db {\n  provider = "mysql"\n}\n', "mysql"),
        ("service/db/migrations/meta/_journal.json", '{"version": "7", "dialect": "sqlite"}', "sqlite"),
        ("service/drizzle.config.ts", "export default defineConfig({ dialect: 'turso' });\n", "sqlite"),
        (
            "service/drizzle.config.ts",
            "export default defineConfig({ dialect: 'postgresql' });\n",
            "postgres",
        ),
        ("service/sqlc.yaml", "sql:\n  - engine: mysql\n", "mysql"),
        (".sqlfluff", "[sqlfluff]\nrules = core\ndialect = tsql\n", "tsql"),
        ("pyproject.toml", '[tool.sqlfluff.core]\ndialect = "snowflake"\n', "snowflake"),
        ("service/knexfile.js", "module.exports = { client: 'better-sqlite3' };\n", "sqlite"),
        ("service/alembic.ini", "sqlalchemy.url = mysql+pymysql://app@db/app\n", "mysql"),
        ("flyway.conf", "flyway.url=jdbc:sqlserver://db;databaseName=app\n", "tsql"),
        (
            "service/Cargo.toml",
            '[dependencies]\nsqlx = { version = "0.8", features = ["sqlite"] }\n',
            "sqlite",
        ),
        ("service/go.mod", "require github.com/go-sql-driver/mysql v1.8.1\n", "mysql"),
        ("package.json", '{"dependencies": {"mysql2": "^3.0.0"}}', "mysql"),
        ("docker-compose.yml", "services:\n  db:\n    image: mariadb:11\n", "mysql"),
        ("service/wrangler.toml", "[[d1_databases]]\nbinding = 'DB'\n", "sqlite"),
    ],
)
def test_configuration_names_the_database(name: str, text: str, expected: str) -> None:
    assert dialect({name: text}) == FileDialect(expected)


def test_without_any_evidence_it_is_postgres() -> None:
    assert dialect({}) == FileDialect("postgres")


def test_several_databases_leave_it_open() -> None:
    both = "require (\n\tgithub.com/jackc/pgx/v5 v5.7.0\n\tgithub.com/mattn/go-sqlite3 v1.14.0\n)\n"
    assert dialect({"go.mod": both}) == FileDialect("postgres", is_certain=False)
    assert dialect({"go.mod": both}, "alter table orders add column note jsonb;\n") == FileDialect("postgres")


def test_adjacent_migrations_decide_between_several_databases() -> None:
    files = {
        "go.mod": "require (\n\tgithub.com/jackc/pgx/v5 v5.7.0\n\tgithub.com/mattn/go-sqlite3 v1.14.0\n)\n",
        "service/db/migrations/0_first.sql": "create table t (a jsonb);\n",
    }
    assert dialect(files) == FileDialect("postgres")


def test_adjacent_migrations_of_another_database_leave_it_open() -> None:
    files = {"service/db/migrations/0_first.sql": "create table t (a integer primary key AUTOINCREMENT);\n"}
    assert not dialect(files).is_certainly_postgres


def test_a_declaration_counts_before_drivers_and_the_nearest_folder_first() -> None:
    drivers = {"service/package.json": '{"dependencies": {"pg": "8"}}'}
    assert dialect({**drivers, ".sqlfluff": "[sqlfluff]\ndialect = mysql\n"}).name == "mysql"
    assert dialect({**drivers, "docker-compose.yml": "  image: mysql:8\n"}).name == "postgres"


def test_statements_and_options_count_before_the_configuration() -> None:
    files = {"docker-compose.yml": "  image: mysql:8\n"}
    assert dialect(files, "alter table t add column a jsonb;\n").name == "postgres"
    assert dialect(files, dialect="cockroach") == FileDialect("postgres")
