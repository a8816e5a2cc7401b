"""Readers of SQL embedded in other languages."""
