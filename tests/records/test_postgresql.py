"""The shared store on a real PostgreSQL server: permissions, and messages of failures."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import psycopg
import pytest

from tests.postgresql_server import PASSWORD, PostgresServer
from tests.records.places import FilePlace, ServerPlace
from tests.records.sample_reviews import FACTS
from tests.records.sample_store import bundle_of, chain_break, filled
from wardround.databases.postgresql import PostgreSQLDatabase
from wardround.records import migrations, store
from wardround.records.bundle import Facts
from wardround.records.location import PostgresUrl
from wardround.records.store import WRITER_LOCK, Query, RecordStore, StoreError


@pytest.fixture
def place(postgres_server: PostgresServer, postgres_database: str) -> ServerPlace:
    return ServerPlace(postgres_server, postgres_database)


def refusal(url: str) -> str:
    """The message about a store that cannot be opened."""
    with pytest.raises(StoreError) as refused, store.open_store(PostgresUrl(url)):
        pass
    assert PASSWORD not in str(refused.value)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_both_kinds_of_store_have_the_same_migrations() -> None:
    assert len(migrations.SQLITE.migrations) == len(migrations.POSTGRESQL.migrations)


def test_the_same_records_have_the_same_chain_in_both_kinds_of_store(
    place: ServerPlace, tmp_path: Any
) -> None:
    heads = []
    for item in (place, FilePlace(tmp_path / "records.sqlite")):
        filled(item, 3)
        with store.open_store(item.location) as records:
            heads.append(records.head())
    assert heads[0] == heads[1]


def test_the_chain_does_not_depend_on_how_the_database_sorts_texts(place: ServerPlace) -> None:
    rules = ("b", "B", "a-c", "ab", "\u00e4", "Z", "_")
    with store.open_store(place.location) as records:
        digest = records.append(bundle_of(1), Facts(rules=rules))
        assert records.get(digest).rules == tuple(sorted(rules))
        assert records.verify_chain() is None


def test_a_wrong_password_is_one_sentence_without_it(postgres_server: PostgresServer) -> None:
    message = refusal(postgres_server.url("postgres", password="another"))
    assert message == (
        f"the record store {postgres_server.name('postgres')}: password authentication failed for user "
        '"owner"; correct the user in the URL, or set PGPASSWORD'
    )


def test_a_missing_password_is_one_sentence(postgres_server: PostgresServer) -> None:
    message = refusal(f"postgresql://owner@127.0.0.1:{postgres_server.port}/postgres")
    assert message.endswith("no password supplied; correct the user in the URL, or set PGPASSWORD")


def test_the_password_is_read_from_the_environment(
    place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    url = PostgresUrl(f"postgresql://owner@127.0.0.1:{place.server.port}/{place.database}")
    with store.open_store(url) as records:
        assert records.append(bundle_of(1), FACTS)


def test_a_database_that_does_not_exist_is_one_sentence(postgres_server: PostgresServer) -> None:
    assert refusal(postgres_server.url("nowhere")) == (
        f'the record store {postgres_server.name("nowhere")}: database "nowhere" does not exist; '
        "create the database, or correct the URL"
    )


def test_a_server_that_does_not_run_is_one_sentence() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    message = refusal(f"postgresql://owner:secret@127.0.0.1:{port}/records")
    assert message == (
        f"the record store postgresql://127.0.0.1:{port}/records: Connection refused; "
        "check host and port, and that the server runs"
    )


def test_a_host_without_an_address_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*arguments: Any, **options: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", unknown)
    message = refusal("postgresql://owner:secret@nowhere.invalid/records")
    assert message.startswith("the record store postgresql://nowhere.invalid/records: ")
    assert message.endswith("; check host and port, and that the server runs")


@pytest.mark.parametrize(
    "url", ["?sslmode=require", "?sslmode=perhaps", "?unknown=1", "?target_session_attrs=x"]
)
def test_an_option_that_the_server_or_the_library_rejects_is_one_sentence(
    postgres_server: PostgresServer, url: str
) -> None:
    refusal(postgres_server.url("postgres") + url)


@pytest.mark.parametrize("module", ["sqlalchemy", "psycopg"])
def test_without_the_extra_the_message_names_it(module: str) -> None:
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from wardround.__main__ import main\n"
        "sys.argv = ['wardround', 'records', 'list', '--store', 'postgresql://ada:secret@localhost/records']\n"
        "sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        2, "",
        "wardround: the record store postgresql://localhost/records: SQLAlchemy and psycopg are not "
        "installed; pip install 'wardround[postgres]'\n",
    )  # fmt: skip


class DroppedConnection:
    """A database whose server ends the session after a statement about a table."""

    def __init__(self, place: ServerPlace, table: str) -> None:
        self._place, self._table = place, table
        self._database = PostgreSQLDatabase(place.location, WRITER_LOCK)
        self.transaction, self.close = self._database.transaction, self._database.close

    def execute(self, sql: str, parameters: Mapping[str, Any] = {}) -> list[tuple[Any, ...]]:
        rows = self._database.execute(sql, parameters)
        if f"INTO {self._table}" in sql:
            self._place.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        return rows

    def has_table(self, name: str) -> bool:
        return self._database.has_table(name)


@pytest.mark.parametrize("table", ["records", "record_rules"])
def test_a_connection_lost_in_the_middle_is_one_sentence_and_stores_nothing(
    place: ServerPlace, table: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    filled(place, 2)
    dropped = DroppedConnection(place, table)
    with monkeypatch.context() as patched:
        patched.setattr("wardround.records.store._connect", lambda location: (dropped, migrations.POSTGRESQL))
        with pytest.raises(StoreError) as refused, store.open_store(place.location) as records:
            records.append(bundle_of(7), FACTS)
    assert str(refused.value) == (
        f"the record store {place.location}: the connection was lost (terminating connection due to "
        "administrator command); nothing is stored in part; run it again"
    )
    assert capfd.readouterr() == ("", "")
    assert chain_break(place) is None
    with store.open_store(place.location) as records:
        assert records.head()[0] == 2
        records.append(bundle_of(7), FACTS)
        assert records.verify_chain() is None


def test_a_writer_that_holds_the_lock_for_too_long_is_one_sentence(
    place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(place, 1)
    monkeypatch.setattr("wardround.databases.postgresql._LIMITS", ("SET LOCAL lock_timeout = '10ms'",))
    holder = PostgreSQLDatabase(place.location, WRITER_LOCK)
    with (
        closing(holder),
        holder.transaction(),
        pytest.raises(StoreError) as refused,
        store.open_store(place.location) as records,
    ):
        records.append(bundle_of(7), FACTS)
    assert str(refused.value).endswith("another process writes to it; run it again")
    with store.open_store(place.location) as records:
        assert records.head()[0] == 1


@pytest.fixture
def writer(place: ServerPlace) -> str:
    """A user with the privileges that the documentation lists."""
    name = f"ci_{place.database}"
    for statement in (
        f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'",
        f"GRANT SELECT ON records, record_rules, pruned_records, chain_head, schema_migrations TO {name}",
        f"GRANT INSERT ON records, record_rules, chain_head TO {name}",
        f"GRANT UPDATE (sequence, chain) ON chain_head TO {name}",
    ):
        if "GRANT" in statement and "chain_head, schema" in statement:
            filled(place, 0)
        place.execute(statement)
    return name


def test_a_user_with_few_privileges_appends_and_reads_but_changes_nothing(
    place: ServerPlace, writer: str
) -> None:
    own = PostgresUrl(place.server.url(place.database, writer))
    with store.open_store(own) as records:
        digests = [records.append(bundle_of(number), FACTS) for number in range(3)]
        assert [item.digest for item in records.query(Query())] == digests[::-1]
        assert records.verify_chain() is None
    for statement in (
        "UPDATE records SET tier = 'T1'", "DELETE FROM records", "TRUNCATE records CASCADE",
        "UPDATE record_rules SET rule = 'x'", "DELETE FROM record_rules", "UPDATE chain_head SET id = 1",
        "UPDATE chain_head SET sequence = 1", "DELETE FROM chain_head", "DROP TABLE records CASCADE",
        "ALTER TABLE records DISABLE TRIGGER ALL", "SET session_replication_role = replica",
        "DROP TRIGGER records_update ON records", "DROP FUNCTION wardround_append_only() CASCADE",
        "CREATE OR REPLACE FUNCTION wardround_append_only() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RETURN NEW; END'", "INSERT INTO schema_migrations VALUES (9)",
    ):  # fmt: skip
        with place.server.connect(place.database, writer) as connection, pytest.raises(psycopg.Error):
            connection.execute(statement)
        connection.close()
    assert chain_break(place) is None


@pytest.mark.parametrize("statement", [
    "TRUNCATE records CASCADE", "TRUNCATE record_rules", "TRUNCATE chain_head", "DELETE FROM records",
    "INSERT INTO chain_head VALUES (1, 9, 'x') ON CONFLICT (id) DO UPDATE SET sequence = 9",
])  # fmt: skip
def test_even_an_administrator_in_the_role_of_a_replica_meets_the_triggers(
    place: ServerPlace, statement: str
) -> None:
    filled(place, 2)
    with place.server.connect(place.database) as connection:
        connection.execute("SET session_replication_role = replica")
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            connection.execute(statement)
    connection.close()
    assert chain_break(place) is None


def test_a_user_who_may_not_create_the_tables_is_one_sentence(place: ServerPlace, writer: str) -> None:
    empty = place.server.create_database()
    message = refusal(place.server.url(empty, writer))
    place.server.drop_database(empty)
    assert message.endswith(
        "permission denied for schema public; its owner creates the tables and grants privileges on them, "
        "as docs/records.md shows"
    )


def test_a_database_that_cannot_hold_a_name_is_one_sentence_and_stores_nothing(
    postgres_server: PostgresServer,
) -> None:
    name = postgres_server.create_database("template0", "LATIN1")
    location = ServerPlace(postgres_server, name)
    filled(location, 1)
    with pytest.raises(StoreError) as refused, store.open_store(location.location) as records:
        records.append(bundle_of(7), Facts(author="\u6f22"))
    assert str(refused.value).endswith("; use a database with the encoding UTF8")
    assert chain_break(location) is None
    postgres_server.drop_database(name)


def test_reading_creates_no_tables(place: ServerPlace) -> None:
    with store.opened_if_present(place.location) as records:
        assert records is None
    with pytest.raises(StoreError) as refused, store.open_existing(place.location):
        pass
    assert str(refused.value) == (
        f"there are no records in {place.location}: it has no tables of a record store"
    )
    with place.server.connect(place.database) as connection:
        found = connection.execute("SELECT relname FROM pg_class WHERE relname LIKE '%record%'").fetchall()
    connection.close()
    assert found == []


def test_a_schema_of_its_own_is_chosen_in_the_url(place: ServerPlace) -> None:
    place.execute("CREATE SCHEMA audit")
    url = PostgresUrl(f"{place.text}?options=-csearch_path%3Daudit")
    with store.open_store(url) as records:
        records.append(bundle_of(1), FACTS)
    with store.open_store(place.location) as records:
        assert records.head()[0] == 0
    with store.open_store(url) as records:
        assert records.verify_chain() is None
        assert records.head()[0] == 1


def test_a_reader_meets_only_complete_records_while_another_appends(place: ServerPlace) -> None:
    filled(place, 2)
    database = PostgreSQLDatabase(place.location, WRITER_LOCK)
    with closing(database):
        with database.transaction():
            RecordStore(database)._append(bundle_of(7), FACTS)
            assert chain_break(place) is None
            with store.open_store(place.location) as records:
                assert records.head()[0] == 2
        assert chain_break(place) is None
        with store.open_store(place.location) as records:
            assert records.head()[0] == 3
