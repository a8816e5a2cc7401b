"""Rules about tables, columns, types and indexes."""
