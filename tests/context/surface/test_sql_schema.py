"""Database schemas: objects that added migrations remove."""

from __future__ import annotations

import pytest

from tests.context.surface.differences import lines, surface


def broken(path: str, text: str) -> list[str]:
    return [line.partition(" ")[2] for line in lines(surface({}, {path: text}, package=False).breaking)]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("DROP TABLE IF EXISTS public.users;", "table `users` is removed"),
        ("ALTER TABLE users RENAME TO people;", "table `users` is renamed"),
        ('ALTER TABLE "users" DROP COLUMN "mail";', "column `users.mail` is removed"),
        ("ALTER TABLE users RENAME COLUMN mail TO email;", "column `users.mail` is renamed"),
        ("ALTER TABLE users ALTER COLUMN mail SET NOT NULL;", "column `users.mail` rejects null"),
        ("ALTER TABLE users ADD COLUMN age int NOT NULL;",
         "column `users.age` is added without a default and rejects null"),
    ],
)  # fmt: skip
def test_a_statement_that_breaks_readers_or_writers(statement: str, expected: str) -> None:
    assert broken("migrations/002.sql", f"{statement}\n") == [expected]


@pytest.mark.parametrize(
    "statement",
    [
        "-- DROP TABLE users;",
        "ALTER TABLE users ADD COLUMN age int NOT NULL DEFAULT 0;",
        "ALTER TABLE users ADD COLUMN age int;",
        "ALTER TABLE users DROP CONSTRAINT users_key;",
        "CREATE TABLE users_new (id int); DROP TABLE users; ALTER TABLE users_new RENAME TO users;",
        "-- migrate:down\nDROP TABLE users;",
    ],
)
def test_a_statement_that_takes_nothing_away(statement: str) -> None:
    assert broken("migrations/002.sql", f"{statement}\n") == []


def test_a_migration_of_alembic_counts_without_its_downgrade() -> None:
    text = """
    def upgrade():
        op.drop_column("users", "mail")
        op.alter_column("users", "age", nullable=False)
        with op.batch_alter_table("x") as batch:
            batch.drop_column("kind")

    def downgrade():
        op.drop_table("users")
    """
    assert broken("alembic/versions/a.py", text) == [
        "column `users.mail` is removed",
        "column `users.age` rejects null",
        "column `kind` is removed",
    ]


def test_a_migration_of_django_is_read() -> None:
    text = """
    class Migration(migrations.Migration):
        operations = [
            migrations.RemoveField(model_name="user", name="mail"),
            migrations.RenameField(model_name="user", old_name="a", new_name="b"),
            migrations.DeleteModel(name="Order"),
        ]
    """
    assert broken("shop/migrations/0002_x.py", text) == [
        "column `user.mail` is removed",
        "column `user.a` is renamed",
        "table `Order` is removed",
    ]


def test_an_old_migration_that_is_edited_changes_no_database() -> None:
    base = {"migrations/001.sql": "CREATE TABLE users (id int);\n"}
    head = {"migrations/001.sql": "DROP TABLE users;\n"}
    assert surface(base, head, package=False).changes == ()
