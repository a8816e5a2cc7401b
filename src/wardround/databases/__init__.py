"""Relational databases behind one narrow interface: a file of SQLite, or a PostgreSQL server."""
