"""The storage of the sequences of experiments: SQLite, PostgreSQL, and document stores by plugin."""
